"""Intervals: the numbers of scipy, the truth inside 95 times in 100, and wrong answers rejected."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from beansim.analysis.comparisons import Comparison, between, compare, relative
from beansim.analysis.estimates import (
    difference,
    estimate,
    game_estimate,
    game_ratio,
    seat,
    strategy,
)
from beansim.analysis.frames import bca_interval
from beansim.analysis.intervals import Estimate, Sums, holm, p_value, share_interval, t_interval, wilson
from beansim.analysis.metrics import SEAT
from beansim.analysis.synthetic import World, play, rotations
from beansim.errors import InputError
from beansim.simulate.layout import Group, Layout
from beansim.simulate.tallies import Blocks, Tallies

KINDS = ("blue", "chili", "red")
LAYOUT = Layout(("a", "b", "c", "d"), rotations(4), KINDS, 3)
COPIES = Layout(("a", "a", "b", "b"), rotations(4), KINDS, 3)


def tallied(world, seed, deals, layout=LAYOUT, other=None):
    worlds = [world, other] if other else [world]
    return Tallies.of([play(layout, w, seed, deals, arm) for arm, w in enumerate(worlds)])


def sums(values, divisor=1):
    values = [int(v) for v in values]
    return Sums(len(values), sum(values), sum(v * v for v in values), divisor)


def test_the_t_interval_is_that_of_scipy():
    values = np.random.default_rng(1).integers(-50, 90, 41)
    low, high, method = t_interval(sums(values))
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert method == "t"


def test_the_paired_test_is_that_of_scipy():
    batches = [play(LAYOUT, World(seat=(2,)), 3, 50, 0), play(LAYOUT, World(), 3, 50, 1)]
    tallies = Tallies.of(batches)
    blocks = [Blocks.of(LAYOUT, batch.games, batch.seats) for batch in batches]
    left, right = (part.values[1, :, LAYOUT.column(seat(0))] / 4 for part in blocks)
    found = between(tallies, 0, 1, "coins", seat(0))
    expected = stats.ttest_rel(left, right)
    assert p_value(found) == pytest.approx(expected.pvalue, rel=1e-9)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    back = between(tallies, 1, 0, "coins", seat(0))
    assert (back.mean, back.low) == (-found.mean, -found.high)


def test_wilson_is_that_of_scipy_for_independent_games():
    for wins, games in ((0, 40), (3, 40), (20, 40), (40, 40)):
        expected = stats.binomtest(wins, games).proportion_ci(0.95, method="wilson")
        assert wilson(wins / games, games, stats.norm.ppf(0.975)) == pytest.approx(
            (expected.low, expected.high)
        )


def test_a_share_of_zero_or_one_has_an_interval_with_width():
    low, high, method = share_interval(sums([0] * 50, 420), 200)
    assert low == 0
    assert 0.01 < high < 0.1
    assert method == "wilson"
    low, high, _ = share_interval(sums([420] * 50, 420), 200)
    assert high == 1
    assert 0.9 < low < 0.99


def test_no_spread_is_exact_and_nothing_divides_by_zero():
    tally = tallied(World(noise=0), 1, 40, Layout(("a", "a", "a", "a"), rotations(4), KINDS, 3)).arms[0]
    share = estimate(tally, "win_share", strategy("a"))
    assert (share.mean, share.low, share.high) == (0.25, 0.25, 0.25)
    assert share.method == "constant"
    assert "exact" in share.note
    assert math.isnan(share.gain)
    assert math.isnan(p_value(share))


def test_one_block_or_none_has_no_interval():
    for deals in (0, 1):
        tally = tallied(World(), 1, deals).arms[0]
        found = estimate(tally, "coins", strategy("a"))
        assert found.method == "none"
        assert math.isnan(found.low)
        assert found.note == ("thin: 1 block" if deals == 1 else f"thin: {deals} blocks")
        assert math.isnan(game_ratio(tally, "deals", "turns").low)


def test_deals_a_turn_is_the_ratio_with_cochrans_error():
    batch = play(LAYOUT, World(), 5, 400)
    blocks = Blocks.of(LAYOUT, batch.games, batch.seats).game_values.astype(float)
    deals, turns = blocks[:, 1], blocks[:, 0]
    found = game_ratio(Tallies.of([batch]).arms[0], "deals", "turns")
    share = deals.sum() / turns.sum()
    error = np.std(deals - share * turns, ddof=1) / np.sqrt(400) / turns.mean()
    assert found.mean == pytest.approx(share)
    assert found.error == pytest.approx(error, rel=1e-9)


def test_relative_difference_of_lengths():
    tallies = tallied(World(turns=44), 2, 300, other=World(turns=22))
    found = relative(tallies, 1, 0, "turns")
    assert found.low < -0.5 < found.high
    assert found.half_width < 0.01
    assert found.clear


def test_luck_shared_by_a_block_cancels_in_differences():
    tally = tallied(World(luck=20, noise=2), 3, 500).arms[0]
    found = difference(tally, "coins", strategy("a"), strategy("b"))
    # Every entry sits in every seat, so the luck of the seats is gone altogether.
    assert found.gain > 20


def test_copies_are_one_strategy():
    tally = tallied(World(strategy={"a": 1}), 3, 300, COPIES).arms[0]
    share = {label: estimate(tally, "win_share", strategy(label)) for label in "ab"}
    assert 2 * share["a"].mean + 2 * share["b"].mean == pytest.approx(1)
    assert share["a"].games == 300 * 4 * 2


def test_comparisons_are_adjusted_together():
    tallies = tallied(World(seat=(3, 2)), 4, 200, other=World())
    found = compare(tallies, "coins", [seat(s) for s in range(4)], [(0, 1)])
    assert [round(one.estimate.mean) for one in found] == [3, 2, 0, 0]
    assert [one.adjusted for one in found] == holm([one.p for one in found])
    assert compare(tallies, "coins", [Group("strategy", "unknown")], [(0, 1)]) == []


def test_what_is_lost_among_many_comparisons_is_said() -> None:
    alone = Estimate(0.02, 0.001, 0.039, 0.0097, 0.01, 500, 500, "t", difference=True)
    one = Comparison(SEAT["win_share"], 1, 0, None, alone, p_value(alone), adjusted=0.2)
    assert not one.settled
    assert one.note == "undecided after Holm"
    assert replace(one, adjusted=0.03).settled
    assert replace(one, adjusted=0.03).note == ""
    thin = replace(alone, low=-0.1, blocks=12)
    assert replace(one, estimate=thin).note == "undecided; thin: 12 blocks"


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, math.nan]) == pytest.approx([0.03, 0.06, 0.06, math.nan], nan_ok=True)
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_bootstrap_agrees_with_t_on_symmetric_values_and_repeats():
    values = np.random.default_rng(3).normal(5, 2, 200)
    low, high = bca_interval(values, resamples=2000)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.06)
    assert (low, high) == bca_interval(values, resamples=2000)
    assert bca_interval(np.ones(9)) == (1.0, 1.0)
    with pytest.raises(InputError, match="at least two"):
        bca_interval(np.ones(1))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: estimate(t.arms[0], "cions", strategy("a")),
        lambda t: estimate(t.arms[0], "coins", strategy("nobody")),
        lambda t: game_estimate(t.arms[0], "turn"),
        lambda t: difference(t.arms[0], "coins", strategy("a"), seat(0)),
        lambda t: between(t, 0, 1, "coins", strategy("a")),
    ],
)
def test_what_is_not_there_is_refused(call):
    with pytest.raises(InputError):
        call(tallied(World(), 1, 3))
