"""Judging what an experiment expects: known truths hold, wrong ones fail, close ones stay undecided."""

from __future__ import annotations

import math

import pytest

from beansim.analysis.expectations import Place, judge_run, outcome_of, resolve
from beansim.analysis.intervals import Estimate
from beansim.analysis.run import Run, RunArm
from beansim.analysis.synthetic import World, play
from beansim.errors import InputError
from beansim.expectation import read_expectation
from beansim.experiment import seat
from beansim.rules import resolve as rules
from beansim.simulate.layout import Layout
from beansim.simulate.tallies import Tallies

LINEUP = ("a", "b", "c:x=1.0")
PLAYERS = ("a", "b", "c:x=1")
WORLDS = {"base": World(strategy={"a": 2}, seat=(1,)), "short": World(strategy={"a": 2}, turns=30)}


@pytest.fixture(scope="module")
def run():
    """Two arms of 400 deals whose true means are known."""
    rule = rules("base", 3)
    layout = Layout(LINEUP, seat(LINEUP, "rotate"), rule.kind_names, rule.run_outs)
    tallies = Tallies.of([play(layout, world, 3, 400, arm) for arm, world in enumerate(WORLDS.values())])
    arms = [RunArm(name, "base", rule, "", LINEUP, "rotate", PLAYERS) for name in WORLDS]
    return lambda *lines: Run.of({"expect": list(lines), "deals": 400}, arms, tallies)


@pytest.mark.parametrize(
    ("line", "outcomes"),
    [
        ("a coins > b by 1", ["holds"] * 2),
        ("a coins > b by 3", ["fails"] * 2),
        ("a coins in base > b by 2", ["undecided"]),
        ("b coins < a by 1", ["holds"] * 2),
        ("c:x=1 coins = b within 1", ["holds"] * 2),
        ("c:x=1.0 coins in base = a within 1", ["fails"]),
        ("seat 0 coins in base > seat 1 by 0.2", ["holds"]),
        ("games turns in short < in base by 10", ["holds"]),
        ("games turns in short = in base within 5", ["fails"]),
        ("a coins in short = in base within 1", ["holds"]),
        ("games turns > 20", ["holds"] * 2),
        ("a win_share > 0.9", ["fails"] * 2),
    ],
)
def test_known_truths(run, line: str, outcomes: list[str]) -> None:
    assert [one.outcome for one in judge_run(run(line))] == outcomes


def test_lines_are_judged_in_every_arm_that_has_both_sides(run) -> None:
    found = judge_run(run("a coins > b by 1", "games turns in short < 40"))
    assert [one.arm for one in found] == ["base", "short", "short"]


def interval(low: float, high: float, method="t") -> Estimate:
    return Estimate((low + high) / 2, low, high, 1.0, 1.0, 50, 50, method)


@pytest.mark.parametrize(
    ("line", "low", "high", "outcome"),
    [
        ("a coins > 3", 3.1, 4, "holds"),
        ("a coins > 3", 2.9, 4, "undecided"),
        ("a coins > 3", 2, 3, "fails"),
        ("a coins < b by 1", -3, -1.1, "holds"),
        ("a coins < b by 1", -3, -0.9, "undecided"),
        ("a coins < b by 1", -1, 2, "fails"),
        ("a coins = b within 1", -1, 1, "holds"),
        ("a coins = b within 1", -1.1, 1, "undecided"),
        ("a coins = b within 1", 1.1, 2, "fails"),
        ("a coins = b within 1", -2, 2, "undecided"),
        ("a coins = 3 within 1", 2.5, 3.9, "holds"),
    ],
)
def test_the_whole_interval_decides(line: str, low: float, high: float, outcome: str) -> None:
    assert outcome_of(interval(low, high), read_expectation(line)) == outcome


def test_what_has_no_spread_is_decided_and_what_has_no_interval_is_not() -> None:
    line = read_expectation("a win_share > 0.3")
    assert outcome_of(interval(0.25, 0.25, "constant"), line) == "fails"
    assert outcome_of(interval(math.nan, math.nan, "none"), line) == "undecided"


PLACES = [
    Place("base", PLAYERS, Layout(LINEUP, seat(LINEUP, "rotate"), ("blue",), 3)),
    Place("pairs", ("a", "a", "d"), Layout(("a", "a", "d"), seat(LINEUP, "rotate"), ("blue",), 2)),
]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("e coins > a", "unknown strategy or seat 'e'"),
        ("a cions > b", "unknown metric of a 'cions'"),
        ("games coins > 3", "metric of games"),
        ("a turns > 3", "metric of a"),
        ("a coins in bse > b", "unknown arm 'bse'"),
        ("b coins > d", "no arm has b and d"),
        ("a coins in pairs > b", "no arm 'pairs' has a and b"),
        ("b coins in base > in pairs", "b is not in arm 'pairs'"),
        ("a coins > in pairs", "say in which arm"),
        ("a coins in base > in base", "not compared"),
        ("seat 0 coins > a", "cannot be compared"),
        ("seat 3 coins > 1", "'seat 3'"),
        ("games turns > games", "can be compared with a number"),
    ],
)
def test_unknown_names_are_refused_with_the_line(line: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(read_expectation(line), PLACES, "asked.toml")
    assert expected in str(caught.value)
    assert str(caught.value).startswith(f"asked.toml: expect {line!r}: ")
