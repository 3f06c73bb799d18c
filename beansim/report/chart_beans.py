"""Charts of beans: what harvests hold and pay, and which kinds change hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from beansim.analysis.run import Run
from beansim.report import tables
from beansim.report.chart_base import (
    ARM_COLORS,
    Heat,
    Look,
    arm_names,
    dress,
    figure,
    footnote,
    headline,
    heat,
    labels,
    legend,
    legends,
    look,
    panels,
    scale,
    shown,
    strategy_looks,
)
from beansim.report.numbers import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_MAPS = 3
"""Arms whose heat maps one figure holds."""

MOST_CARDS = 14
"""Columns of the heat map; the last one also holds everything greater."""

COUNTED = "counts of all harvests, no interval"


def harvest_map(run: Run) -> Figure:
    """Heat map: of the harvests of each kind, the share with each number of cards."""
    kinds = _kinds(run)
    made, axes = panels(run, 0.75 + 0.27 * len(kinds), MOST_MAPS)
    sizes = tables.harvest_sizes(run)
    maps = []
    for arm in run.arms[: len(axes)]:
        table = _size_table(sizes.filter(pl.col("arm") == arm.name), arm.rules.kind_names)
        marks = [_cards_label(cards, MOST_CARDS) for cards in range(1, table.shape[1] + 1)]
        maps.append((table, list(arm.rules.kind_names), marks))
    _heats(run, axes, maps, "% of the kind's harvests", ("cards harvested", "kind"))
    headline(made, "What is harvested: cards by kind")
    footnote(made, run, COUNTED, len(axes))
    return made


def _size_table(sizes: pl.DataFrame, kinds: tuple[str, ...]) -> np.ndarray[Any, Any]:
    table = np.zeros((len(kinds), MOST_CARDS))
    for kind, cards, number in sizes.select("kind", "cards", "count").iter_rows():
        table[kinds.index(kind), min(cards, MOST_CARDS) - 1] += number
    used = max(1, int(np.flatnonzero(table.sum(axis=0))[-1]) + 1 if table.any() else 1)
    total = table.sum(axis=1, keepdims=True)
    part = np.full_like(table, np.nan)
    np.divide(100.0 * table, total, out=part, where=total > 0)
    return part[:, :used]


def _cards_label(cards: int, most: int) -> str:
    return f"{cards}+" if cards == most else str(cards)


def _heats(
    run: Run,
    axes: Sequence[Axes],
    maps: Sequence[tuple[np.ndarray[Any, Any], list[str], list[str]]],
    unit: str,
    sides: tuple[str, str],
) -> None:
    """A heat map for each of the first arms, out of values, rows and columns; one scale serves them all."""
    most = max(float(np.nanmax(table, initial=0.0)) for table, _, _ in maps) or 1.0
    how = Heat(unit, _percent, (0, most))
    for panel, name, (table, rows, columns) in zip(axes, arm_names(run, 60), maps, strict=False):
        # What never happened stays white, so that it cannot be taken for something rare.
        heat(panel, np.ma.masked_where(np.nan_to_num(table) == 0, table), (rows, columns), how)
        dress(panel, name, *sides)
        panel.grid(False)
    scale(axes[0], how)


def _percent(value: float) -> str:
    """Whole percents; what is less than half of one is told by its colour alone."""
    return "" if value < 0.5 else f"{value:.0f}"


def bean_values(run: Run) -> Figure:
    """What a kind pays: coins a card and coins a harvest by kind, one mark per arm."""
    kinds = _kinds(run)
    made = figure(1.4 + 0.3 * len(kinds))
    left, right = made.subplots(1, 2, sharey=True)
    found = tables.harvests(run)
    arms = list(zip(arm_names(run), run.arms, strict=True))[: len(ARM_COLORS)]
    for place, (name, arm) in enumerate(arms):
        rows = found.filter(pl.col("arm") == arm.name)
        how, shift = look(place, ARM_COLORS), 0.14 * (place - (len(arms) - 1) / 2)
        places = [kinds.index(kind) + shift for kind in rows["kind"]]
        for axes, column in ((left, "coins_a_card"), (right, "coins_a_harvest")):
            _marks(axes, rows[column].to_list(), places, how, name)
    left.set_yticks(range(len(kinds)), kinds)
    left.set_ylim(len(kinds) - 0.5, -0.5)
    dress(left, x="coins a card harvested")
    dress(right, x="coins a harvest")
    for axes in (left, right):
        axes.set_xlim(left=0)
    legend(right)
    headline(made, "What a kind of bean pays")
    footnote(made, run, f"{count(int(found['harvests'].sum()))} harvests; {COUNTED}", len(arms))
    return made


def _marks(axes: Axes, values: list[float], places: list[float], how: Look, name: str) -> None:
    axes.plot(values, places, linestyle="", marker=how.mark, color=how.color, markersize=5, label=name)


def field_sizes(run: Run) -> Figure:
    """Distribution of the cards in a field when it is harvested, one line per strategy."""
    made, axes = panels(run, 2.2, sharex=True)
    looks, names = strategy_looks(run), labels(run, 20)
    sizes = tables.harvest_sizes(run)
    for panel, (arm, (_, title, tally)) in zip(axes, enumerate(shown(run, axes)), strict=True):
        for label in tally.layout.strategies:
            mine = sizes.filter((pl.col("arm") == run.arms[arm].name) & (pl.col("strategy") == label))
            _size_line(panel, mine, looks[label], names[label])
        dress(panel, title, y="harvests (%)")
    legends(axes)
    axes[-1].set_xlabel("cards in the field when it is harvested", fontsize=9)
    axes[-1].set_xticks(
        range(1, MOST_CARDS + 1), [_cards_label(cards, MOST_CARDS) for cards in range(1, MOST_CARDS + 1)]
    )
    headline(made, "Size of a field at harvest")
    footnote(made, run, COUNTED, len(axes))
    return made


def _size_line(axes: Axes, sizes: pl.DataFrame, how: Look, name: str) -> None:
    heights = np.zeros(MOST_CARDS)
    for cards, number in sizes.select("cards", "count").iter_rows():
        heights[min(cards, MOST_CARDS) - 1] += number
    total = max(1.0, heights.sum())
    axes.plot(
        range(1, MOST_CARDS + 1),
        100 * heights / total,
        color=how.color,
        linestyle=how.style,
        marker=how.mark,
        markersize=3.5,
        linewidth=1.4,
        label=name,
    )


def trade_flow(run: Run) -> Figure:
    """Heat map of deals: kind that the active seat gave against the kind it got."""
    made, axes = panels(run, 0.95 + 0.27 * (len(_kinds(run)) + 1), MOST_MAPS)
    maps = []
    for tally in run.tallies.arms[: len(axes)]:
        table = tally.arrays["trades"]
        names = [*tally.layout.kinds, "nothing"]
        maps.append((100.0 * table / max(1, table.sum()), names, names))
    _heats(run, axes, maps, "% of all exchanges", ("got by the active seat", "given by the active seat"))
    headline(made, "Trade flow between kinds")
    footnote(made, run, "each deal counts once per pair of kinds in it, no interval", len(axes))
    return made


def _kinds(run: Run) -> list[str]:
    """Kinds of all arms, in the order of the first one."""
    return list(dict.fromkeys(kind for arm in run.arms for kind in arm.rules.kind_names))
