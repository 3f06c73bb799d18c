"""The sequential test and its interval: errors as promised, also when looked at after every block."""

from __future__ import annotations

import math

import numpy as np
import pytest

from beansim.analysis.intervals import Sums
from beansim.analysis.sequential import (
    FEW_BLOCKS,
    SequentialTest,
    anytime_interval,
    anytime_radius,
    bounded_variance,
)
from beansim.errors import InputError

UNIT = 1000
"""Units of one in the whole block values of these tests."""


def sums(values) -> Sums:
    values = [int(value) for value in values]
    return Sums(len(values), sum(values), sum(value * value for value in values), UNIT)


def of_moments(blocks: int, mean: float, deviation: float) -> Sums:
    total = round(blocks * mean * UNIT)
    squares = round(blocks * (deviation**2 + mean**2) * UNIT**2)
    return Sums(blocks, total, squares, UNIT)


def normal(deviation):
    return lambda rng, mean, size: rng.normal(mean, deviation, size)


def coin(rng, mean, size):
    return np.where(rng.random(size) < (1 + mean) / 2, 1.0, -1.0)


def rare(rng, mean, size):
    """Mostly a little above the mean, and now and then far below it."""
    return mean + np.where(rng.random(size) < 0.03, -0.6, 0.6 * 0.03 / 0.97)


SHAPES = {"normal": normal(0.2), "coin": coin, "rare": rare}


def first_answers(values, test):
    """For each row of block values, the first answer when looked at after every single block."""
    found = []
    for row in values:
        whole = np.round(row * UNIT).astype(int)
        totals, squares = whole.cumsum().tolist(), np.square(whole).cumsum().tolist()
        answer = "undecided"
        for blocks in range(FEW_BLOCKS, len(row) + 1):
            answer = test.answer(Sums(blocks, totals[blocks - 1], squares[blocks - 1], UNIT))
            if answer != "undecided":
                break
        found.append(answer)
    return found


def misses(values, truth):
    """Share of rows whose anytime interval leaves out the truth after any block at all."""
    numbers = np.arange(1, values.shape[1] + 1)
    means = values.cumsum(axis=1) / numbers
    variances = np.square(values).cumsum(axis=1) / numbers - means**2 + 1 / numbers
    radius = np.array([anytime_radius(int(number), 0.05) for number in numbers])
    off = np.abs(means - truth) > radius * np.sqrt(variances)
    return off[:, FEW_BLOCKS - 1 :].any(axis=1).mean()


def error_rates(shape, repeats, blocks, margin):
    rng = np.random.default_rng(7)
    test = SequentialTest(margin)
    null = first_answers(SHAPES[shape](rng, 0.0, (repeats, blocks)), test)
    real = first_answers(SHAPES[shape](rng, margin, (repeats, blocks)), test)
    return null.count("better") / repeats, real.count("not better") / repeats


@pytest.mark.parametrize("shape", SHAPES)
def test_a_true_null_is_rejected_in_5_of_100_at_most_quick(shape: str) -> None:
    wrong = error_rates(shape, 150, 600, 0.05)
    assert max(wrong) < 0.10


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("margin", [0.03, 0.1])
def test_a_true_null_is_rejected_in_5_of_100_at_most(shape: str, margin: float) -> None:
    wrong = error_rates(shape, 1000, 2000, margin)
    # Binomial noise of 1,000 repeats is 0.7 %.
    assert max(wrong) < 0.065, wrong


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("truth", [0.0, 0.04])
def test_the_interval_holds_at_all_looks_at_once(shape: str, truth: float) -> None:
    values = SHAPES[shape](np.random.default_rng(5), truth, (1000, 1500))
    assert misses(values, truth) < 0.065
    assert misses(values, truth + 0.2) > 0.9


def test_an_ordinary_interval_would_not_hold_at_all_looks() -> None:
    """Negative control: peeking at the fixed-sample interval misses far more often than 5 %."""
    values = normal(0.2)(np.random.default_rng(5), 0.0, (400, 1500))
    numbers = np.arange(1, 1501)
    means = values.cumsum(axis=1) / numbers
    off = np.abs(means) > 1.96 * 0.2 / np.sqrt(numbers)
    assert off[:, FEW_BLOCKS - 1 :].any(axis=1).mean() > 0.2


def test_a_strategy_that_is_better_is_found() -> None:
    values = normal(0.2)(np.random.default_rng(2), 0.08, (60, 400))
    assert first_answers(values, SequentialTest(0.05)).count("better") >= 57


def test_nothing_is_said_before_there_are_30_blocks() -> None:
    test = SequentialTest(0.01)
    assert test.answer(of_moments(29, 0.5, 0.01)) == "undecided"
    assert test.answer(of_moments(30, 0.5, 0.01)) == "better"
    assert all(math.isnan(end) for end in anytime_interval(of_moments(29, 0.5, 0.01)))
    assert test.llr(Sums(0, 0, 0, 1)) == 0.0


def test_no_spread_divides_by_nothing_and_is_not_trusted_too_early() -> None:
    test = SequentialTest(0.01)
    assert bounded_variance(sums([0] * 50)) == pytest.approx(1 / 50)
    # A strategy that gains 0.3 in one deal of 30 is as good as the margin: 40 even blocks say little.
    assert test.answer(sums([0] * 40)) == "undecided"
    assert test.answer(sums([0] * 300)) == "not better"
    assert test.answer(sums([500] * 300)) == "better"
    low, high = anytime_interval(sums([0] * 300))
    assert low == -high
    assert high < 0.02


def test_the_radius_is_smallest_relative_to_the_fixed_one_where_it_should_be() -> None:
    ratio = {n: anytime_radius(n, 0.05) * math.sqrt(n) for n in (100, 1000, 10_000)}
    assert min(ratio, key=ratio.__getitem__) == 1000
    assert 2.8 < ratio[1000] < 3.2


def test_expected_blocks_left_agree_with_a_simulation() -> None:
    test = SequentialTest(0.02)
    rng = np.random.default_rng(3)
    for mean in (-0.02, 0.01, 0.03):
        seen = of_moments(400, mean, 0.5)
        low, high = test.bounds
        drift, deviation = test.llr(seen) / 400, 0.02 / math.sqrt(bounded_variance(seen))
        paths = test.llr(seen) + rng.normal(drift, deviation, (500, 20_000)).cumsum(axis=1)
        lengths = ((paths <= low) | (paths >= high)).argmax(axis=1)
        # A walk oversteps its bounds by about half a step, which Brownian motion does not.
        assert test.blocks_left(seen) == pytest.approx(lengths.mean(), rel=0.12)
    assert test.blocks_left(of_moments(400, 0.6, 0.05)) == 0.0
    assert math.isnan(test.blocks_left(of_moments(1, 0.6, 0.05)))


@pytest.mark.parametrize("wrong", [{"margin": 0.0}, {"margin": 1.5}, {"alpha": 0.0}, {"beta": 0.7}])
def test_impossible_tests_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        SequentialTest(**{"margin": 0.01, **wrong})
