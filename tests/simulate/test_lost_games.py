"""Strategies that end, or hold up, the process that plays them: named, counted, and survived."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

from beansim.engine import Arm, LostGame, describe_error, play, play_around
from beansim.engine.status import CRASHED, HUNG
from beansim.errors import BeansimError, InputError, StrategyError
from beansim.experiment import ArmPlan, Experiment, strategy_folders
from beansim.simulate import fanout
from beansim.simulate.fanout import Batch, Fanout, Lost, told
from beansim.simulate.recipe import Recipe
from beansim.simulate.run import Options, resume, run
from beansim.simulate.suspects import find_lost
from beansim.simulate.work import Work
from beansim.simulate.workers import Crew, WorkerLostError, Workers
from beansim.strategy import HOOKS

CRASHES = '''
import ctypes

from beansim.strategy import Strategy


class Crashes(Strategy):
    """Reads a bad pointer, in turn 5 with three of a kind in hand."""

    compiled = False

    def plant_second(self, table, kind):
        if table.turn == 5 and self.hand[2] == 3:
            ctypes.string_at(0)
        return False
'''

HANGS = '''
from beansim.strategy import Strategy, hook


class Hangs(Strategy):
    """Compiled: never answers, in turn 7 with three of a kind in hand."""

    @hook
    def plant_second(self, table, kind):
        turns = 0
        while table.turn == 7 and self.hand[2] == 3:
            turns += 1
            if turns < 0:
                break
        return turns < 0
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "strategies").mkdir()
    for name, text in (("crashes", CRASHES), ("hangs", HANGS)):
        (tmp_path / "strategies" / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(*players: str, deals: int = 6) -> Experiment:
    arm = ArmPlan(variant="base", players=players)
    return Experiment(name="x", arms=(arm,), deals=deals, folders=strategy_folders())


def work_of(experiment: Experiment) -> tuple[Work, Recipe]:
    work = Work(experiment.build(), experiment.seed, keep_rows=True)
    return work, Recipe.of(experiment, work)


# --- rows of lost games --------------------------------------------------------------------------


def test_the_games_around_a_lost_one_are_played_as_ever() -> None:
    (arm,) = plan("hermit", "hermit", "trader").build()
    whole = play(arm, 1, 0, 5)
    lost = [LostGame(0, 2, 1, CRASHED, seat=2, hook=3, turn=9), LostGame(1, 3, 0, HUNG), LostGame(0, 9, 0, 1)]
    around = play_around(arm, 1, 0, 5, lost)
    row = 2 * 3 + 1
    kept = np.arange(15) != row
    assert (around.games[kept] == whole.games[kept]).all()
    assert (around.seats.reshape(15, 3)[kept] == whole.seats.reshape(15, 3)[kept]).all()
    game = around.games[row]
    assert (game["deal"], game["seating"], game["status"], game["turns"]) == (2, 1, CRASHED, 9)
    assert (around.seats.reshape(15, 3)[row]["entry"] == arm.seatings[1]).all()
    assert around.harvests.sum() < whole.harvests.sum()


def test_a_lost_game_is_told_without_playing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    work, _ = work_of(plan("hermit", "hermit", "trader"))
    monkeypatch.setattr("beansim.engine.explain.Bench", None)
    row = play_around(work.arms[0], 1, 0, 1, [LostGame(0, 0, 1, HUNG, 1, 4, 7)]).games[1]
    text = describe_error(work.arms[0], row, 1)
    assert text.startswith(f"trader.{HOOKS[4]} did not answer in time")
    assert "deal 0, seating 1, turn 7, seat 1" in text
    row["error_seat"] = -1
    assert "one of hermit, trader did not answer in time" in describe_error(work.arms[0], row, 1)


# --- finding them --------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_a_compiled_strategy_that_hangs_is_found_with_its_hook_and_line() -> None:
    work, recipe = work_of(plan("hermit", "hermit", "hangs", deals=2))
    (found,) = find_lost(work, recipe, 0, 1, (), 3.0, 9)
    assert (found.game.status, HOOKS[found.game.hook], found.game.turn) == (HUNG, "plant_second", 7)
    assert found.where.startswith("hangs.py:")
    text = told(work, found)
    assert text.startswith("hangs.plant_second did not answer in time and was stopped; seed 1, deal 0")
    assert text.endswith(" in plant_second)")


@pytest.mark.usefixtures("folder")
def test_a_run_goes_on_without_the_games_that_crash_their_process(capfd: pytest.CaptureFixture[str]) -> None:
    notes: list[str] = []
    options = Options(Workers(2, note=notes.append), command="x")
    outcome = run(plan("crashes", "hermit", "hermit"), Path("out"), options)
    assert outcome.complete
    report = json.loads(Path("out/errors.json").read_text())
    assert 0 < report["games"] == outcome.errors < outcome.games
    assert {row["strategy"] for row in report["by"]} == {"crashes"}
    assert {row["hook"] for row in report["by"]} == {"plant_second"}
    (first, *_) = [note for note in notes if note.startswith("error: ")]
    assert first.startswith("error: crashes.plant_second ended the process that played the game")
    assert "(crashes.py:14 in plant_second)" in first
    assert "Segmentation fault" not in capfd.readouterr().err
    # What is known is not tried again: nothing dies, and no process looks for it.
    before = Path("out/run.json").read_bytes(), Path("out/watched.json").read_bytes()
    notes.clear()
    resume(Path("out"), options)
    assert (Path("out/run.json").read_bytes(), Path("out/watched.json").read_bytes()) == before
    assert notes == []


@pytest.mark.usefixtures("folder")
def test_everything_is_compiled_before_a_worker_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    _, recipe = work_of(plan("hermit", "hermit", "trader"))
    ready: list[Arm] = []
    monkeypatch.setattr("beansim.simulate.recipe.warm", ready.extend)
    arms = recipe.work().arms
    assert ready == list(arms)
    assert [entrant.label for entrant in arms[0].lineup] == ["hermit", "hermit", "trader"]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_no_game_is_blamed_for_the_time_that_compiling_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing is kept each process compiles for itself: longer than a game may take."""
    work, recipe = work_of(plan("hermit", "hermit", "trader"))
    monkeypatch.setenv("BEANSIM_CACHE", str(tmp_path / "empty"))
    assert find_lost(work, recipe, 0, 1, (), 2.0, 9) == []


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_goes_on_without_the_games_that_hang(jobs: int) -> None:
    outcome = run(plan("hangs", "hermit", "hermit"), Path("out"), Options(Workers(jobs, time_limit=20.0)))
    assert outcome.complete
    assert 0 < outcome.errors < outcome.games
    assert "hangs.plant_second did not answer in time" in outcome.first_errors[0]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_thread_that_hangs_ends_the_run_with_its_name_and_keeps_what_is_complete() -> None:
    workers = Workers(2, "threads", time_limit=20.0)
    with pytest.raises(StrategyError, match=r"hangs\.plant_second did not answer.*--backend processes"):
        run(plan("hangs", "hermit", "hermit"), Path("out"), Options(workers))
    assert json.loads(Path("out/run.json").read_text())["complete"] is False


