"""Writes the report of a run, of one of its strategies, or of two runs, from the tallies: no game is read.

(But for a bootstrap, for two runs of the same deals, and those of the first chunk for how estimates settle.)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beansim.analysis.run import Run
from beansim.errors import InputError, unknown
from beansim.report.document import Document, of_run
from beansim.report.names import for_file, for_shell
from beansim.report.tables import all_tables
from beansim.simulate.folder import write_aside

if TYPE_CHECKING:
    from beansim.report.helper import Helper

FORMATS = ("html", "md", "csv", "json", "parquet", "xlsx")
"""What a report can be written as."""

USUAL_FORMATS = ("html", "md", "csv", "json", "parquet")
"""What it is written as unless asked otherwise."""


@dataclass(frozen=True)
class Report:
    """A report that was written.

    Attributes:
        folder: where it lies.
        files: what was written for reading, by format: html, md, json, xlsx.
        tables, charts: paths of the others.
        data: what summary.json holds, or would hold.
    """

    folder: Path
    files: Mapping[str, Path]
    tables: list[Path] = field(default_factory=list)
    charts: list[Path] = field(default_factory=list)
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def html(self) -> Path:
        """The page."""
        return self.files["html"]

    @property
    def markdown(self) -> Path:
        """The Markdown text."""
        return self.files["md"]

    @property
    def summary(self) -> Path:
        """The JSON file."""
        return self.files["json"]


@dataclass(frozen=True)
class Names:
    """Names of the files of a report in its folder."""

    html: str = "index.html"
    md: str = "report.md"
    json: str = "summary.json"
    xlsx: str = "report.xlsx"
    tables: str = "tables"

    @classmethod
    def of(cls, stem: str) -> Names:
        """Those of a report that is not the run's own: all begin with `stem`."""
        return cls(f"{stem}.html", f"{stem}.md", f"{stem}.json", f"{stem}.xlsx", stem)


def write_report(
    run_folder: Path,
    out: Path,
    charts: Collection[str] | None = None,
    *,
    formats: Sequence[str] = USUAL_FORMATS,
    bootstrap: bool = False,
    helper: Helper | None = None,
) -> Report:
    """Read a run and write its report.

    Args:
        run_folder: folder of the run.
        out: folder of the report; made if it does not exist; the run's own folder is fine.
        charts: names of the charts to draw; by default all of them for a page, and the one that it shows
            for Markdown alone.
        formats: out of `FORMATS`.
        bootstrap: with a table of bootstrap intervals, for which the games are read after all.
        helper: draws some of the charts, if it was started.

    Raises:
        InputError: the run cannot be read, or the report cannot be written.
    """
    run = Run.read(Path(run_folder))
    return write(run, Path(out), charts, formats=formats, bootstrap=bootstrap, helper=helper)


def write(
    run: Run,
    out: Path,
    charts: Collection[str] | None = None,
    *,
    formats: Sequence[str] = USUAL_FORMATS,
    bootstrap: bool = False,
    helper: Helper | None = None,
) -> Report:
    """Write the report of a run that is read already."""
    from beansim.report.export import summary_data

    frames = all_tables(run)
    if bootstrap:
        from beansim.report.bootstrap import bootstrap as bootstrap_table

        frames["bootstrap"] = bootstrap_table(run)
    document = of_run(run, frames)
    data = summary_data(run, frames)
    return _write_all(out, Names(), document, data, formats, (run, _charts(charts, formats)), helper)


def write_strategy(
    run_folder: Path, out: Path, name: str, *, formats: Sequence[str] = USUAL_FORMATS
) -> Report:
    """Write the report of one strategy of a run: `strategy-NAME.html` and so on.

    Raises:
        InputError: the run cannot be read, has no such strategy, or the report cannot be written.
    """
    from beansim.report.export import document_data
    from beansim.report.strategy_page import CHARTS_SHOWN, find_strategy, of_strategy, strategy_frames

    run = Run.read(Path(run_folder))
    label = find_strategy(run, name)
    document = of_strategy(run, label, strategy_frames(run, label))
    charts = CHARTS_SHOWN if "html" in formats else ()
    names = Names.of(f"strategy-{for_file(label)}")
    return _write_all(Path(out), names, document, document_data(document), formats, (run, charts))


def write_comparison(
    first: Path, second: Path, out: Path, *, formats: Sequence[str] = USUAL_FORMATS
) -> Report:
    """Write two runs side by side: `comparison.html` and so on.

    Raises:
        InputError: a run cannot be read, they have no arm in common, or the report cannot be written.
    """
    from beansim.report.export import document_data
    from beansim.report.two_runs import Pair, comparison_frames, of_pair

    pair = Pair.of(Run.read(Path(first)), Run.read(Path(second)))
    document = of_pair(pair, comparison_frames(pair))
    names = Names.of("comparison")
    return _write_all(Path(out), names, document, document_data(document), formats, (pair.runs[0], ()))


def _charts(names: Collection[str] | None, formats: Collection[str]) -> Collection[str] | None:
    if names is not None or "html" in formats:
        return names
    return ("win_share",) if "md" in formats else ()


def _write_all(
    out: Path,
    names: Names,
    document: Document,
    data: Mapping[str, Any],
    formats: Sequence[str],
    charts: tuple[Run, Collection[str] | None],
    helper: Helper | None = None,
) -> Report:
    for name in formats:
        if name not in FORMATS:
            raise unknown("format", name, FORMATS)
    from beansim.report.drawing import draw_all

    try:
        out.mkdir(parents=True, exist_ok=True)
        pictures = draw_all(*charts, out / "charts", helper)
        return _write_files(out, names, replace(document, pictures=pictures), data, formats)
    except OSError as error:
        run_folder = charts[0].folder
        kept = f"; its games are kept: {_again(run_folder)}" if run_folder else "; choose another folder"
        raise InputError(f"cannot write the report to {out}: {error.strerror}{kept}") from error


def _again(run_folder: Path) -> str:
    """How to write a report elsewhere."""
    return f"beansim report {for_shell([str(run_folder)])} --out FOLDER writes it elsewhere"


def _write_files(
    out: Path, names: Names, document: Document, data: Mapping[str, Any], formats: Sequence[str]
) -> Report:
    from beansim.report.export import summary_json, write_tables, write_workbook

    files = {name: out / getattr(names, name) for name in formats if name not in ("csv", "parquet")}
    if "json" in files:
        _write_text(files["json"], summary_json(data))
    if "md" in files:
        from beansim.report.markdown import to_markdown

        drawn = any(one.name == "win_share" for one in document.pictures)
        _write_text(files["md"], to_markdown(document, "charts/win_share.png" if drawn else ""))
    if "html" in files:
        from beansim.report.html import page

        _write_text(files["html"], page(document))
    if "xlsx" in files:
        write_workbook(document, files["xlsx"])
    kinds = [name for name in formats if name in ("csv", "parquet")]
    tables = write_tables(document.frames, out / names.tables, kinds)
    paths = [out / "charts" / f"{one.name}{kind}" for one in document.pictures for kind in (".png", ".svg")]
    return Report(out, files, tables, paths, data)


def _write_text(path: Path, text: str) -> None:
    write_aside(path, text.encode())
