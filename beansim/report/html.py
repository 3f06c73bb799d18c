"""index.html: one self-contained page, from a template; everything that is not ours is escaped."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import polars as pl

from beansim.report.charts import CHARTS
from beansim.report.document import Document
from beansim.report.names import plain
from beansim.report.numbers import count
from beansim.report.views import View, is_shown

MOST_BYTES = 5_000_000
"""A page stays below this; charts are given up for it, last ones first (they are in charts/)."""

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


def page(document: Document) -> str:
    """The whole page as text, with as many charts as `MOST_BYTES` allow; says which ones it leaves out."""
    kept = list(document.pictures)
    text = to_html(document)
    while kept and len(text.encode()) > MOST_BYTES:
        kept.pop()
        left = ", ".join(one.title for one in document.pictures[len(kept) :])
        said = [*document.alerts, f"Too large for this page, see the folder charts: {left}."]
        text = to_html(replace(document, pictures=kept, alerts=said))
    return text


def to_html(document: Document) -> str:
    """The whole page as text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(_part("report.html"))
    return template.render(
        title=plain(document.title),
        question=plain(document.question),
        facts=document.facts,
        verdict=[unbroken(sentence) for sentence in document.verdict],
        alerts=[unbroken(sentence) for sentence in document.alerts],
        sections=list(_sections(document)),
        samples=document.samples,
        command=plain(document.command),
        reproduce=document.reproduce,
        # Our own files, not data: they are the only text that is not escaped.
        style=Markup(_part("style.css")),
        script=Markup(_part("table.js")),
    )


def unbroken(text: str) -> str:
    """The text with spaces that no line is broken at between a number and what belongs to it."""
    return re.sub(r"(?<=\d) (?=%|in 100)|(?<=±) (?=\d)|(?<=\d) (?=±)", "\N{NO-BREAK SPACE}", text)


def _part(name: str) -> str:
    return (files("beansim.report") / "templates" / name).read_text(encoding="utf-8")


def _sections(document: Document) -> Iterator[dict[str, Any]]:
    """What each section holds; the first table comes before the charts, the others after them."""
    for name, title in document.sections.items():
        shown = [view for view in document.views if view.section == name and is_shown(view, document.frames)]
        tables = [_table(view, document.frames[view.name]) for view in shown]
        charts = [one for one in document.pictures if one.section == name]
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
