"""Runs of faked games: what is stored, and that it does not depend on how it was played."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

from beansim.errors import InputError
from beansim.experiment import ArmPlan, Changes, Experiment, strategy_folders
from beansim.simulate import chunks
from beansim.simulate.run import Options, Outcome, resume, run
from beansim.simulate.tallies import Tallies
from beansim.simulate.workers import Workers

pytestmark = pytest.mark.usefixtures("workspace", "faked", "small_chunks")

TIMING = ("timing.json", ".lock")


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_GAMES", 800)


def plan(*last: str, **settings: object) -> Experiment:
    """Two arms of eight games a deal; 500 deals in five chunks."""
    players = ("alpha", "beta", "alpha:margin=1", *(last or ("beta:margin=2",)))
    arms = tuple(ArmPlan(variant=variant, players=players) for variant in ("base", "two-pass"))
    whole = Experiment(name="asked", arms=arms, deals=500, folders=strategy_folders())
    return whole.changed(Changes(**settings))


def digests(folder: Path) -> dict[str, str]:
    """Checksum of every result file; files about the time it took are no results."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in TIMING]
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in paths}


def stopping_at(games: int) -> Callable[[int, int], None]:
    """Progress that is interrupted by Ctrl-C once so many games are done."""

    def progress(done: int, total: int) -> None:
        if done >= games:
            raise KeyboardInterrupt

    return progress


def interrupted(out: Path, games: int = 1700) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(plan(), out, Options(progress=stopping_at(games), command="beansim run asked", batch_deals=50))


def test_files_are_the_same_for_any_jobs_and_batch_size() -> None:
    seen = []
    for jobs, batch in ((1, 0), (2, 0), (2, 7), (3, 100), (1, 1)):
        out = Path(f"{jobs}-{batch}")
        run(plan(), out, Options(Workers(jobs), batch_deals=batch, command="same"))
        seen.append(digests(out))
    assert len(seen[0]) == 4 + 3 * 5
    assert all(one == seen[0] for one in seen)


def test_two_seeds_give_different_games_and_the_same_seed_the_same() -> None:
    for out, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(plan(seed=seed), Path(out))
    assert digests(Path("a")) == digests(Path("b"))
    name = "chunks/seats-00000.parquet"
    assert digests(Path("a"))[name] != digests(Path("c"))[name]


def test_rows_and_tallies_hold_every_game() -> None:
    outcome = run(plan(), Path("out"))
    games, seats = (pl.read_parquet(f"out/chunks/{name}-*.parquet") for name in ("games", "seats"))
    assert (outcome.games, outcome.complete, outcome.errors) == (4000, True, 0)
    assert (len(games), len(seats)) == (4000, 16000)
    assert games.select("arm", "deal", "seating").n_unique() == 4000
    assert {"run_out_turn_3", "run_out_phase_3"} <= set(games.columns)
    assert "run_out_turn_4" not in games.columns
    tallies = [Tallies.from_dict(json.loads(path.read_text())) for path in Path("out/chunks").glob("*.json")]
    assert sum(tally.cross.deals for tally in tallies) == 500


def test_run_json_says_what_was_played() -> None:
    run(plan(), Path("out"), Options(command="beansim run asked"))
    state = json.loads(Path("out/run.json").read_text())
    assert (state["deals"], state["games"], state["complete"], state["seed"]) == (500, 4000, True, 1)
    assert state["command"] == "beansim run asked"
    assert [arm["name"] for arm in state["arms"]] == ["base", "two-pass"]
    assert state["arms"][0]["lineup"] == ["alpha", "beta", "alpha:margin=1.0", "beta:margin=2.0"]
    assert len(state["arms"][0]["seatings"]) == 4
    assert {"beansim", "numba", "numpy"} <= set(state["versions"])
    timing = json.loads(Path("out/timing.json").read_text())
    assert {"started", "seconds", "games_per_second", "jobs"} == set(timing)
    assert len(Path("out/sample.jsonl").read_text().splitlines()) == 2


def test_summary_keeps_the_tallies_alone() -> None:
    run(plan(keep="summary"), Path("out"))
    run(plan(), Path("games"))
    assert not list(Path("out/chunks").glob("*.parquet"))
    alone, beside = (
        json.loads(Path(f"{name}/chunks/tally-00002.json").read_text()) for name in ("out", "games")
    )
    assert alone["arms"] == beside["arms"]


def test_an_interrupted_run_keeps_its_chunks_and_goes_on_to_the_same_files() -> None:
    interrupted(Path("cut"))
    state = json.loads(Path("cut/run.json").read_text())
    assert state["complete"] is False
    assert state["deals"] == 200
    assert len(list(Path("cut/chunks").glob("tally-*"))) == 2
    outcome = resume(Path("cut"), Options(Workers(2)))
    run(plan(), Path("whole"), Options(command="beansim run asked"))
    assert outcome.complete
    assert digests(Path("cut")) == digests(Path("whole"))


def test_a_run_that_is_not_finished_is_not_begun_again_by_accident() -> None:
    interrupted(Path("cut"))
    with pytest.raises(InputError, match=r"not finished.*beansim run --resume cut"):
        run(plan(), Path("cut"))


