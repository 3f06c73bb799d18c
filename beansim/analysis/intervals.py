"""Means and intervals from exact sums of block values.

Blocks are independent and equally distributed, so their mean has the usual standard error, and
Student's t interval (which is the normal one for all but few blocks). Games of one block share
their luck and are never counted as independent.

References:
    Student (1908), The probable error of a mean, Biometrika 6.
    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.
    Franco, Little, Louis, Slud (2019), Comparative study of confidence intervals for proportions in
        complex sample surveys, JSSAM 7: Wilson's interval with the effective sample size.
    Cochran (1977), Sampling techniques, 3rd ed., ch. 6: the ratio of two means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

LEVEL = 0.95
"""Every interval is a 95 % interval unless another level is asked for."""

FEW_BLOCKS = 30
"""With fewer blocks an estimate is called thin."""

RARE = 5
"""With fewer wins (or losses) than this, the variance of a share is not trusted to be small."""

Method: TypeAlias = Literal["t", "wilson", "constant", "none"]


@dataclass(frozen=True, slots=True)
class Sums:
    """Exact moments of integer block values.

    Attributes:
        blocks: number of blocks.
        total: sum of the block values.
        squares: sum of their squares.
        divisor: what a block value is divided by to get a mean per seat and game, in the metric's unit.
    """

    blocks: int
    total: int
    squares: int
    divisor: int

    @property
    def mean(self) -> float:
        """Mean per seat and game; NaN without blocks."""
        return self.total / (self.blocks * self.divisor) if self.blocks else math.nan

    @property
    def spread(self) -> int:
        """blocks * squares - total squared: 0 exactly when every block has the same value."""
        return self.blocks * self.squares - self.total * self.total

    @property
    def error(self) -> float:
        """Standard error of the mean; NaN with fewer than two blocks."""
        if self.blocks < 2:
            return math.nan
        # One division of whole numbers, so that the last bit does not depend on how they were added.
        return math.sqrt(self.spread / (self.blocks**2 * (self.blocks - 1))) / self.divisor


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean (or a difference of means, or a ratio) with its interval.

    Attributes:
        mean: the estimate.
        low, high: its interval; NaN when there are too few blocks for one.
        error: standard error from the blocks.
        plain_error: standard error as if all games were independent: wrong, shown beside the other.
        blocks: blocks it rests on.
        games: games of a seat it rests on.
        method: `t`; `wilson` for a share; `constant` when all blocks have one value; `none` without an
            interval.
        difference: whether it is a difference, of which 0 is the value that means nothing.
    """

    mean: float
    low: float
    high: float
    error: float
    plain_error: float
    blocks: int
    games: int
    method: Method
    difference: bool = False

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    @property
    def gain(self) -> float:
        """What blocks are worth: as good as this many times as many independent games (NaN if unknown)."""
        return worth_of_blocks(self.error, self.plain_error)

    @property
    def clear(self) -> bool:
        """Whether the interval of a difference leaves out zero."""
        return self.low > 0 or self.high < 0

    @property
    def _counted(self) -> str:
        return f"{self.blocks} block" if self.blocks == 1 else f"{self.blocks} blocks"

    @property
    def note(self) -> str:
        """What a reader must know: an undecided difference, too few blocks, or no spread at all."""
        if self.method == "constant" and self.blocks >= FEW_BLOCKS:
            return "exact: the same in every block"
        if self.method == "constant":
            return f"thin: {self._counted}, all the same"
        thin = f"thin: {self._counted}" if self.blocks < FEW_BLOCKS else ""
        undecided = "undecided" if self.difference and not self.clear else ""
        return "; ".join(part for part in (undecided, thin) if part)


def worth_of_blocks(error: float, plain_error: float) -> float:
    """How many times as many independent games the blocks are worth, from the two standard errors."""
    if not error > 0 or not plain_error > 0:
        return math.nan
    return (plain_error / error) ** 2


@lru_cache(maxsize=4096)
def t_quantile(freedom: int, level: float = LEVEL) -> float:
    """Half-width of a two-sided interval in standard errors, Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def t_interval(sums: Sums, level: float = LEVEL) -> tuple[float, float, Method]:
    """Student's t interval for the mean of the block values."""
    if sums.blocks < 2:
        return math.nan, math.nan, "none"
    if sums.spread == 0:
        return sums.mean, sums.mean, "constant"
    half = t_quantile(sums.blocks - 1, level) * sums.error
    return sums.mean - half, sums.mean + half, "t"


def share_interval(sums: Sums, games: int, level: float = LEVEL) -> tuple[float, float, Method]:
    """Wilson's interval for a share, with the number of independent games that the block variance implies.

    A share of 0 or 1 has no variance to go by: each block then counts as one game. With fewer
    than `RARE` wins or losses the effective number is at most that of the games played.
    """
    share = sums.mean
    if sums.blocks < 2:
        return math.nan, math.nan, "none"
    if sums.spread == 0 and 0 < share < 1:
        return share, share, "constant"
    quantile = t_quantile(sums.blocks - 1, level)
    effective = float(sums.blocks) if sums.spread == 0 else share * (1 - share) / sums.error**2
    if min(share, 1 - share) * games < RARE:
        effective = min(effective, float(games))
    return *wilson(share, effective, quantile), "wilson"


def wilson(share: float, number: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval for a share out of `number` independent trials (it need not be whole)."""
    square = quantile * quantile / number
    middle = (share + square / 2) / (1 + square)
    half = quantile / (1 + square) * math.sqrt(share * (1 - share) / number + square / (4 * number))
    return max(0.0, middle - half), min(1.0, middle + half)


def p_value(estimate: Estimate) -> float:
    """Two-sided p value of no difference (t test on block values); NaN when there is no spread."""
    from scipy.special import stdtr

    if not estimate.error > 0:
        return math.nan
    return float(2 * stdtr(estimate.blocks - 1, -abs(estimate.mean / estimate.error)))


def holm(values: list[float]) -> list[float]:
    """Adjust p values for comparing several at once; NaNs (nothing to test) stay and do not count.

    Reference: Holm (1979), A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6.
    """
    order = sorted((value, place) for place, value in enumerate(values) if not math.isnan(value))
    adjusted, highest = list(values), 0.0
    for passed, (value, place) in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - passed) * value))
        adjusted[place] = highest
    return adjusted


def combine_errors(*errors: float) -> float:
    """Standard error of a sum or difference of independent estimates."""
    return math.sqrt(sum(error * error for error in errors))
