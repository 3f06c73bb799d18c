"""How many deals a difference takes to be seen, from a pilot.

A difference is tested by a two-sided t test on block values, so all that counts is its standard deviation
over blocks, which a pilot tells. The power of the test follows from the noncentral t distribution. A
pilot's standard deviation is itself uncertain, and a plan that takes it at its word is too small half the
time: the *safe* number of deals takes the upper 80 % limit instead.

References:
    Cohen (1988), Statistical power analysis for the behavioral sciences, ch. 2.
    Browne (1995), On the use of a pilot sample for sample size determination, Stat. Med. 14.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from beansim.analysis.comparisons import between
from beansim.analysis.estimates import difference, strategy
from beansim.analysis.intervals import FEW_BLOCKS, Estimate
from beansim.analysis.metrics import SEAT, find_metric
from beansim.errors import InputError
from beansim.experiment import Experiment
from beansim.simulate.chunks import Chunk
from beansim.simulate.layout import Group
from beansim.simulate.looks import Ways, play_looks
from beansim.simulate.tallies import Tallies, common_keys, cross_pairs

SAFETY = 0.8
"""Probability that the safe number of deals is enough, given that the pilot was what it was."""

MOST_DEALS = 10**12


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be seen.

    Attributes:
        difference: size of the difference, in the metric's unit.
        alpha: level of the two-sided test.
        power: probability of seeing it where it is real.
    """

    difference: float
    alpha: float = 0.05
    power: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.difference < math.inf:
            raise InputError(f"the difference is {self.difference}, expected a number above 0")
        for name in ("alpha", "power"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}, expected a probability from 0 to 1")
        if self.power <= self.alpha:
            raise InputError(f"a power of {self.power} is had by guessing at alpha {self.alpha}")


@dataclass(frozen=True, slots=True)
class Need:
    """How many deals one comparison takes.

    Attributes:
        what: the comparison in words.
        pilot: the difference as the pilot saw it.
        deviation: standard deviation of its block values; NaN with fewer than two blocks.
        deals: that give the power wanted if the deviation is just that; None where it is not known.
        safe_deals: that are enough with probability `SAFETY`.
    """

    what: str
    pilot: Estimate
    deviation: float
    deals: int | None
    safe_deals: int | None


def play_pilot(experiment: Experiment, ways: Ways | None = None) -> Tallies:
    """Play all deals of `experiment` in memory."""
    (tallies,) = play_looks(experiment, [Chunk(0, 0, experiment.deals)], Tallies.of, ways)
    assert isinstance(tallies, Tallies)
    return tallies


def needs(tallies: Tallies, names: list[str], metric: str, goal: Goal) -> list[Need]:
    """What every comparison of a pilot takes.

    Args:
        tallies: of the pilot.
        names: of its arms.
        metric: of a seat or of a game.
        goal: what is to be seen.
    """
    find_metric(metric)
    found = [*_within(tallies, names, metric), *_between(tallies, names, metric)]
    if not found:
        raise InputError(
            f"there is nothing to compare in {metric}: take two different strategies, or two variants"
        )
    return [need(what, pilot, goal) for what, pilot in found]


def need(what: str, pilot: Estimate, goal: Goal) -> Need:
    """What one comparison takes, from its pilot."""
    deviation = pilot.error * math.sqrt(pilot.blocks)
    if math.isnan(deviation):
        return Need(what, pilot, deviation, None, None)
    safe = deviation * safety_factor(pilot.blocks)
    return Need(what, pilot, deviation, deals_needed(deviation, goal), deals_needed(safe, goal))


def deals_needed(deviation: float, goal: Goal) -> int:
    """Fewest deals that give the power wanted, `FEW_BLOCKS` at least; InputError when it is beyond reach."""
    low, high = 1, FEW_BLOCKS
    while power_of(high, deviation, goal) < goal.power:
        low, high = high, 2 * high
        if high > MOST_DEALS:
            raise InputError(
                f"a difference of {goal.difference:g} takes more than {MOST_DEALS:,} deals to be seen"
            )
    while high - low > 1:
        middle = (low + high) // 2
        enough = power_of(middle, deviation, goal) >= goal.power
        low, high = (low, middle) if enough else (middle, high)
    return max(high, FEW_BLOCKS)


def power_of(deals: int, deviation: float, goal: Goal) -> float:
    """Probability that a two-sided t test on so many blocks sees the difference."""
    from scipy.special import stdtrit
    from scipy.stats import nct

    if deals < 2:
        return 0.0
    if not deviation:
        return 1.0
    border = float(stdtrit(deals - 1, 1 - goal.alpha / 2))
    shift = goal.difference / deviation * math.sqrt(deals)
    # Beyond this, scipy's noncentral t loses digits, and the answer is 1 to all of them.
    if shift > border + 30:
        return 1.0
    return float(nct.sf(border, deals - 1, shift) + nct.cdf(-border, deals - 1, shift))


def safety_factor(blocks: int) -> float:
    """Upper limit of a standard deviation over the one seen in a pilot of so many blocks."""
    from scipy.special import chdtri

    # chdtri(v, p) is the value that chi-square exceeds with probability p
    return math.sqrt((blocks - 1) / float(chdtri(blocks - 1, SAFETY)))


def _within(tallies: Tallies, names: list[str], metric: str) -> Iterator[tuple[str, Estimate]]:
    """Between the strategies of each arm, in the same blocks."""
    if metric not in SEAT:
        return
    for name, tally in zip(names, tallies.arms, strict=True):
        labels = tally.layout.strategies
        for place, left in enumerate(labels):
            for right in labels[place + 1 :]:
                found = difference(tally, metric, strategy(left), strategy(right))
                yield f"{left} - {right}, in {name}", found


def _between(tallies: Tallies, names: list[str], metric: str) -> Iterator[tuple[str, Estimate]]:
    """Between arms, on common deals."""
    for left, right in cross_pairs(len(names)):
        layouts = [tallies.arms[arm].layout for arm in (left, right)]
        groups: list[Group | None] = [None]
        if metric in SEAT:
            groups = [strategy(label) for label in layouts[0].strategies]
        column = SEAT[metric].column if metric in SEAT else metric
        for group in groups:
            if (column, group) in common_keys(*layouts):
                who = group.strategy if group else "games"
                found = between(tallies, right, left, metric, group)
                yield f"{who}, {names[right]} - {names[left]}", found
