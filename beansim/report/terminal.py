"""The summary of a run for a terminal, and as a frame."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from beansim.analysis.run import Run
from beansim.report import tables
from beansim.report.findings import alerts, verdict
from beansim.report.names import plain, shorten_all
from beansim.report.numbers import counted, number
from beansim.report.views import Column

if TYPE_CHECKING:
    from rich.console import Console

MOST_ROWS = 40
"""Rows of the table; the report holds them all."""

NARROWEST = 40


def summary_frame(run: Run) -> pl.DataFrame:
    """Win share, coins, rank and margin of each arm and strategy with 95 % intervals on block values."""
    return tables.summary(run)


def summary_text(run: Run | Path, width: int = 80, color: bool | None = None) -> str:
    """What a terminal shows of a run: the verdict, a table, what to beware of.

    Args:
        run: the run, or its folder.
        width: columns that no line exceeds; names are shortened for it, numbers never.
        color: with ANSI styles; by default only where stdout is a terminal and NO_COLOR is not set.
    """
    if isinstance(run, Path):
        run = Run.read(run)
    console = _console(width, color)
    _print(console, run)
    return _printed(console)


def document_text(data: Mapping[str, Any], width: int = 80, color: bool | None = None) -> str:
    """What a terminal shows of the report of a strategy or of two runs: title, sentences, warnings."""
    from rich.text import Text

    console = _console(width, color)
    console.print(Text(plain(str(data["title"])), style="bold"))
    console.print()
    for sentence in data["verdict"]:
        console.print(Text(sentence))
    for warning in data["alerts"]:
        console.print(Text(f"! {warning}", style="yellow"))
    return _printed(console)


def _console(width: int, color: bool | None) -> Console:
    """A console of rich that writes to memory."""
    from rich.console import Console

    styled = _wants_color() if color is None else color
    return Console(
        file=io.StringIO(),
        width=max(NARROWEST, width),
        force_terminal=styled,
        color_system="standard" if styled else None,
        no_color=not styled,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _printed(console: Console) -> str:
    written = console.file
    assert isinstance(written, io.StringIO)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines())


def _wants_color() -> bool:
    import sys

    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _print(console: Console, run: Run) -> None:
    from rich.text import Text

    console.print(Text(plain(run.title), style="bold"))
    blocks = f"{counted(run.deals, 'deal')}, {counted(run.games, 'game')}, seed {run.info.get('seed')}"
    if run.info.get("stopped"):
        blocks += f", stopped by {plain(str(run.info['stopped']))}"
    console.print(Text(blocks, style="dim"))
    console.print()
    for sentence in verdict(run):
        console.print(Text(sentence))
    console.print()
    _table(console, run)
    for line in expectation_lines(run):
        console.print(Text(line))
    for warning in alerts(run):
        console.print(Text(f"! {warning}", style="yellow"))


def expectation_lines(run: Run) -> list[str]:
    """How each line that the experiment expects turned out; nothing where it expects nothing."""
    rows = list(tables.expectations(run).iter_rows(named=True))
    found = Column("found", "found", "found")
    return [
        f"{row['outcome']:<{len('undecided')}}  {plain(row['expect'])}"
        f"  [{plain(row['arm'])}: {found.cell(row).text}{f'; {note}' if (note := row['note']) else ''}]"
        for row in rows
    ]


def _table(console: Console, run: Run) -> None:
    """The table by hand: its numbers are never cut, so the names take what is left of the width."""
    from rich.text import Text

    rows = list(tables.summary(run).iter_rows(named=True))
    shown = rows[:MOST_ROWS]
    columns = [Column("win share %", "win_share", "share"), Column("coins", "coins", "interval")]
    cells = [[column.cell(row).text.replace(" %", "") for column in columns] for row in shown]
    headings = [column.heading for column in columns]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    left = console.width - sum(widths) - 2 * len(widths)
    arms, names = _names(run, [row["arm"] for row in shown], [row["strategy"] for row in shown], left)
    console.print(Text(_line(_pad("arm", arms), _pad("strategy", names), headings, widths), style="bold"))
    for arm, name, values in zip(arms, names, cells, strict=True):
        console.print(Text(_line(arm, name, values, widths)))
    if len(rows) > len(shown):
        console.print(Text(f"... and {number(len(rows) - len(shown), 0)} more rows in the report"))
    console.print(Text("(95 % intervals on block values)", style="dim"))


def _names(run: Run, arms: list[str], names: list[str], width: int) -> tuple[list[str], list[str]]:
    """Names of arms and strategies, padded, in `width` columns together; an arm is named once."""
    longest = [max(map(len, map(plain, part)), default=0) for part in ([*arms, "arm"], [*names, "strategy"])]
    width = max(12, width - 2)
    first = min(longest[0], max(width - longest[1], width // 2))
    second = max(5, min(longest[1], width - first))
    short = dict(zip(dict.fromkeys(arms), shorten_all(list(dict.fromkeys(arms)), first), strict=True))
    once = [short[arm] if not place or arms[place - 1] != arm else "" for place, arm in enumerate(arms)]
    labels = dict(zip(run.strategies, shorten_all(run.strategies, second), strict=True))
    return [f"{text:<{first}}" for text in once], [f"{labels[name]:<{second}}" for name in names]


def _pad(heading: str, cells: list[str]) -> str:
    width = len(cells[0]) if cells else len(heading)
    return f"{heading[:width]:<{width}}"


def _line(arm: str, name: str, values: list[str], widths: list[int]) -> str:
    numbers = (f"{value:>{width}}" for value, width in zip(values, widths, strict=True))
    return "  ".join((arm, name, *numbers))