# --- handing out again, with workers that die on command -----------------------------------------


class Deadly:
    """Workers of this process that die over certain batches, so many times each."""

    shared, limit, batch_seconds, folder = False, 0.0, 0.2, ""

    def __init__(self, deaths: dict[int, int], killed: bool) -> None:
        self.deaths, self.killed = dict(deaths), killed
        self.notes: list[str] = []
        self.workers = Workers(2, note=self.notes.append)

    def run(self, tasks: Iterator[tuple]) -> Iterator[tuple[int, int]]:
        had: list[tuple] = []
        for task in tasks:
            had.append(task)
            while len(had) > 2:
                yield self._played(had.pop(0))
        for task in had:
            yield self._played(task)

    def _played(self, task: tuple) -> tuple[int, int]:
        _, (key, first, _, lost), _ = task
        if self.deaths.get(first, 0) > 0 and not lost:
            self.deaths[first] -= 1
            raise WorkerLostError("died", killed=self.killed)
        return key, first


def play_deadly(deaths: dict[int, int], killed: bool = True) -> tuple[list[int], Deadly, Lost]:
    crew, lost = Deadly(deaths, killed), Lost()
    hands = Fanout(None, None, crew, lost)
    batches = (Batch(0, first, 10) for first in range(0, 100, 10))
    return [batch.first for batch, _ in hands.play(fanout.play_part, batches)], crew, lost


@pytest.fixture
def finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanout, "find_lost", lambda *what: [])


@pytest.mark.usefixtures("finds_nothing")
@pytest.mark.parametrize("deaths", [{}, {0: 1}, {90: 1}, {0: 1, 10: 1, 20: 1, 90: 1}, {30: 3, 50: 3}])
def test_every_batch_comes_back_once_whoever_dies(deaths: dict[int, int]) -> None:
    firsts, _, _ = play_deadly(deaths)
    assert sorted(firsts) == list(range(0, 100, 10))


