"""Charts of whole games: their length, the run-outs, and the coins they end with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from beansim.analysis.run import Run
from beansim.report.chart_base import (
    ARM_COLORS,
    INK,
    STRATEGY_COLORS,
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
    shares,
    shown,
    strategy_looks,
    used,
    whole_numbers,
)
from beansim.report.tables import quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 8
"""Arms whose lines one panel can hold."""


def lengths(run: Run) -> Figure:
    """Distribution of the length of games in turns, one line per arm."""
    made = figure(3.3)
    axes = made.subplots()
    arms = list(zip(arm_names(run), run.tallies.arms, strict=True))[:MOST_LINES]
    for place, (name, tally) in enumerate(arms):
        _steps(axes, tally.arrays["turns"], look(place, ARM_COLORS), name)
    dress(axes, x="turns in a game", y="games (%)")
    whole_numbers(axes)
    legend(axes)
    headline(made, "Length of games by arm")
    footnote(made, run, "counts of all games, no interval", len(arms))
    return made


def coins(run: Run) -> Figure:
    """Distribution of the coins a seat ends with, one line per strategy, one panel per arm."""
    made, axes = panels(run, 2.3, sharex=True)
    looks, names = strategy_looks(run), labels(run, 20)
    for panel, name, tally in shown(run, axes):
        for place, label in enumerate(tally.layout.strategies):
            _steps(panel, tally.arrays["coins"][place].sum(axis=0), looks[label], names[label])
        dress(panel, name, y="games of a seat (%)")
    legends(axes)
    axes[-1].set_xlabel("coins at the end", fontsize=9)
    whole_numbers(axes[-1])
    headline(made, "Coins by strategy")
    footnote(made, run, "counts of all games, no interval; short ticks: means", len(axes))
    return made


def _steps(axes: Axes, histogram: np.ndarray[Any, Any], how: Look, name: str) -> None:
    first, past = used(histogram)
    values = np.arange(first - 1, past + 1)
    heights = np.concatenate([[0.0], shares(histogram)[first:past], [0.0]])
    axes.step(values, heights, where="mid", color=how.color, linestyle=how.style, linewidth=1.5, label=name)
    axes.fill_between(values, heights, step="mid", color=how.color, alpha=0.08, linewidth=0)
    if histogram.sum():
        mean = (np.arange(len(histogram)) * histogram).sum() / histogram.sum()
        axes.plot(
            [mean, mean], [0, 0.06], color=how.color, linewidth=2.5, transform=axes.get_xaxis_transform()
        )


def coins_by_seat(run: Run) -> Figure:
    """Coins by seat: median, middle half and middle nine tenths, for every arm and strategy."""
    made, axes = panels(run, 2.4, sharex=True)
    looks, names = strategy_looks(run), labels(run, 20)
    for panel, name, tally in shown(run, axes):
        strategies, players, _ = tally.arrays["coins"].shape
        for place, label in enumerate(tally.layout.strategies):
            shift = 0.8 * ((place + 0.5) / strategies - 0.5)
            _bars(panel, tally.arrays["coins"][place], shift, looks[label], names[label])
        panel.set_yticks(range(players), [f"seat {seat}" for seat in range(players)])
        panel.invert_yaxis()
        dress(panel, name)
    legends(axes)
    axes[-1].set_xlabel("coins at the end", fontsize=9)
    whole_numbers(axes[-1])
    headline(made, "Coins by seat and strategy")
    footnote(made, run, "dot: median; thick: middle half; thin: middle nine tenths of games", len(axes))
    return made


def _bars(axes: Axes, histograms: np.ndarray[Any, Any], shift: float, how: Look, name: str) -> None:
    """Quantiles of the coins of a strategy in each seat; `histograms` is [seat, coins]."""
    played = np.flatnonzero(histograms.any(axis=1))
    parts = np.array(
        [
            [quantile(histograms[seat], share) or 0 for seat in played]
            for share in (0.05, 0.25, 0.5, 0.75, 0.95)
        ]
    )
    y = played + shift
    axes.hlines(y, parts[0], parts[4], colors=how.color, linewidth=1.2)
    axes.hlines(y, parts[1], parts[3], colors=how.color, linewidth=4.5, label=name)
    axes.plot(parts[2], y, linestyle="", marker="o", color="white", markeredgecolor=how.color, markersize=4)


def run_outs(run: Run) -> Figure:
    """Turn of each run-out of the draw pile, split by phase, one panel per arm."""
    made, axes = panels(run, 2.2, sharex=True)
    for panel, name, tally in shown(run, axes):
        for number, counts in enumerate(tally.arrays["run_outs"]):
            _phases(panel, counts, tally.arrays["turns"].sum(), number)
        dress(panel, name, y="games (%)")
    most = max(tally.layout.run_outs for _, _, tally in shown(run, axes))
    _run_out_legend(axes[0], most)
    axes[-1].set_xlabel("turn", fontsize=9)
    whole_numbers(axes[-1])
    headline(made, "When the draw pile runs out")
    footnote(made, run, "counts of all games, no interval", len(axes))
    return made


def _phases(axes: Axes, counts: np.ndarray[Any, Any], games: int, number: int) -> None:
    first, past = used(counts.sum(axis=0))
    edges = np.arange(first, past + 1) - 0.5
    phase_2, phase_4 = 100.0 * counts[:, first:past] / max(1, games)
    color = STRATEGY_COLORS[number % len(STRATEGY_COLORS)]
    axes.stairs(phase_4, edges, fill=True, color=color)
    axes.stairs(
        phase_4 + phase_2,
        edges,
        baseline=phase_4,
        fill=True,
        facecolor="white",
        edgecolor=color,
        hatch="////",
        linewidth=0.6,
    )


def _run_out_legend(axes: Axes, run_outs_: int) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(color=STRATEGY_COLORS[number % len(STRATEGY_COLORS)], label=f"run-out {number + 1}")
        for number in range(run_outs_)
    ]
    handles.append(Patch(facecolor=INK, edgecolor=INK, label="in phase 4"))
    handles.append(Patch(facecolor="white", edgecolor=INK, hatch="////", linewidth=0.6, label="in phase 2"))
    axes.legend(handles=handles, fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.005, 1.0))
