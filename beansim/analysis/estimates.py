"""Estimates of one arm and differences within a block, from a tally.

The mean of a metric over a group of seats (a strategy, a seat, an entry, a strategy in a seat), a
metric of the games, a ratio of two of them, and the difference between two groups of the same blocks.
"""

from __future__ import annotations

import math
from dataclasses import replace

from beansim.analysis.intervals import (
    LEVEL,
    Estimate,
    Sums,
    combine_errors,
    share_interval,
    t_interval,
    t_quantile,
)
from beansim.analysis.metrics import GAME, SEAT
from beansim.errors import InputError, unknown
from beansim.simulate.layout import SEAT_METRICS, Group
from beansim.simulate.tallies import Tally


def strategy(label: str) -> Group:
    """The seats of a strategy, all its copies together."""
    return Group("strategy", label)


def seat(number: int) -> Group:
    """One seat, counted clockwise from the start seat, which is 0."""
    return Group("seat", seat=number)


def sums_of(tally: Tally, metric: str, group: Group) -> Sums:
    """Exact moments of a seat metric over a group."""
    row, column = _row(metric), tally.layout.column(group)
    return Sums(
        tally.blocks,
        int(tally.arrays["sums"][row, column]),
        int(tally.arrays["products"][row, tally.layout.pairs[group, group]]),
        _weight(tally, group) * SEAT[metric].divisor,
    )


def estimate(tally: Tally, metric: str, group: Group, level: float = LEVEL) -> Estimate:
    """Mean of a seat metric over a group, with its interval.

    Args:
        tally: an arm's tally.
        metric: a name out of `metrics.SEAT`.
        group: whose seats; InputError when the arm has no such group.
        level: of the interval.
    """
    sums = sums_of(tally, metric, group)
    games = tally.blocks * _weight(tally, group)
    plain = _plain_error(tally, metric, group)
    if SEAT[metric].share:
        low, high, method = share_interval(sums, games, level)
    else:
        low, high, method = t_interval(sums, level)
    return Estimate(sums.mean, low, high, sums.error, plain, sums.blocks, games, method)


def ahead(tally: Tally, one: str, other: str, level: float = LEVEL) -> Estimate:
    """Share of the meetings in which a seat of `one` ends with more coins than one of `other`; even is half.

    A meeting is a game and a pair of their seats; as many coins count half. InputError when the arm has
    no such strategy.
    """
    labels = tally.layout.labels
    row, column = (tally.layout.strategies.index(_known(tally, label)) for label in (one, other))
    meetings = labels.count(one) * labels.count(other) * len(tally.layout.seatings)
    total, squares = (int(tally.arrays[name][row, column]) for name in ("ahead", "ahead_squares"))
    sums = Sums(tally.blocks, total, squares, 2 * meetings)
    games = tally.blocks * meetings
    low, high, method = share_interval(sums, games, level)
    return Estimate(sums.mean, low, high, sums.error, math.nan, sums.blocks, games, method)


def _known(tally: Tally, label: str) -> str:
    if label not in tally.layout.strategies:
        raise unknown("strategy", label, tally.layout.strategies)
    return label


def game_sums(tally: Tally, metric: str) -> Sums:
    """Exact moments of a game metric (run-outs' turns included)."""
    row = _game_row(tally, metric)
    return Sums(
        tally.blocks,
        int(tally.arrays["game_sums"][row]),
        int(tally.arrays["game_products"][row, row]),
        len(tally.layout.seatings),
    )


def game_estimate(tally: Tally, metric: str, level: float = LEVEL) -> Estimate:
    """Mean of a game metric, with its interval."""
    sums = game_sums(tally, metric)
    games = tally.blocks * sums.divisor
    squares = int(tally.arrays["game_singles"][_game_row(tally, metric)])
    low, high, method = t_interval(sums, level)
    plain = Sums(games, sums.total, squares, 1).error
    return Estimate(sums.mean, low, high, sums.error, plain, sums.blocks, games, method)


