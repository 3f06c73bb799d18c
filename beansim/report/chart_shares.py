"""Charts of win shares: by strategy, by seat, and how the estimate settles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from beansim.analysis.convergence import Settling
from beansim.analysis.estimates import estimate, seat, strategy
from beansim.analysis.intervals import Estimate
from beansim.analysis.run import Run
from beansim.report.chart_base import (
    ARM_COLORS,
    FAINT,
    INK,
    INTERVAL,
    MOST_ROWS,
    Look,
    arm_names,
    dress,
    figure,
    footnote,
    headline,
    labels,
    legend,
    legends,
    look,
    panels,
    shown,
    strategy_looks,
)
from beansim.report.numbers import count, number
from beansim.simulate.tallies import Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ARMS = len(ARM_COLORS)
"""Arms that stand side by side in one panel."""


def win_share(run: Run) -> Figure:
    """Forest plot: win share of every strategy in every arm with its interval, and the even share."""
    rows = [(arm, label) for arm, tally in enumerate(run.tallies.arms) for label in tally.layout.strategies]
    listed = rows[:MOST_ROWS]
    headings = sum(1 for place, (arm, _) in enumerate(listed) if not place or listed[place - 1][0] != arm)
    made = figure(1.2 + 0.26 * (len(listed) + headings))
    axes = made.subplots()
    _forest(axes, run, listed)
    dress(axes, x="win share (% of the games of a seat)")
    axes.grid(False, axis="y")
    headline(made, "Win share by strategy")
    more = "" if len(listed) == len(rows) else f"; the first {len(listed)} of {len(rows)} rows"
    footnote(made, run, f"{INTERVAL}; dotted: an even share{more}")
    return made


def _forest(axes: Axes, run: Run, rows: list[tuple[int, str]]) -> None:
    looks, names, arms = strategy_looks(run), labels(run), arm_names(run, 40)
    ticks: list[tuple[str, str]] = []
    points: list[tuple[int, Estimate, Look]] = []
    evens: list[float] = []
    for place, (arm, label) in enumerate(rows):
        if not place or rows[place - 1][0] != arm:
            ticks.append((arms[arm], "bold"))
        found = estimate(run.tally(arm), "win_share", strategy(label))
        points.append((len(ticks), found, looks[label]))
        evens.append(100 / run.tally(arm).layout.players)
        ticks.append((names[label], "normal"))
    places = np.array([y for y, _, _ in points])
    axes.vlines(evens, places - 0.5, places + 0.5, colors=FAINT, linestyles=":", linewidth=1.2)
    _intervals(axes, points)
    axes.set_yticks(range(len(ticks)), [text for text, _ in ticks])
    for tick, (_, weight) in zip(axes.get_yticklabels(), ticks, strict=True):
        tick.set_fontweight(weight)
    axes.set_ylim(len(ticks) - 0.4, -0.6)


def _intervals(axes: Axes, points: list[tuple[int, Estimate, Look]]) -> None:
    """Marks with their intervals, and the values beside the panel."""
    known = [(y, found, how.color) for y, found, how in points if not math.isnan(found.low)]
    if known:
        places = np.array([y for y, _, _ in known])
        low, high = (
            100 * np.array(ends) for ends in zip(*((f.low, f.high) for _, f, _ in known), strict=True)
        )
        colors = [color for _, _, color in known]
        axes.hlines(places, low, high, colors=colors, linewidth=1.6)
        for end in (low, high):
            axes.vlines(end, places - 0.13, places + 0.13, colors=colors, linewidth=1.2)
    for y, found, how in points:
        axes.plot(100 * found.mean, y, marker=how.mark, color=how.color, markersize=5)
        axes.text(
            1.01, y, _value(found), transform=axes.get_yaxis_transform(), fontsize=8, va="center", color=INK
        )


def _value(found: Estimate) -> str:
    return f"{number(100 * found.mean, 1)} %"


def seats(run: Run) -> Figure:
    """Seat effect: what each seat wins over an even share, by arm, with intervals."""
    made = figure(3.4)
    axes = made.subplots()
    arms = list(zip(arm_names(run), run.tallies.arms, strict=True))[:MOST_ARMS]
    for place, (name, tally) in enumerate(arms):
        _seat_points(axes, tally, look(place, ARM_COLORS), name, 0.12 * (place - (len(arms) - 1) / 2))
    most = max(tally.layout.players for _, tally in arms)
    axes.axhline(0, color=FAINT, linestyle=":", linewidth=1.2)
    axes.set_xticks(
        range(most), [f"seat {number}" + (" (starts)" if not number else "") for number in range(most)]
    )
    axes.set_xlim(-0.6, most - 0.4)
    dress(axes, x="seat, clockwise", y="wins in 100 over an even share")
    legend(axes)
    headline(made, "Seat effect by arm")
    footnote(made, run, INTERVAL, len(arms))
    return made


def _seat_points(axes: Axes, tally: Tally, how: Look, name: str, shift: float) -> None:
    players = tally.layout.players
    found = [estimate(tally, "win_share", seat(place)) for place in range(players)]
    # Without an interval the lengths are NaN, and no bar is drawn.
    reach = [[one.mean - one.low for one in found], [one.high - one.mean for one in found]]
    axes.errorbar(
        np.arange(players) + shift,
        [100 * (one.mean - 1 / players) for one in found],
        yerr=100 * np.maximum(0.0, reach),
        fmt=how.mark,
        color=how.color,
        capsize=3,
        markersize=5,
        label=name,
    )


def convergence(run: Run) -> Figure:
    """How the win share of each strategy settles with the number of blocks, with the interval as a band."""
    made, axes = panels(run, 2.3, sharex=True)
    looks, names, settling = strategy_looks(run), labels(run, 20), Settling(run)
    for arm, (panel, name, tally) in enumerate(shown(run, axes)):
        for label in tally.layout.strategies:
            found = settling.win_shares(arm, label)
            if found:
                _settle(panel, found, looks[label], names[label])
        dress(panel, name, y="win share (%)")
    legends(axes)
    axes[-1].set_xlabel("blocks played so far", fontsize=9)
    if any(panel.has_data() for panel in axes):
        _by_ratios(axes[-1])
    headline(made, "How the win share settles")
    steps = "" if settling.first_blocks else "; by chunks: this run keeps no single games"
    footnote(made, run, f"bands: 95 % intervals on block values at that point{steps}", len(axes))
    return made


def _by_ratios(axes: Axes) -> None:
    """A scale of ratios below the panels, with whole numbers of blocks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: count(round(value))))


def _settle(axes: Axes, found: list[Estimate], how: Look, name: str) -> None:
    blocks = [one.blocks for one in found]
    low, high = [100 * one.low for one in found], [100 * one.high for one in found]
    axes.fill_between(blocks, low, high, color=how.color, alpha=0.18, linewidth=0)
    means = [100 * one.mean for one in found]
    axes.plot(blocks, means, color=how.color, linestyle=how.style, linewidth=1.6, label=name)
