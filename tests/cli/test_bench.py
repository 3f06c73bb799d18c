"""`beansim bench`: the measurements are complete and make sense; how large they are is no test."""

from __future__ import annotations

import json

import pytest

from beansim.cli.bench import QUESTION, lines, measure
from beansim.cli.rule_costs import IDLE, OtherGamesError, cost_lines, rule_costs
from beansim.experiment import Changes, find_experiment, read_experiment


@pytest.fixture(scope="module")
def found() -> dict:
    question = read_experiment(find_experiment(QUESTION)).changed(Changes(players=("hermit",) * 4))
    return measure(400, ["hermit"], question, cold=False)


def test_every_measurement_is_there(found: dict) -> None:
    speed = found["speed"]["4 hermit"]
    assert speed["games_per_second"] * speed["microseconds_per_game"] == pytest.approx(1e6)
    assert speed["decisions_per_game"] > 20
    assert found["jobs"]["times_as_fast"] > 0
    assert found["storing"]["games"] == 400
    assert found["start_seconds"]["warm"] > 0
    assert json.loads(json.dumps(found)) == found


def test_they_are_told_in_lines(found: dict) -> None:
    text = "\n".join(lines(found))
    for word in ("4 hermit", "games/s", "two jobs are", "a million games", "warm start"):
        assert word in text


def test_idle_rule_options_are_timed_on_the_same_games() -> None:
    found = rule_costs(5, rounds=2)
    assert len(found) == len(IDLE) + 1
    assert all(one["low"] <= one["median"] <= one["high"] for one in found.values())
    text = "\n".join(cost_lines(found))
    assert "base again (noise)" in text
    assert "quartiles" in text


def test_an_option_that_changes_the_games_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the time of other games says nothing."""
    monkeypatch.setitem(IDLE, "two passes", {"run_outs": 2})
    with pytest.raises(OtherGamesError, match="two passes"):
        rule_costs(5, rounds=1)
