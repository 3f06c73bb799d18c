"""Writes the whole report of a run, from its tallies alone: no game is read (but for a bootstrap)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beansim.analysis.run import Run
from beansim.errors import InputError
from beansim.report.tables import all_tables

if TYPE_CHECKING:
    import polars as pl

    from beansim.report.html import Picture

MOST_BYTES = 5_000_000
"""index.html stays below this; charts are given up for it, last ones first (they are in charts/)."""


@dataclass(frozen=True)
class Report:
    """A report that was written.

    Attributes:
        folder: where it lies.
        html, markdown, summary: its main files.
        tables, charts: paths of the others.
        data: what summary.json holds.
    """

    folder: Path
    html: Path
    markdown: Path
    summary: Path
    tables: list[Path] = field(default_factory=list)
    charts: list[Path] = field(default_factory=list)
    data: Mapping[str, Any] = field(default_factory=dict)


def write_report(
    run_folder: Path, out: Path, charts: Collection[str] | None = None, *, bootstrap: bool = False
) -> Report:
    """Read a run and write its report: HTML, Markdown, tables, charts, summary.json.

    Args:
        run_folder: folder of the run.
        out: folder of the report; made if it does not exist; the run's own folder is fine.
        charts: names of the charts to draw; all by default.
        bootstrap: with a table of bootstrap intervals, for which the games are read after all.

    Raises:
        InputError: the run cannot be read, or the report cannot be written.
    """
    run = Run.read(Path(run_folder))
    try:
        return write(run, Path(out), charts, bootstrap=bootstrap)
    except OSError as error:
        raise InputError(
            f"cannot write the report to {out}: {error.strerror}; choose another folder"
        ) from error


def write(run: Run, out: Path, charts: Collection[str] | None = None, *, bootstrap: bool = False) -> Report:
    """Write the report of a run that is read already."""
    from beansim.report.export import summary_data, summary_json, write_tables
    from beansim.report.markdown import to_markdown

    out.mkdir(parents=True, exist_ok=True)
    frames = all_tables(run)
    if bootstrap:
        from beansim.report.bootstrap import bootstrap as bootstrap_table

        frames["bootstrap"] = bootstrap_table(run)
    data = summary_data(run, frames)
    pictures = list(_write_charts(run, out / "charts", charts))
    paths = [out / "charts" / f"{one.name}{kind}" for one in pictures for kind in (".png", ".svg")]
    report = Report(
        out,
        out / "index.html",
        out / "report.md",
        out / "summary.json",
        write_tables(frames, out / "tables"),
        paths,
        data,
    )
    _write_text(report.summary, summary_json(data))
    _write_text(report.markdown, to_markdown(run, frames, [one.name for one in pictures]))
    _write_text(report.html, _page(run, frames, pictures))
    return report


def _write_charts(run: Run, folder: Path, names: Collection[str] | None) -> Iterator[Picture]:
    from beansim.report.charts import CHARTS
    from beansim.report.export import png_of, settle, svg_of
    from beansim.report.html import picture

    folder.mkdir(parents=True, exist_ok=True)
    for chart in CHARTS:
        if chart.wanted(run) and (names is None or chart.name in names):
            figure = chart.draw(run)
            settle(figure)
            svg = svg_of(figure)
            (folder / f"{chart.name}.svg").write_bytes(svg)
            (folder / f"{chart.name}.png").write_bytes(png_of(figure))
            width, height = figure.get_size_inches()
            yield picture(chart.name, chart.alt(run), svg, (width, height))


def _page(run: Run, frames: Mapping[str, pl.DataFrame], pictures: list[Picture]) -> str:
    from beansim.report.html import to_html

    kept = list(pictures)
    text = to_html(run, frames, kept)
    while kept and len(text.encode()) > MOST_BYTES:
        kept.pop()
        text = to_html(run, frames, kept)
    return text


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
