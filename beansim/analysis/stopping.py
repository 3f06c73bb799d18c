"""Judges whether a run may stop: every interval is as narrow as `[stop]` asks for, or its time is up.

Stopping as soon as an interval is narrow enough leaves its coverage what it was, but for few blocks:
Chow and Robbins (1965), On the asymptotic theory of fixed-width sequential confidence intervals for the
mean, Ann. Math. Stat. 36. So nothing stops before there are `FEW_BLOCKS` blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from beansim.analysis.comparisons import between
from beansim.analysis.estimates import difference, estimate, game_estimate, strategy
from beansim.analysis.intervals import FEW_BLOCKS, Estimate
from beansim.analysis.metrics import SEAT, find_metric
from beansim.errors import InputError
from beansim.experiment import Experiment
from beansim.simulate.layout import Group
from beansim.simulate.tallies import Tallies, common_keys, cross_pairs
from beansim.stop import Stop


def judge_of(experiment: Experiment) -> Callable[[Tallies, float], str] | None:
    """What says when a run of `experiment` may stop; None where it plays all its deals.

    InputError for an unknown metric, or when there is no difference to look at.
    """
    stop = experiment.stop
    if stop is None:
        return None
    find_metric(stop.metric)
    if stop.of == "differences" and not _has_differences(experiment, stop):
        raise InputError(f"{experiment.where}: [stop] of differences: there are no two arms or strategies")

    def judge(tallies: Tallies, seconds: float) -> str:
        if stop.half_width is not None and widest(tallies, stop) <= stop.half_width:
            return "half_width"
        return "max_time" if stop.max_time is not None and seconds >= stop.max_time else ""

    return judge


def _has_differences(experiment: Experiment, stop: Stop) -> bool:
    if len(experiment.arms) > 1:
        return True
    return stop.metric in SEAT and len(set(experiment.arms[0].players)) > 1


def widest(tallies: Tallies, stop: Stop) -> float:
    """Half the width of the widest interval that counts; infinite where one has too few blocks."""
    found = _means(tallies, stop.metric) if stop.of == "means" else _differences(tallies, stop.metric)
    widths = [one.half_width if one.blocks >= FEW_BLOCKS else math.inf for one in found]
    return max(widths, default=math.inf)


def _means(tallies: Tallies, metric: str) -> Iterator[Estimate]:
    for tally in tallies.arms:
        if metric not in SEAT:
            yield game_estimate(tally, metric)
            continue
        for label in tally.layout.strategies:
            yield estimate(tally, metric, strategy(label))


def _differences(tallies: Tallies, metric: str) -> Iterator[Estimate]:
    """Between arms where there are several, else between the strategies of the one arm."""
    if len(tallies.arms) > 1:
        yield from _arm_differences(tallies, metric)
        return
    (tally,) = tallies.arms
    labels = tally.layout.strategies
    for place, left in enumerate(labels):
        for right in labels[place + 1 :]:
            yield difference(tally, metric, strategy(left), strategy(right))


def _arm_differences(tallies: Tallies, metric: str) -> Iterator[Estimate]:
    for left, right in cross_pairs(len(tallies.arms)):
        layouts = [tallies.arms[arm].layout for arm in (left, right)]
        groups: list[Group | None] = [None]
        if metric in SEAT:
            groups = [strategy(label) for label in layouts[0].strategies]
        for group in groups:
            column = SEAT[metric].column if metric in SEAT else metric
            if (column, group) in common_keys(*layouts):
                yield between(tallies, left, right, metric, group)
