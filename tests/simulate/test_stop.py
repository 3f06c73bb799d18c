"""Runs that stop early: at the same deal for any workers, and as if so many deals had been asked for."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from beansim.analysis.stopping import judge_of, widest
from beansim.errors import InputError
from beansim.experiment import ArmPlan, Experiment, strategy_folders
from beansim.simulate import chunks
from beansim.simulate.run import Options, Outcome, resume, run
from beansim.simulate.tallies import Tallies
from beansim.simulate.workers import Workers
from beansim.stop import Stop

pytestmark = pytest.mark.usefixtures("workspace", "faked", "small_chunks")


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "FIRST_STOP_GAMES", 320)


def plan(deals: int = 4000, **stop: object) -> Experiment:
    players = ("alpha", "beta", "alpha:margin=1", "beta:margin=2")
    arms = tuple(ArmPlan(variant=variant, players=players) for variant in ("base", "two-pass"))
    rule = Stop(**stop) if stop else None
    return Experiment(name="asked", arms=arms, deals=deals, folders=strategy_folders(), stop=rule)


def play(experiment: Experiment, out: str, jobs: int = 1, batch: int = 0, **more: object) -> Outcome:
    options = Options(
        Workers(jobs), batch_deals=batch, command="beansim run asked --deals 4000", judge=judge_of
    )
    return run(experiment, Path(out), options, **more)


def digests(folder: str) -> dict[str, str]:
    paths = [path for path in Path(folder).rglob("*") if path.is_file()]
    wanted = [path for path in paths if path.name not in ("timing.json", ".lock")]
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in wanted}


def state(folder: str) -> dict:
    return json.loads(Path(folder, "run.json").read_text())


def stored(folder: str) -> list[Tallies]:
    paths = sorted(Path(folder, "chunks").glob("tally-*"))
    return [Tallies.from_dict(json.loads(path.read_text())) for path in paths]


def test_it_stops_at_the_first_chunk_that_is_narrow_enough_for_any_workers() -> None:
    asked = plan(half_width=0.02)
    ways = ((1, 0), (2, 3), (3, 17), (1, 1))
    outcomes = [play(asked, f"{jobs}-{batch}", jobs, batch) for jobs, batch in ways]
    assert all(outcome.complete for outcome in outcomes)
    assert state("1-0")["stopped"] == "half_width"
    assert 0 < state("1-0")["deals"] < 4000
    assert len({str(digests(f"{jobs}-{batch}")) for jobs, batch in ways}) == 1
    assert asked.stop is not None
    seen = stored("1-0")
    whole = seen[0]
    for part in seen[1:-1]:
        whole += part
    assert widest(whole, asked.stop) > 0.02
    assert widest(whole + seen[-1], asked.stop) <= 0.02


def test_deals_are_the_limit_where_the_interval_never_gets_there() -> None:
    outcome = play(plan(deals=100, half_width=0.0001), "out")
    assert outcome.complete
    assert (state("out")["deals"], state("out")["stopped"]) == (100, "")


def test_a_stopped_run_is_finished_and_left_as_it_is() -> None:
    asked = plan(half_width=0.02)
    play(asked, "out")
    before = digests("out")
    assert play(asked, "out").complete
    assert resume(Path("out"), Options(judge=judge_of)).complete
    assert digests("out") == before


@pytest.mark.parametrize("place", [0, 2, -1])
def test_a_damaged_chunk_of_a_stopped_run_is_played_again_and_nothing_else(place: int) -> None:
    play(plan(half_width=0.02), "out")
    before = digests("out")
    sorted(Path("out/chunks").glob("tally-*"))[place].unlink()
    outcome = resume(Path("out"), Options(Workers(2), judge=judge_of))
    assert outcome.complete
    assert digests("out") == before


def test_an_interrupted_run_goes_on_to_the_same_place() -> None:
    def interrupt(done: int, total: int) -> None:
        if done > 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan(half_width=0.02), Path("cut"), Options(progress=interrupt, judge=judge_of, command="x"))
    assert state("cut")["complete"] is False
    resume(Path("cut"), Options(judge=judge_of))
    run(plan(half_width=0.02), Path("whole"), Options(judge=judge_of, command="x"))
    assert digests("cut") == digests("whole")


def test_time_stops_after_a_chunk_and_the_command_says_how_many_deals_that_were() -> None:
    outcome = play(plan(max_time=1e-9), "out", jobs=2)
    assert outcome.complete
    assert state("out")["stopped"] == "max_time"
    deals = state("out")["deals"]
    assert deals == 40
    assert state("out")["command"] == f"beansim run asked --deals {deals}"
    assert play(plan(max_time=1e-9), "out").complete
    play(plan(deals=deals, half_width=1e-9), "same")
    chunk = "chunks/seats-00000.parquet"
    assert digests("out")[chunk] == digests("same")[chunk]


@pytest.mark.parametrize("metric", ["coins", "turns", "win_share"])
@pytest.mark.parametrize("of", ["means", "differences"])
def test_other_metrics_and_differences(metric: str, of: str) -> None:
    asked = plan(metric=metric, of=of, half_width=0.6 if metric != "win_share" else 0.06)
    play(asked, "out")
    assert state("out")["stopped"] == "half_width"


def test_what_cannot_be_judged_is_refused_before_any_game() -> None:
    with pytest.raises(InputError, match="'cions'"):
        play(plan(metric="cions", half_width=1), "out")
    alone = Experiment(
        name="x",
        arms=(ArmPlan(variant="base", players=("alpha",) * 3),),
        folders=strategy_folders(),
        stop=Stop(of="differences", half_width=0.1),
    )
    with pytest.raises(InputError, match="no two arms or strategies"):
        play(alone, "out")
    with pytest.raises(ValueError, match=r"Options\.judge"):
        run(plan(half_width=0.1), Path("other"))


def test_fewer_than_30_blocks_never_stop() -> None:
    tallies = Tallies.empty([])
    assert widest(tallies, Stop(half_width=0.1)) == float("inf")