def game_ratio(tally: Tally, top: str, bottom: str, level: float = LEVEL) -> Estimate:
    """Ratio of two game metrics, e.g. deals a turn (not the mean of the games' own ratios).

    The error is that of Cochran's linear approximation.
    """
    upper, lower = game_sums(tally, top), game_sums(tally, bottom)
    product = int(tally.arrays["game_products"][_game_row(tally, top), _game_row(tally, bottom)])
    found = ratio(upper, lower, product, level)
    return replace(found, games=tally.blocks * upper.divisor)


def ratio(upper: Sums, lower: Sums, product: int, level: float = LEVEL) -> Estimate:
    """Ratio of two means over the same blocks; `product` is the sum of products of block values."""
    if lower.total == 0 or upper.blocks < 2:
        return Estimate(math.nan, math.nan, math.nan, math.nan, math.nan, upper.blocks, 0, "none")
    # Residuals are upper - R * lower with R = upper.total / lower.total; times lower.total, they are whole.
    a, b = lower.total, upper.total
    squares = a * a * upper.squares - 2 * a * b * product + b * b * lower.squares
    residuals = Sums(upper.blocks, 0, squares, abs(a))
    scale = lower.divisor / upper.divisor
    mean = b / a * scale
    error = residuals.error / abs(a) * upper.blocks * scale
    if squares == 0:
        return Estimate(mean, mean, mean, 0.0, math.nan, upper.blocks, 0, "constant")
    half = t_quantile(upper.blocks - 1, level) * error
    return Estimate(mean, mean - half, mean + half, error, math.nan, upper.blocks, 0, "t")


def difference(tally: Tally, metric: str, left: Group, right: Group, level: float = LEVEL) -> Estimate:
    """Mean of `left` minus mean of `right` within the same blocks (two groups of one family)."""
    if (left, right) not in tally.layout.pairs:
        raise InputError(f"{left} and {right} cannot be compared within a block")
    product = int(tally.arrays["products"][_row(metric), tally.layout.pairs[left, right]])
    sums = subtract(sums_of(tally, metric, left), sums_of(tally, metric, right), product)
    plain = combine_errors(_plain_error(tally, metric, left), _plain_error(tally, metric, right))
    games = tally.blocks * (_weight(tally, left) + _weight(tally, right))
    return difference_estimate(sums, plain, games, level)


def subtract(left: Sums, right: Sums, product: int) -> Sums:
    """Exact moments of the difference of two means per seat and game over the same blocks."""
    a, b = right.divisor, left.divisor
    return Sums(
        left.blocks,
        a * left.total - b * right.total,
        a * a * left.squares - 2 * a * b * product + b * b * right.squares,
        a * b,
    )


def difference_estimate(sums: Sums, plain: float, games: int, level: float = LEVEL) -> Estimate:
    """The estimate of a difference whose moments are known."""
    low, high, method = t_interval(sums, level)
    return Estimate(sums.mean, low, high, sums.error, plain, sums.blocks, games, method, difference=True)


def _row(metric: str) -> int:
    if metric not in SEAT:
        raise unknown("metric of a seat", metric, SEAT)
    return SEAT_METRICS.index(SEAT[metric].column)


def _game_row(tally: Tally, metric: str) -> int:
    if metric not in tally.layout.game_metrics:
        raise unknown("metric of a game", metric, (*GAME, *tally.layout.game_metrics))
    return tally.layout.game_metrics.index(metric)


def _weight(tally: Tally, group: Group) -> int:
    return int(tally.layout.weights[tally.layout.column(group)])


def _plain_error(tally: Tally, metric: str, group: Group) -> float:
    row, column = _row(metric), tally.layout.column(group)
    games = tally.blocks * _weight(tally, group)
    total, squares = (int(tally.arrays[name][row, column]) for name in ("sums", "singles"))
    return Sums(games, total, squares, SEAT[metric].divisor).error
