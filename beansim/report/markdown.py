"""report.md: the report as text that pastes into a pull request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from beansim.analysis.run import Run
from beansim.report.findings import alerts, verdict
from beansim.report.names import for_markdown, plain
from beansim.report.numbers import count
from beansim.report.views import VIEWS, View, is_shown

SHOWN = ("expectations", "summary", "arm_differences", "bootstrap", "seats", "games", "run_outs", "harvests")
"""Tables that stand in report.md; the others are in the files."""

MOST_ROWS = 60


def to_markdown(run: Run, frames: Mapping[str, pl.DataFrame], charts: Sequence[str] = ()) -> str:
    """The whole text; `charts` are names of charts to link to as files beside it."""
    parts = [f"# {for_markdown(run.title)}", *lines_of(verdict(run), "- ")]
    warned = alerts(run)
    if warned:
        parts += ["", "**Beware**", "", *lines_of(warned, "- ")]
    for view in VIEWS:
        if view.name in SHOWN and is_shown(view, frames):
            parts += ["", f"## {view.title}", "", view.caption, "", *table_lines(view, frames[view.name])]
    if "win_share" in charts:
        parts += ["", "![Win share by strategy](charts/win_share.png)"]
    return "\n".join([*parts, "", *_reproduce(run), ""])


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


def _reproduce(run: Run) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in run.info.get("versions", {}).items())
    digests = ", ".join(f"{plain(arm.name)} {arm.rules_digest}" for arm in run.arms)
    command = plain(str(run.info.get("command") or "")).replace("```", "")
    return [
        "## Reproduce",
        "",
        "```",
        command,
        "```",
        "",
        f"{count(run.deals)} deals, {count(run.games)} games, seed {run.info.get('seed')}; "
        f"{for_markdown(versions)}; rules {for_markdown(digests)}.",
    ]
