"""Charts of win shares: by strategy, by seat, and how the estimate settles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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
    look,
    panels,
    shown,
    strategy_looks,
)
from beansim.report.numbers import number
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
    ticks: list[tuple[float, str, bool]] = []
    for place, (arm, label) in enumerate(rows):
        if not place or rows[place - 1][0] != arm:
            ticks.append((len(ticks), arms[arm], True))
        y = len(ticks)
        found = estimate(run.tally(arm), "win_share", strategy(label))
        even = 100 / run.tally(arm).layout.players
        axes.plot([even, even], [y - 0.5, y + 0.5], color=FAINT, linestyle=":", linewidth=1.2)
        _point(axes, found, y, looks[label])
        axes.annotate(
            _value(found), (1.01, y), xycoords=("axes fraction", "data"), fontsize=8, va="center", color=INK
        )
        ticks.append((y, names[label], False))
    axes.set_yticks([y for y, _, _ in ticks], [text for _, text, _ in ticks])
    for tick, (_, _, bold) in zip(axes.get_yticklabels(), ticks, strict=True):
        tick.set_fontweight("bold" if bold else "normal")
    axes.set_ylim(len(ticks) - 0.4, -0.6)


def _point(axes: Axes, found: Estimate, y: float, how: Look) -> None:
    mean, reach = 100 * found.mean, _reach(found)
    axes.errorbar(mean, y, xerr=reach, fmt=how.mark, color=how.color, capsize=3, markersize=5, linewidth=1.6)


def _reach(found: Estimate, factor: float = 100.0) -> list[list[float]] | None:
    """Lengths of the error bar to both sides; none where there is no interval."""
    if math.isnan(found.low):
        return None
    return [[factor * max(0.0, found.mean - found.low)], [factor * max(0.0, found.high - found.mean)]]


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
    even = 1 / tally.layout.players
    for number_ in range(tally.layout.players):
        found = estimate(tally, "win_share", seat(number_))
        axes.errorbar(
            number_ + shift,
            100 * (found.mean - even),
            yerr=_reach(found),
            fmt=how.mark,
            color=how.color,
            capsize=3,
            markersize=5,
            label=None if number_ else name,
        )


def convergence(run: Run) -> Figure:
    """How the win share of each strategy settles as chunks are added, with the interval as a band."""
    made, axes = panels(run, 2.3, sharex=True)
    looks, names = strategy_looks(run), labels(run, 20)
    for arm, (panel, name, tally) in enumerate(shown(run, axes)):
        blocks = [stage.blocks[arm] for stage in run.course]
        for row, label in enumerate(tally.layout.strategies):
            shares = np.array([100 * stage.win_share[arm][row] for stage in run.course])
            _settling(panel, blocks, shares, looks[label], names[label])
        dress(panel, name, y="win share (%)")
        legend(panel)
    axes[-1].set_xlabel("blocks tallied so far", fontsize=9)
    headline(made, "How the win share settles")
    footnote(made, run, "bands: 95 % intervals on block values at that point", len(axes))
    return made


def _settling(axes: Axes, blocks: list[int], shares: NDArray[np.float64], how: Look, name: str) -> None:
    """A line with its band: [stages, 3] of mean, low and high end."""
    means, low, high = shares.T
    axes.fill_between(blocks, low, high, color=how.color, alpha=0.18, linewidth=0)
    axes.plot(blocks, means, color=how.color, linestyle=how.style, linewidth=1.6, label=name)
