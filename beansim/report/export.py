"""The files of a report: CSV, Parquet, PNG, SVG and summary.json."""

from __future__ import annotations

import gc
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from beansim.analysis.run import Run
from beansim.report.document import Document
from beansim.report.findings import alerts, verdict
from beansim.report.names import for_cell, plain
from beansim.simulate.folder import write_aside

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

SUMMARY_SCHEMA = 2
"""Version of summary.json (docs/reports.md); raised when a key changes its meaning or goes."""

LONG_TABLES = ("harvest_sizes", "trades", "kinds_traded", "coins_by_turn")
"""Tables that summary.json leaves to the files."""

DPI = 144


def write_tables(frames: Mapping[str, pl.DataFrame], folder: Path, kinds: Sequence[str]) -> list[Path]:
    """Write every table in some of the kinds `csv` and `parquet`; returns the paths."""
    if kinds:
        folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, frame in frames.items():
        for kind in kinds:
            path = folder / f"{name}.{kind}"
            if kind == "csv":
                # With the mark by which a spreadsheet knows that names are in UTF-8.
                guarded(frame).write_csv(path, include_bom=True)
            else:
                frame.write_parquet(path)
            paths.append(path)
    return paths


def write_workbook(document: Document, path: Path) -> None:
    """Write an Excel workbook: a sheet of the verdict and the alerts, then one for each table.

    Numbers are numbers, texts are texts and never formulas; a sheet holds what its Parquet file would.
    """
    from xlsxwriter import Workbook

    # No cell is ever taken for a formula or a link, whatever a strategy is called.
    safe = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(path, {**safe, "in_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        # The same report gives the same bytes.
        book.set_properties({"title": plain(document.title)[:255], "created": datetime(2000, 1, 1)})
        bold = book.add_format({"bold": True})
        cover = book.add_worksheet("report")
        cover.set_column(0, 0, 120)
        cover.write_string(0, 0, plain(document.title), bold)
        lines = [document.facts, "", *document.verdict, "", *document.alerts, "", document.command]
        for row, line in enumerate(lines, start=1):
            cover.write_string(row, 0, plain(line))
        for name, frame in document.frames.items():
            _write_sheet(book.add_worksheet(name[:31]), frame, bold)


def _write_sheet(sheet: Worksheet, frame: pl.DataFrame, bold: Format) -> None:
    for column, name in enumerate(frame.columns):
        sheet.write_string(0, column, name, bold)
        for row, value in enumerate(frame[name].to_list(), start=1):
            if isinstance(value, str):
                sheet.write_string(row, column, plain(value))
            elif isinstance(value, bool):
                sheet.write_boolean(row, column, value)
            elif value is not None:
                sheet.write_number(row, column, value)
    sheet.freeze_panes(1, 0)
    if frame.width:
        sheet.autofilter(0, 0, max(1, len(frame)), frame.width - 1)
    sheet.autofit()


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with text that a spreadsheet would take for a formula made harmless."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(
        pl.Series(
            name, [for_cell(plain(value)) if value is not None else None for value in frame[name]], pl.String
        )
        for name in texts
    )


@contextmanager
def drawing() -> Iterator[None]:
    """The settings under which charts are drawn and written: the same bytes on every machine, and quickly."""
    from matplotlib import rc_context

    settings: Any = {
        "svg.hashsalt": "beansim",
        # Texts stay texts, in the reader's own font: quicker to write, and they can be searched and selected.
        "svg.fonttype": "none",
        # The font that comes with matplotlib, found at the first try; hinting takes a third of a PNG's time
        # and is for fewer dots an inch than these.
        "font.sans-serif": ["DejaVu Sans"],
        "text.hinting": "no_hinting",
    }
    # Figures are full of cycles, but few: looking for garbage among them takes a tenth of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with rc_context(settings):
            yield
    finally:
        if collecting:
            gc.enable()


def write_chart(figure: Figure, stem: Path) -> bytes:
    """Write a figure as `stem`.png and `stem`.svg; the SVG is returned.

    The same figure gives the same bytes.
    """
    _settle(figure)
    # In this order: what the PNG has learned of the size of texts, the SVG need not learn again.
    write_aside(stem.with_suffix(".png"), _png_of(figure))
    svg = _svg_of(figure)
    write_aside(stem.with_suffix(".svg"), svg)
    return svg


def _settle(figure: Figure) -> None:
    """Lay a figure out once and for all, and not again for each file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(DPI)
    # The canvas that draws the PNG: what it has learned of the size of texts, it need not learn again.
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    figure.set_layout_engine("none")


def _png_of(figure: Figure) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    buffer = io.BytesIO()
    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    # Four fifths of the time of the usual level go into the last tenth of the size.
    canvas.print_png(buffer, metadata={"Software": None}, pil_kwargs={"compress_level": 2})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def _svg_of(figure: Figure) -> bytes:
    """The figure as SVG; it is left with the resolution of that."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    # Straight to the canvas: savefig draws everything twice, for layouts that are not settled.
    canvas = FigureCanvasSVG(figure)
    canvas.print_svg(buffer, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def summary_data(run: Run, frames: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """What summary.json holds: facts of the run, verdict, alerts, and every table but the long ones."""
    kept = {name: frame for name, frame in frames.items() if name not in LONG_TABLES}
    return {
        "schema": SUMMARY_SCHEMA,
        "title": run.title,
        "question": run.info.get("question", ""),
        "seed": run.info.get("seed"),
        "deals": run.deals,
        "games": run.games,
        "stopped": run.info.get("stopped", ""),
        "complete": not run.problems and run.info.get("complete", True),
        "versions": run.info.get("versions", {}),
        "command": run.info.get("command", ""),
        "arms": [
            {
                "name": arm.name,
                "variant": arm.variant,
                "rules_digest": arm.rules_digest,
                "lineup": list(arm.lineup),
                "seating_mode": arm.seating_mode,
                "blocks": tally.blocks,
                "excluded": tally.excluded,
            }
            for arm, tally in zip(run.arms, run.tallies.arms, strict=True)
        ],
        "verdict": verdict(run),
        "alerts": alerts(run),
        "tables": {name: frame.to_dicts() for name, frame in kept.items()},
    }


def document_data(document: Document) -> dict[str, Any]:
    """What the JSON file of a strategy or of two runs holds: sentences and every table."""
    return {
        "schema": SUMMARY_SCHEMA,
        "title": document.title,
        "command": document.command,
        "verdict": list(document.verdict),
        "alerts": list(document.alerts),
        "tables": {name: frame.to_dicts() for name, frame in document.frames.items()},
    }


def summary_json(data: Mapping[str, Any]) -> str:
    """The data as JSON text, without NaN, which JSON does not know."""
    return json.dumps(_finite(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value
