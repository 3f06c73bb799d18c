"""index.html: one self-contained page, from a template; everything that is not ours is escaped."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from beansim.analysis.run import Run
from beansim.errors import InputError
from beansim.report.charts import CHARTS
from beansim.report.findings import alerts, verdict
from beansim.report.names import plain
from beansim.report.numbers import count, number
from beansim.report.tell import tell
from beansim.report.views import VIEWS, View, is_shown

SECTIONS: dict[str, str] = {
    "expectations": "Expectations",
    "strategies": "Strategies",
    "arms": "Arms compared",
    "seats": "Seats",
    "games": "Games",
    "beans": "Beans",
    "market": "Market",
    "errors": "Errors",
}
"""Sections of the page, in order."""

MOST_SAMPLES = 4
"""Games that are told."""

MOST_LINES = 1500
"""Lines that are told of one game."""

PIXELS = 96
"""Pixels of an inch on the page."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart as it stands in the page: SVG in base64, its size in pixels."""

    name: str
    section: str
    title: str
    alt: str
    data: str
    width: int
    height: int


def picture(name: str, alt: str, svg: bytes, inches: tuple[float, float]) -> Picture:
    """A chart, by its name in `CHARTS`, ready for the page."""
    chart = next(chart for chart in CHARTS if chart.name == name)
    width, height = (round(size * PIXELS) for size in inches)
    return Picture(name, chart.section, chart.title, alt, base64.b64encode(svg).decode(), width, height)


def to_html(run: Run, frames: Mapping[str, pl.DataFrame], pictures: Sequence[Picture]) -> str:
    """The whole page as text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(_part("report.html"))
    return template.render(
        title=plain(run.title),
        question=plain(str(run.info.get("question") or "")),
        facts=facts(run),
        verdict=[unbroken(sentence) for sentence in verdict(run)],
        alerts=[unbroken(sentence) for sentence in alerts(run)],
        sections=list(_sections(frames, pictures)),
        samples=list(samples(run)),
        command=plain(str(run.info.get("command") or "")),
        reproduce=list(_reproduce(run)),
        # Our own files, not data: they are the only text that is not escaped.
        style=Markup(_part("style.css")),
        script=Markup(_part("table.js")),
    )


def unbroken(text: str) -> str:
    """The text with spaces that no line is broken at between a number and what belongs to it."""
    return re.sub(r"(?<=\d) (?=%|in 100)|(?<=±) (?=\d)|(?<=\d) (?=±)", "\N{NO-BREAK SPACE}", text)


def _part(name: str) -> str:
    return (files("beansim.report") / "templates" / name).read_text(encoding="utf-8")


def _sections(frames: Mapping[str, pl.DataFrame], pictures: Sequence[Picture]) -> Iterator[dict[str, Any]]:
    """What each section holds; the first table comes before the charts, the others after them."""
    for name, title in SECTIONS.items():
        shown = [view for view in VIEWS if view.section == name and is_shown(view, frames)]
        tables = [_table(view, frames[view.name]) for view in shown]
        charts = [one for one in pictures if one.section == name]
        if tables or charts:
            yield {
                "name": name,
                "title": title,
                "first_tables": tables[:1],
                "charts": charts,
                "more_tables": tables[1:],
            }


def _table(view: View, frame: pl.DataFrame) -> dict[str, Any]:
    left = len(frame) - view.most
    return {
        "name": view.name,
        "title": view.title,
        "caption": view.caption,
        "columns": view.columns,
        "rows": view.rows(frame),
        "left_out": count(left) if left > 0 else "",
    }


def facts(run: Run) -> str:
    """One line of numbers about the run."""
    arms = f"{len(run.arms)} arms" if len(run.arms) > 1 else "1 arm"
    text = f"{count(run.games)} games of {count(run.deals)} deals, {arms}, seed {run.info.get('seed')}"
    timing = _timing(run)
    speed = timing.get("games_per_second")
    if isinstance(speed, int | float) and speed:
        text += f", {count(round(speed))} games a second"
    return text


def _timing(run: Run) -> dict[str, Any]:
    """How long the run took: in run.json or beside it."""
    if "seconds" in run.info or run.folder is None:
        return dict(run.info)
    try:
        found = json.loads((run.folder / "timing.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _reproduce(run: Run) -> Iterator[tuple[str, str]]:
    info = run.info
    yield "seed", str(info.get("seed"))
    yield "deals", count(run.deals)
    yield "games", count(run.games)
    versions = info.get("versions") or {}
    yield "versions", ", ".join(f"{plain(str(name))} {plain(str(text))}" for name, text in versions.items())
    for arm in run.arms:
        lineup = ", ".join(plain(label) for label in arm.lineup)
        yield f"arm {plain(arm.name)}", f"{plain(arm.variant)}, rules {arm.rules_digest}: {lineup}"
    seconds = _timing(run).get("seconds")
    if isinstance(seconds, int | float):
        yield "time", f"{number(seconds, 1)} s"


def samples(run: Run) -> Iterator[dict[str, str]]:
    """The games of sample.jsonl, told; what cannot be told is said to be damaged."""
    path = run.folder / "sample.jsonl" if run.folder else None
    if path is None or not path.exists():
        return
    try:
        games = _games(path)
        for events in games[:MOST_SAMPLES]:
            lines = list(tell(events))
            more = [] if len(lines) <= MOST_LINES else [f"... {len(lines) - MOST_LINES} more lines"]
            yield {"title": lines[0], "text": "\n".join(lines[:MOST_LINES] + more)}
    except (OSError, ValueError, InputError) as error:
        yield {"title": "The sample game cannot be told", "text": plain(str(error))}


def _games(path: Path) -> list[list[dict[str, Any]]]:
    games: list[list[dict[str, Any]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if not isinstance(event, dict):
            raise InputError(f"{path.name}: an event is not an object")
        if event.get("e") == "game" or not games:
            games.append([])
        games[-1].append(event)
    return games