@pytest.mark.usefixtures("finds_nothing")
def test_a_worker_that_is_killed_once_makes_nobody_suspect() -> None:
    assert play_deadly({20: 1})[1].notes == []
    assert "game by game" in play_deadly({20: 2})[1].notes[0]
    assert "game by game" in play_deadly({20: 1}, killed=False)[1].notes[0]


@pytest.mark.usefixtures("finds_nothing")
def test_a_batch_that_costs_its_worker_for_ever_ends_the_run() -> None:
    with pytest.raises(BeansimError, match=r"no game is to blame|deals .* again and again"):
        play_deadly({20: 99})


def test_lost_games_are_played_around_and_too_many_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from beansim.simulate.suspects import Found

    def find(work: object, recipe: object, first: int, *rest: object) -> list[Found]:
        return [Found(LostGame(0, first, 0, CRASHED))] if first % 20 == 0 else []

    monkeypatch.setattr(fanout, "find_lost", find)
    monkeypatch.setattr(fanout, "told", lambda work, found: f"deal {found.game.deal}")
    firsts, crew, lost = play_deadly({20: 99, 40: 99}, killed=False)
    assert sorted(firsts) == list(range(0, 100, 10))
    assert {game.deal for game in lost.games} == {20, 40}
    assert [note for note in crew.notes if note.startswith("error")] == ["error: deal 20", "error: deal 40"]
    monkeypatch.setattr(fanout, "MOST_LOST", 1)
    with pytest.raises(StrategyError, match="more than 1 games are lost"):
        play_deadly({20: 99, 40: 99}, killed=False)


# --- real workers that are killed ----------------------------------------------------------------


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file by which a worker knows that one has died already; workers started from now on know of it."""
    get_reusable_executor().shutdown(kill_workers=True)
    monkeypatch.setenv("BEANSIM_TEST_MARK", str(tmp_path / "mark"))
    return tmp_path / "mark"


def die_once(work: Work, first: int, deals: int, lost: object) -> int:
    """A player whose worker is killed from outside over one batch, the first time."""
    mark = Path(os.environ["BEANSIM_TEST_MARK"])
    if first == 30 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return deals


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_worker_is_replaced(mark: Path, jobs: int) -> None:
    work, recipe = work_of(plan("hermit", "hermit", "hermit"))
    crew = Crew(Workers(jobs, "processes"), work)
    batches = [Batch(0, first, 10) for first in range(0, 80, 10)]
    came = [batch.first for batch, _ in Fanout(work, recipe, crew).play(die_once, batches)]
    assert sorted(came) == list(range(0, 80, 10))
    assert mark.exists()


# --- recipes and options -------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_a_recipe_needs_no_file_of_its_strategies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = plan("strategies/hangs.py", "hermit", "crashes")
    work, recipe = work_of(experiment)
    for path in (tmp_path / "strategies").glob("*.py"):
        path.unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = recipe.work()
    assert [entrant.label for entrant in again.arms[0].lineup] == ["hangs", "hermit", "crashes"]
    assert again.digest == work.digest


def test_a_worker_of_other_versions_is_refused() -> None:
    from dataclasses import replace

    _, recipe = work_of(plan("hermit", "hermit", "hermit"))
    older = tuple((name, "0.1" if name == "numba" else version) for name, version in recipe.versions)
    with pytest.raises(InputError, match=r"the worker on .* has numba .* instead of 0\.1"):
        replace(recipe, versions=older).work()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"backend": "thread"}, "'threads'"),
        ({"scheduler": "tcp://x:1"}, "goes with the backend dask or ray"),
        ({"backend": "dask"}, "address of a scheduler"),
        ({"time_limit": -1.0}, "expected seconds"),
    ],
)
def test_workers_that_cannot_be_are_refused(given: dict, text: str) -> None:
    with pytest.raises(InputError, match=text):
        Workers(**given)


def killed_at_a_random_time(work: Work, first: int, deals: int, lost: object) -> bytes:
    """A player with much to hand in, whose worker is killed, once, about when it does."""
    mark = Path(os.environ["BEANSIM_TEST_MARK"])
    if first == 30 and not mark.exists():
        mark.touch()
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return bytes(30_000_000)


@pytest.mark.slow
def test_a_worker_that_is_killed_while_it_hands_in_is_missed(mark: Path) -> None:
    work, recipe = work_of(plan("hermit", "hermit", "hermit"))
    crew = Crew(Workers(2, "processes"), work)
    batches = [Batch(0, first, 10) for first in range(0, 80, 10)]
    came = [batch.first for batch, _ in Fanout(work, recipe, crew).play(killed_at_a_random_time, batches)]
    assert sorted(came) == list(range(0, 80, 10))
    assert mark.exists()
    crew.leave()
    assert not Path(crew.folder).exists()
