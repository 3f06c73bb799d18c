"""report.md: the report as text that pastes into a pull request."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from beansim.report.document import Document
from beansim.report.names import for_markdown, plain
from beansim.report.numbers import count
from beansim.report.views import View, is_shown

MOST_ROWS = 60


def to_markdown(document: Document, picture: str = "") -> str:
    """The whole text; `picture` is the path of a chart to show, relative to the file."""
    parts = [f"# {for_markdown(document.title)}", *lines_of(document.verdict, "- ")]
    if document.alerts:
        parts += ["", "**Beware**", "", *lines_of(document.alerts, "- ")]
    for view in document.views:
        if view.name in document.brief and is_shown(view, document.frames):
            frame = document.frames[view.name]
            parts += ["", f"## {view.title}", "", view.caption, "", *table_lines(view, frame)]
    if picture:
        parts += ["", f"![Win share by strategy]({picture})"]
    return "\n".join([*parts, "", *_reproduce(document), ""])


def lines_of(texts: Sequence[str], mark: str) -> list[str]:
    """Texts as lines that begin with a mark, an empty line before them."""
    return ["", *(f"{mark}{for_markdown(text)}" for text in texts)]


def table_lines(view: View, frame: pl.DataFrame) -> list[str]:
    """A table as lines of Markdown, cut after `MOST_ROWS` rows, which is said."""
    heads = [for_markdown(column.heading) for column in view.columns]
    rules = ["---:" if column.numeric else "---" for column in view.columns]
    rows = [[for_markdown(cell.text) for cell in row] for row in view.rows(frame)]
    lines = [_row(line) for line in (heads, rules, *rows[:MOST_ROWS])]
    if len(frame) > MOST_ROWS:
        lines += ["", f"{count(len(frame) - MOST_ROWS)} more rows are in the files."]
    return lines


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _reproduce(document: Document) -> list[str]:
    command = plain(document.command).replace("```", "")
    facts = [f"- {for_markdown(name)}: {for_markdown(value)}" for name, value in document.reproduce]
    return ["## Reproduce", "", "```", command, "```", "", *facts]
