"""The files of a report: CSV, Parquet, PNG, SVG and summary.json."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from beansim.analysis.run import Run
from beansim.report.findings import alerts, verdict
from beansim.report.names import for_cell, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUMMARY_SCHEMA = 1
"""Version of summary.json (docs/statistics.md); raised when a key changes its meaning or goes."""

DPI = 144


def write_tables(frames: Mapping[str, pl.DataFrame], folder: Path) -> list[Path]:
    """Write every table as CSV and Parquet; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, frame in frames.items():
        csv, parquet = folder / f"{name}.csv", folder / f"{name}.parquet"
        guarded(frame).write_csv(csv)
        frame.write_parquet(parquet)
        paths += [csv, parquet]
    return paths


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with text that a spreadsheet would take for a formula made harmless."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(
        pl.Series(
            name, [for_cell(plain(value)) if value is not None else None for value in frame[name]], pl.String
        )
        for name in texts
    )


def settle(figure: Figure) -> None:
    """Lay a figure out once and for all: each file would do it again, which takes most of the time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(DPI)
    # The canvas that draws the PNG: what it has learned of the size of texts, it need not learn again.
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    figure.set_layout_engine("none")


def svg_of(figure: Figure) -> bytes:
    """A settled figure as SVG; the same figure gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "beansim", "svg.fonttype": "path"}):
        # Straight to the canvas: savefig draws everything twice, for layouts that are not settled.
        canvas = FigureCanvasSVG(figure)
        canvas.print_svg(buffer, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def png_of(figure: Figure) -> bytes:
    """A settled figure as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    buffer = io.BytesIO()
    canvas = figure.canvas if isinstance(figure.canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)
    canvas.print_png(buffer, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def summary_data(run: Run, frames: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """What summary.json holds: facts of the run, verdict, alerts, and every table but the long ones."""
    kept = {name: frame for name, frame in frames.items() if name not in ("harvest_sizes", "trades")}
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


def summary_json(data: Mapping[str, Any]) -> str:
    """The data as JSON text, without NaN, which JSON does not know."""
    return json.dumps(_finite(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value
