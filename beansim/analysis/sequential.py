"""Testing while playing: a sequential test, and intervals that hold whenever one stops.

The values are block values of a difference that lies between -1 and 1, so a block is as good as any other
and their mean and variance say all that is needed.

- `SequentialTest` is a generalised sequential probability ratio test (GSPRT): of two means, 0 and `margin`,
  with the variance estimated from the blocks. It stops as soon as the log-likelihood ratio (LLR) leaves
  its bounds.
- `anytime_interval` is an asymptotic confidence sequence: it holds the mean at all times at once with
  probability 1 - alpha, so it is valid at whatever deal the test (or the user) stops.

Both take the variance to be `WIDEST ** 2 / blocks` larger than it was seen to be, as if one more block had
lain as far off as a block can. Without that, strategies that differ in one deal of a hundred look exactly
even for the first fifty blocks, and a test that trusts the zero variance of these stops there.

References:
    Wald (1947), Sequential analysis.
    Ville (1939), Etude critique de la notion de collectif: a likelihood ratio exceeds 1 / alpha at any
        time with probability alpha at most.
    Li, Liu, Ying (2014), Generalized sequential probability ratio test for separate families of
        hypotheses, Sequential Analysis 33.
    Robbins (1970), Statistical methods related to the law of the iterated logarithm, Ann. Math. Stat. 41.
    Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas (2024), Time-uniform central limit theory and asymptotic
        confidence sequences, Ann. Stat. 52, (2.4) and (2.7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from beansim.analysis.intervals import FEW_BLOCKS, LEVEL, Sums
from beansim.errors import InputError

WIDEST = 1.0
"""The farthest that a block value can lie from the mean of a difference of win shares that is about 0."""

TIGHTEST = 1000
"""Blocks at which a confidence sequence is as narrow as it can be made."""

Answer: TypeAlias = Literal["better", "not better", "undecided"]


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Is the mean of the block values at least `margin`, or is it not above 0?

    Attributes:
        margin: smallest difference that matters, above 0.
        alpha: probability, at most, of "better" where the mean is 0 or less.
        beta: probability, at most, of "not better" where the mean is `margin` or more.
    """

    margin: float
    alpha: float = 1 - LEVEL
    beta: float = 1 - LEVEL

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise InputError(f"the margin is {self.margin}, expected a difference of win shares from 0 to 1")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                value = getattr(self, name)
                raise InputError(f"{name} is {value}, expected the probability of an error, from 0 to 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the LLR: "not better" at the lower one, "better" at the upper one.

        By Ville's inequality; Wald's, which are a little nearer to 0, keep the errors only approximately.
        """
        return math.log(self.beta), -math.log(self.alpha)

    def llr(self, sums: Sums) -> float:
        """Log-likelihood ratio of a mean of `margin` against one of 0; 0 without blocks."""
        if not sums.blocks:
            return 0.0
        return sums.blocks * self._drift(sums)

    def answer(self, sums: Sums) -> Answer:
        """What the blocks so far say; nothing before there are `FEW_BLOCKS` of them."""
        low, high = self.bounds
        if sums.blocks < FEW_BLOCKS or low < self.llr(sums) < high:
            return "undecided"
        return "better" if self.llr(sums) >= high else "not better"

    def blocks_left(self, sums: Sums) -> float:
        """Expected number of blocks until the test stops, if the mean is what it seems to be.

        The LLR is taken for a Brownian motion between the bounds (Wald 1947, appendix).
        """
        if sums.blocks < 2:
            return math.nan
        (low, high), here, drift = self.bounds, self.llr(sums), self._drift(sums)
        if not low < here < high:
            return 0.0
        below, above = here - low, high - here
        variance = self.margin**2 / bounded_variance(sums)
        pull = 2 * drift / variance
        if abs(pull) * (high - low) < 1e-6:
            return below * above / variance
        # exp of a large number is not needed: from so far on the end is certain
        rises = -math.expm1(-pull * below) / -math.expm1(-pull * (high - low)) if pull > -50 else 0.0
        return (rises * (high - low) - below) / drift

    def _drift(self, sums: Sums) -> float:
        """What one more block adds to the LLR on average."""
        return self.margin * (sums.mean - self.margin / 2) / bounded_variance(sums)


def bounded_variance(sums: Sums) -> float:
    """Variance of a block value, as if one more block lay as far from the mean as a block can."""
    seen = sums.spread / (sums.blocks * sums.divisor) ** 2
    return seen + WIDEST**2 / sums.blocks


def anytime_interval(sums: Sums, alpha: float = 1 - LEVEL) -> tuple[float, float]:
    """Interval for the mean that is valid at all times at once; NaN with fewer than `FEW_BLOCKS` blocks.

    It is Robbins's normal mixture with the variance estimated, made narrowest at `TIGHTEST` blocks.
    """
    if sums.blocks < FEW_BLOCKS:
        return math.nan, math.nan
    half = anytime_radius(sums.blocks, alpha) * math.sqrt(bounded_variance(sums))
    return sums.mean - half, sums.mean + half


def anytime_radius(blocks: int, alpha: float) -> float:
    """Half-width of the confidence sequence in standard deviations of a block value."""
    wanted = -2 * math.log(alpha)
    mixed = blocks * (wanted + math.log(wanted + 1)) / TIGHTEST
    return math.sqrt((mixed + 1) / mixed / blocks * 2 * math.log(math.sqrt(mixed + 1) / alpha))