@pytest.mark.parametrize("name", ["games-00001.parquet", "seats-00003.parquet", "tally-00002.json"])
@pytest.mark.parametrize("damage", ["cut", "flip", "remove"])
def test_a_damaged_chunk_is_found_and_played_again(name: str, damage: str) -> None:
    run(plan(), Path("out"))
    before = digests(Path("out"))
    path = Path("out/chunks") / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if damage == "remove":
        path.unlink()
    else:
        path.write_bytes(content[:-20] if damage == "cut" else content)
    outcome = resume(Path("out"))
    assert outcome.complete
    assert outcome.seconds > 0
    assert digests(Path("out")) == before


def test_a_finished_run_is_left_as_it_is() -> None:
    run(plan(), Path("out"))
    before = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")}
    notes: list[str] = []
    outcome = run(plan(), Path("out"), Options(Workers(note=notes.append)))
    assert (outcome.games, outcome.complete, outcome.seconds) == (4000, True, 0.0)
    assert "already holds this run" in notes[0]
    assert {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")} == before


def test_another_run_in_the_folder_is_refused_with_advice_and_kept() -> None:
    run(plan(), Path("out"))
    before = digests(Path("out"))
    with pytest.raises(InputError, match=r"holds another run .*deals 500 instead of 30.*--replace"):
        run(plan(deals=30), Path("out"))
    assert digests(Path("out")) == before


def test_replace_deletes_the_old_run_and_nothing_else() -> None:
    run(plan(), Path("out"))
    Path("out/notes.txt").write_text("mine")
    Path("out/chunks/mine.txt").write_text("mine")
    outcome = run(plan(deals=30), Path("out"), Options(replace=True))
    assert outcome.games == 240
    assert Path("out/notes.txt").read_text() == Path("out/chunks/mine.txt").read_text() == "mine"
    assert len(list(Path("out/chunks").glob("tally-*"))) == 1


def test_a_folder_that_cannot_be_written_is_an_error_before_any_game(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("")
    monkeypatch.setattr("beansim.engine.lost.play", None)
    with pytest.raises(InputError, match=r"cannot write to the folder file/out.*choose another --out"):
        run(plan(), Path("file/out"))


def test_a_folder_in_use_by_another_process_is_refused() -> None:
    fcntl = pytest.importorskip("fcntl")
    Path("out").mkdir()
    with Path("out/.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process"):
            run(plan(), Path("out"))


def test_a_changed_strategy_does_not_mix_with_old_results() -> None:
    interrupted(Path("cut"))
    path = Path("strategies/beta.py")
    path.write_text(path.read_text() + "\n# edited\n")
    with pytest.raises(InputError, match="source of 'beta' has changed"):
        resume(Path("cut"))


def test_another_version_does_not_mix_with_old_results(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(Path("cut"))
    monkeypatch.setattr("beansim.experiment.__version__", "9.9")
    with pytest.raises(InputError, match=r"begun with beansim 0.*this is 9\.9"):
        resume(Path("cut"))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"arms": 3}'])
def test_a_folder_that_holds_no_run_cannot_be_resumed(content: str) -> None:
    Path("odd").mkdir()
    with pytest.raises(InputError, match="no run folder"):
        resume(Path("odd"))
    Path("odd/experiment.json").write_text(content)
    with pytest.raises(InputError, match=r"experiment\.json"):
        resume(Path("odd"))


def check_errors(outcome: Outcome) -> None:
    report = json.loads((outcome.folder / "errors.json").read_text())
    assert outcome.errors == report["games"] == 400
    assert [row["arm"] for row in report["by"]] == ["base", "two-pass"]
    assert {(row["strategy"], row["hook"], row["games"]) for row in report["by"]} == {
        ("bad", "choose_field", 200)
    }
    assert [error["deal"] for error in report["first"]] == [3] * 8 + [13] * 2
    assert outcome.first_errors[0] == "deal 3: seat 3 gave a bad answer"


def test_games_that_end_with_a_strategys_error_are_counted_and_told() -> None:
    outcome = run(plan("bad"), Path("out"), Options(Workers(2)))
    assert outcome.complete
    check_errors(outcome)


def test_errors_are_not_forgotten_by_a_resumed_run() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(plan("bad"), Path("out"), Options(progress=stopping_at(2000)))
    check_errors(resume(Path("out")))


def test_nothing_is_lost_when_a_batch_fails_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    from beansim.engine import lost

    good = lost.play

    def failing(arm: object, seed: int, first_deal: int, deals: int, *, log: bool = False) -> object:
        if first_deal >= 250:
            raise RuntimeError("out of luck")
        return good(arm, seed, first_deal, deals, log=log)

    monkeypatch.setattr("beansim.engine.lost.play", failing)
    with pytest.raises(RuntimeError, match="out of luck"):
        run(plan(), Path("out"), Options(batch_deals=50))
    assert json.loads(Path("out/run.json").read_text())["deals"] == 200
    monkeypatch.setattr("beansim.engine.lost.play", good)
    assert resume(Path("out")).complete


def test_files_are_never_half_written(monkeypatch: pytest.MonkeyPatch) -> None:
    run(plan(deals=100), Path("out"))
    shutil.rmtree("out/chunks")
    Path("out/chunks").mkdir()
    monkeypatch.setattr(
        os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(OSError, match="No space"):
        resume(Path("out"))
    assert [path.name for path in Path("out/chunks").iterdir()] == []
