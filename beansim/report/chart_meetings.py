"""Charts of strategies meeting each other: who is ahead, who trades with whom, and how the coins come in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from beansim.analysis.run import Run
from beansim.report import tables
from beansim.report.chart_base import (
    Heat,
    arm_names,
    dress,
    footnote,
    headline,
    heat,
    labels,
    legends,
    panels,
    scale,
    shown,
    strategy_looks,
    whole_numbers,
)
from beansim.report.numbers import count

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from matplotlib.figure import Figure

    Matrix: TypeAlias = np.ma.MaskedArray[Any, Any]

MOST_MAPS = 3
"""Arms whose matrices one figure holds."""

MOST_NAMES = 20
"""Strategies that a matrix holds."""


def head_to_head(run: Run) -> Figure:
    """Matrix: in how many of their meetings the one strategy ends with more coins than the other."""
    return _matrices(
        run,
        tables.head_to_head(run).select("arm", "strategy", "opponent", pl.col("ahead") * 100),
        subject="Head to head: who ends with more coins",
        axes=("against", "ahead"),
        unit="% of meetings",
        note="ties count half; 95 % intervals stand in the table",
    )


def partners(run: Run) -> Figure:
    """Matrix of the cards that one strategy gives another in a game, from the watched games."""
    return _matrices(
        run,
        tables.partners(run).select("arm", "giver", "receiver", "cards_a_game"),
        subject="Who trades with whom",
        axes=("receiver", "giver"),
        unit="cards a game",
        note=f"{_watched(run)}, counts, no interval",
    )


def _matrices(
    run: Run, found: pl.DataFrame, *, subject: str, axes: tuple[str, str], unit: str, note: str
) -> Figure:
    """One matrix for each of the first arms: row and column are the second and third column of `found`."""
    sides = max(min(MOST_NAMES, len(tally.layout.strategies)) for tally in run.tallies.arms)
    made, panels_ = panels(run, 1.15 + 0.27 * sides, MOST_MAPS)
    names = labels(run, 20)
    sides_of = [tally.layout.strategies[:MOST_NAMES] for tally in run.tallies.arms[: len(panels_)]]
    maps = [
        _matrix(found.filter(pl.col("arm") == arm.name), strategies)
        for arm, strategies in zip(run.arms, sides_of, strict=False)
    ]
    how = _how(unit, maps)
    for panel, title, table, strategies in zip(panels_, arm_names(run, 60), maps, sides_of, strict=False):
        texts = [names[label] for label in strategies]
        heat(panel, table, (texts, texts), how)
        dress(panel, title, *axes)
        panel.grid(False)
    scale(panels_[0], how)
    _title(made, run, subject, note, len(panels_))
    return made


def _how(unit: str, maps: list[Matrix]) -> Heat:
    """Shares around an even one, with dark ends of the scale; anything else from nothing up."""
    if unit.startswith("%"):
        return Heat(unit, "{:.0f}".format, (0, 100), "PuOr_r")
    most = max((float(table.max()) for table in maps if table.count()), default=1.0)
    return Heat(unit, "{:.1f}".format, (0, most))


def _matrix(found: pl.DataFrame, strategies: tuple[str, ...]) -> Matrix:
    table = np.full((len(strategies), len(strategies)), np.nan)
    for one, other, value in found.drop("arm").iter_rows():
        if one in strategies and other in strategies and value is not None:
            table[strategies.index(one), strategies.index(other)] = value
    return np.ma.masked_invalid(table)


def _title(made: Figure, run: Run, subject: str, note: str, arms: int) -> None:
    headline(made, subject)
    footnote(made, run, note, arms)


def _watched(run: Run) -> str:
    return f"from {count(sum(watched.games for watched in run.watched))} watched games"


def coins_by_turn(run: Run) -> Figure:
    """Coins of a seat over the turns of a game, one line per strategy with its interval, by arm."""
    made, axes = panels(run, 2.3, sharex=True)
    looks, names = strategy_looks(run), labels(run, 20)
    found = tables.coins_by_turn(run)
    for panel, (arm, (_, title, tally)) in zip(axes, enumerate(shown(run, axes)), strict=True):
        for label in tally.layout.strategies:
            mine = found.filter((pl.col("arm") == run.arms[arm].name) & (pl.col("strategy") == label))
            turns, how = mine["turn"].to_numpy(), looks[label]
            low, high = mine["coins_low"].to_numpy(), mine["coins_high"].to_numpy()
            panel.fill_between(turns, low, high, color=how.color, alpha=0.18, linewidth=0)
            coins = mine["coins"].to_numpy()
            panel.plot(turns, coins, how.style, color=how.color, linewidth=1.5, label=names[label])
        dress(panel, title, y="coins of a seat")
        panel.set_ylim(bottom=0)
    legends(axes)
    axes[-1].set_xlabel("turn of the game", fontsize=9)
    whole_numbers(axes[-1])
    _title(
        made,
        run,
        "Coins over the turns of a game",
        f"{_watched(run)}; bands: 95 % intervals on block values",
        len(axes),
    )
    return made
