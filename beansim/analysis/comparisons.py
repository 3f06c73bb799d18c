"""Paired differences between arms over the deals that they all played.

Every arm plays the same deals, so the difference of two arms is taken deal by deal: luck that both
share drops out. Only deals in which no arm had a game with an error count (`CrossTally`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from beansim.analysis.estimates import difference_estimate, ratio, subtract
from beansim.analysis.intervals import LEVEL, Estimate, Sums, combine_errors, holm, p_value
from beansim.analysis.metrics import GAME, SEAT, Metric, find_metric
from beansim.errors import InputError, unknown
from beansim.simulate.layout import SEAT_METRICS, Group, Layout
from beansim.simulate.tallies import (
    CrossKey,
    CrossTally,
    Tallies,
    Tally,
    common_keys,
    cross_keys,
    cross_pairs,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A difference with what it is a difference of.

    Attributes:
        metric: what is compared.
        left, right: numbers of the arms, or groups of one arm; the estimate is left minus right.
        group: the group compared between two arms; `None` for a metric of the games.
        estimate: the difference.
        p: two-sided p value of no difference; NaN where there is no spread.
        adjusted: the same, adjusted by Holm for all comparisons of its table and metric.
    """

    metric: Metric
    left: int | Group
    right: int | Group
    group: Group | None
    estimate: Estimate
    p: float
    adjusted: float = math.nan

    @property
    def settled(self) -> bool:
        """Whether the difference is beyond doubt, all comparisons of its table and metric considered."""
        if self.estimate.method == "constant":
            return self.estimate.mean != 0
        return self.adjusted < 1 - LEVEL

    @property
    def note(self) -> str:
        """What a reader must know; also where only the comparison alone would leave no doubt."""
        lost = self.estimate.clear and not math.isnan(self.adjusted) and not self.settled
        return "; ".join(
            part for part in ("undecided after Holm" if lost else "", self.estimate.note) if part
        )


def between(
    tallies: Tallies, left: int, right: int, metric: str, group: Group | None = None, *, level: float = LEVEL
) -> Estimate:
    """Mean in arm `left` minus mean in arm `right` on common deals.

    Args:
        tallies: of the whole run.
        left, right: numbers of the arms.
        metric: of a seat, with its `group`; or of a game, without one.
        group: a strategy, entry or seat that both arms have.
        level: of the interval.
    """
    upper, lower, product = _pair(tallies.cross, left, right, metric, group)
    plain = combine_errors(*(_plain_error(tallies.arms[arm], metric, group) for arm in (left, right)))
    games = upper.blocks * (upper.divisor + lower.divisor) // find_metric(metric).divisor
    return difference_estimate(subtract(upper, lower, product), plain, games, level)


def relative(
    tallies: Tallies, left: int, right: int, metric: str, group: Group | None = None, *, level: float = LEVEL
) -> Estimate:
    """How much larger the mean of `left` is than that of `right`, as a share of it (-0.36: 36 % less)."""
    upper, lower, product = _pair(tallies.cross, left, right, metric, group)
    found = ratio(upper, lower, product, level)
    shifted = {name: getattr(found, name) - 1 for name in ("mean", "low", "high")}
    return replace(found, **shifted, difference=True)


def compare(
    tallies: Tallies, metric: str, groups: list[Group | None], pairs: list[tuple[int, int]]
) -> list[Comparison]:
    """All differences of one metric between pairs of arms, with p values adjusted together.

    Groups that a pair does not have in common are left out.
    """
    found = []
    for left, right in pairs:
        known = common_keys(tallies.arms[left].layout, tallies.arms[right].layout)
        for group in groups:
            if (_column(metric), group) in known:
                value = between(tallies, left, right, metric, group)
                found.append(Comparison(find_metric(metric), left, right, group, value, p_value(value)))
    return adjust(found)


def adjust(comparisons: list[Comparison]) -> list[Comparison]:
    """The same comparisons with Holm's adjustment over all of them."""
    values = holm([one.p for one in comparisons])
    return [replace(one, adjusted=value) for one, value in zip(comparisons, values, strict=True)]


def _pair(
    cross: CrossTally, left: int, right: int, metric: str, group: Group | None
) -> tuple[Sums, Sums, int]:
    key = (_column(metric), group)
    swapped = left > right
    pair = (right, left) if swapped else (left, right)
    pairs = cross_pairs(len(cross.layouts))
    if pair not in pairs:
        raise InputError(
            f"arms {left} and {right} were not compared: of many arms, only the first with each other"
        )
    keys = _places(cross.layouts[pair[0]], cross.layouts[pair[1]])
    if key not in keys:
        raise InputError(f"arms {left} and {right} do not both have {metric} of {group}")
    product = int(cross.products[pairs.index(pair)][keys[key]])
    return _sums(cross, left, key), _sums(cross, right, key), product


def _sums(cross: CrossTally, arm: int, key: CrossKey) -> Sums:
    layout = cross.layouts[arm]
    place = _places(layout, layout)[key]
    total, squares = (int(part[arm][place]) for part in (cross.sums, cross.squares))
    return Sums(cross.blocks, total, squares, divisor_of(layout, key))


def divisor_of(layout: Layout, key: CrossKey) -> int:
    """What a block value of `key` is divided by to get the mean per seat and game."""
    column, group = key
    if group is None:
        return len(layout.seatings)
    units = next(metric.divisor for metric in SEAT.values() if metric.column == column)
    return int(layout.weights[layout.column(_own(layout, group))]) * units


@lru_cache(maxsize=1024)
def _places(left: Layout, right: Layout) -> dict[CrossKey, int]:
    keys = cross_keys(left) if left is right else common_keys(left, right)
    return {key: place for place, key in enumerate(keys)}


def _own(layout: Layout, group: Group) -> Group:
    """An entry is compared under its number alone; in its arm it also has its strategy's name."""
    if group.by != "entry" or group.entry is None:
        return group
    return Group("entry", layout.labels[group.entry], entry=group.entry)


def _column(metric: str) -> str:
    if metric in SEAT:
        return SEAT[metric].column
    if metric in GAME or metric.startswith("run_out_"):
        return metric
    raise unknown("metric", metric, (*SEAT, *GAME))


def _plain_error(tally: Tally, metric: str, group: Group | None) -> float:
    """Standard error of one arm as if all its games were independent."""
    layout = tally.layout
    if group is None:
        row = layout.game_metrics.index(metric)
        total, squares = (int(tally.arrays[name][row]) for name in ("game_sums", "game_singles"))
        return Sums(tally.blocks * len(layout.seatings), total, squares, 1).error
    row, column = SEAT_METRICS.index(_column(metric)), layout.column(_own(layout, group))
    total, squares = (int(tally.arrays[name][row, column]) for name in ("sums", "singles"))
    return Sums(tally.blocks * int(layout.weights[column]), total, squares, SEAT[metric].divisor).error
