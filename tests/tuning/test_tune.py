"""Searching parameters: the same search again, resumed, pruned, and validated on fresh deals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beansim.cli.main import run_main
from beansim.cli.tune import read_budget
from beansim.errors import InputError
from beansim.strategy import load
from beansim.tuning import Settings, tune
from beansim.tuning.objective import Estimate, Objective
from beansim.tuning.search import METHODS, hopeless, proposer, rungs
from beansim.tuning.space import Space

POOR = "trader:growth=6,margin=2,second=1.5"
SETTINGS: dict[str, Any] = {"deals": 40, "fresh_deals": 60}


def objective(**changes: Any) -> Objective:
    return Objective((load("trader"),), seats=(3,), metric="coins", **changes)


def test_a_space_goes_from_values_to_points_and_back() -> None:
    space = Space.of("planner:ahead=3")
    assert space.values(space.point(space.start)) == space.start
    assert space.values([2.0] * len(space.params))["ahead"] == 5
    assert space.line_up(space.start) == "planner:ahead=3"
    assert [item.name for item in Space.of("planner", ["urgency"]).params] == ["urgency"]


def test_values_not_searched_stay_as_given() -> None:
    space = Space.of("trader:margin=0.5", ["growth"])
    assert space.line_up({"growth": 1.0}) == "trader:growth=1.0,margin=0.5"


def test_what_cannot_be_searched_is_an_error() -> None:
    with pytest.raises(InputError, match="no parameter to tune"):
        Space.of("hermit")
    with pytest.raises(InputError, match="did you mean 'growth'"):
        Space.of("trader", ["grwth"])


@pytest.mark.parametrize("method", METHODS)
def test_a_proposer_told_the_same_proposes_the_same(method: str) -> None:
    """This is what makes a resumed search the same as one that was never stopped."""
    space = Space.of(POOR)
    runs = []
    for _ in range(2):
        found, points = proposer(method, space, 3), []
        for number in range(30):
            values = found.propose(number)
            found.learn(values, -abs(values["growth"] - 1.0))
            points.append(values)
        runs.append(points)
    assert runs[0] == runs[1]
    assert runs[0][0] == space.start
    assert len({point["growth"] for point in runs[0]}) > 20


def test_a_search_closes_in_on_what_is_best() -> None:
    space = Space.of(POOR)
    found = proposer("cma", space, 1)
    for number in range(200):
        values = found.propose(number)
        found.learn(values, -((values["growth"] - 1.0) ** 2) - (values["margin"] - 0.5) ** 2)
    assert values["growth"] == pytest.approx(1.0, abs=0.2)
    assert values["margin"] == pytest.approx(0.5, abs=0.2)


def test_rungs_play_every_deal_once() -> None:
    for deals in (2, 7, 240, 1000):
        ranges = list(rungs(deals))
        assert [deal for first, count in ranges for deal in range(first, first + count)] == list(range(deals))


def test_only_what_clearly_lags_behind_is_given_up() -> None:
    generator = np.random.default_rng(1)
    best = generator.normal(0.3, 0.2, 100)
    assert hopeless(best[:50] - generator.normal(0.1, 0.05, 50), best)
    assert not hopeless(best[:50] - generator.normal(0.0, 0.05, 50), best)
    assert not hopeless(best[:50] - 1.0, np.zeros(0))


def test_an_interval_covers_what_it_should() -> None:
    generator = np.random.default_rng(2)
    found = [Estimate.of(generator.normal(1.0, 2.0, 40)) for _ in range(400)]
    assert 370 <= sum(one.low <= 1.0 <= one.high for one in found) <= 391
    one = Estimate.of(generator.normal(1.0, 2.0, 10_000))
    assert (one.mean, one.half) == (pytest.approx(1.0, abs=0.08), pytest.approx(0.0392, rel=0.1))


def test_block_values_are_those_of_common_deals() -> None:
    """A range in two parts is the range, for any number of jobs; copies of the opponent are even."""
    judged = objective()
    trader = load("trader")
    whole = judged.blocks(trader, 0, 20)
    parts = np.concatenate([judged.blocks(trader, 0, 5), objective(jobs=2).blocks(trader, 5, 15)])
    np.testing.assert_array_equal(whole, parts)
    shares = Objective((trader,), seats=(3, 4), shapes=("one", "many")).blocks(trader, 0, 10)
    np.testing.assert_allclose(shares, (1 / 3 + 1 / 4) / 2)


def test_a_tuning_resumes_prunes_and_validates(tmp_path: Path) -> None:
    """Stopped after six trials and gone on with, it is the search that was never stopped."""
    space = Space.of(POOR)
    tune(space, objective(), Settings(trials=6, **SETTINGS), tmp_path / "parts")
    resumed = tune(space, objective(), Settings(trials=12, **SETTINGS), tmp_path / "parts")
    whole = tune(space, objective(), Settings(trials=12, **SETTINGS), tmp_path / "whole")
    assert (resumed.best.line_up, resumed.best.history) == (whole.best.line_up, whole.best.history)
    assert whole.best.trials == 12
    assert whole.best.pruned > 0
    assert whole.over_start.low > 0
    assert whole.baseline is not None
    assert whole.baseline.trials == 12
    with pytest.raises(InputError, match="trials of another search"):
        tune(Space.of("trader"), objective(), Settings(trials=12, **SETTINGS), tmp_path / "whole")


def test_budgets_are_read_or_refused() -> None:
    assert [read_budget(text) for text in ("200", "90s", "5m", "1h")] == [
        (200, 0.0),
        (0, 90.0),
        (0, 300.0),
        (0, 3600.0),
    ]
    for text in ("0", "m", "-3", "5 minutes", ""):
        with pytest.raises(InputError, match="--budget"):
            read_budget(text)


def test_the_command_prints_a_line_up_and_writes_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tune", POOR, "--budget", "12", "--deals", "20", "--fresh-deals", "30", "--seats", "3"]
    assert run_main([*words, "--jobs", "1", "--quiet", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert load(said.out.strip()).name == "trader"
    assert "random:" in said.err
    report = (tmp_path / "report.md").read_text()
    assert "| margin | 2 |" in report
    assert (tmp_path / "history.png").exists()


@pytest.mark.slow
def test_tuning_the_trader_from_poor_values_recovers_its_strength(tmp_path: Path) -> None:
    """Against the shipped values, on fresh deals, what was found is within its interval or better."""
    judged = Objective((load("trader"),), seats=(4,))
    settings = Settings(trials=120, deals=1000, fresh_deals=5000, baseline=False)
    tuning = tune(Space.of(POOR), judged, settings, tmp_path)
    assert tuning.over_start.low > 0.1
    assert tuning.best.worth.high >= 0.25
