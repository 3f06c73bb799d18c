"""Deals that a difference takes: as statsmodels has it, and as many as really are needed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from beansim.analysis.intervals import Estimate
from beansim.analysis.power import FEW_BLOCKS, Goal, deals_needed, need, needs, power_of, safety_factor
from beansim.analysis.synthetic import World, play, rotations
from beansim.errors import InputError
from beansim.simulate.layout import Layout
from beansim.simulate.tallies import Tallies

LAYOUT = Layout(("a", "b", "c"), rotations(3), ("blue", "red"), 3)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
@pytest.mark.parametrize("effect", [0.02, 0.1, 0.4])
def test_it_is_what_statsmodels_says(effect: float, power: float) -> None:
    wanted = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=power, alternative="two-sided")
    assert deals_needed(1.0, Goal(effect, 0.05, power)) == max(math.ceil(wanted), FEW_BLOCKS)
    assert power_of(200, 1.0, Goal(effect)) == pytest.approx(TTestPower().power(effect, 200, 0.05), abs=1e-9)


def test_the_test_really_has_the_power_that_is_promised() -> None:
    goal = Goal(0.3, power=0.8)
    deals = deals_needed(1.0, goal)
    values = np.random.default_rng(1).normal(0.3, 1.0, (2000, deals))
    seen = (stats.ttest_1samp(values, 0, axis=1).pvalue < 0.05).mean()
    assert seen == pytest.approx(0.8, abs=0.03)


def test_the_safe_number_is_enough_four_times_in_five() -> None:
    pilots = np.random.default_rng(2).normal(0, 1, (4000, 40)).std(axis=1, ddof=1)
    assert (pilots * safety_factor(40) > 1).mean() == pytest.approx(0.8, abs=0.02)
    assert (pilots > 1).mean() < 0.52


def test_no_spread_needs_no_more_than_the_least_and_one_block_says_nothing() -> None:
    exact = Estimate(0.0, 0.0, 0.0, 0.0, 0.0, 50, 50, "constant", difference=True)
    assert need("x", exact, Goal(0.01)).safe_deals == FEW_BLOCKS
    single = Estimate(0.0, math.nan, math.nan, math.nan, math.nan, 1, 1, "none", difference=True)
    assert need("x", single, Goal(0.01)).deals is None


def test_every_pair_within_and_every_strategy_between_arms() -> None:
    tallies = Tallies.of([play(LAYOUT, World(), 3, 60, arm) for arm in (0, 1)])
    found = needs(tallies, ["base", "short"], "win_share", Goal(0.05))
    assert [one.what for one in found] == [
        *(f"{pair}, in {arm}" for arm in ("base", "short") for pair in ("a - b", "a - c", "b - c")),
        *(f"{who}, short - base" for who in "abc"),
    ]
    assert all(one.deals and one.safe_deals and one.deals < one.safe_deals for one in found)
    (games,) = needs(tallies, ["base", "short"], "turns", Goal(0.5))
    assert games.what == "games, short - base"
    # One run's spread of a block is that of numpy.
    assert games.deviation == pytest.approx(games.pilot.error * math.sqrt(60))


def test_nothing_to_compare_is_said() -> None:
    tallies = Tallies.of([play(LAYOUT, World(), 3, 10)])
    with pytest.raises(InputError, match="nothing to compare in turns"):
        needs(tallies, ["base"], "turns", Goal(1))
    with pytest.raises(InputError, match="'trun'"):
        needs(tallies, ["base"], "trun", Goal(1))


@pytest.mark.parametrize(
    "wrong", [{"difference": 0.0}, {"alpha": 0.0}, {"power": 1.0}, {"alpha": 0.4, "power": 0.3}]
)
def test_impossible_goals_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Goal(**{"difference": 0.01, **wrong})


def test_a_difference_beyond_reach_is_refused() -> None:
    with pytest.raises(InputError, match="takes more than"):
        deals_needed(1.0, Goal(1e-8))
