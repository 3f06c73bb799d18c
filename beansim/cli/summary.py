"""Writes the report of a run and prints its summary table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beansim.report.text import terminal_width
from beansim.report.write import USUAL_FORMATS

if TYPE_CHECKING:
    from beansim.report.helper import Helper
    from beansim.report.write import Report


def report_and_print(
    run: Path,
    out: Path,
    quiet: bool = False,
    show: Callable[[Path], str] | None = None,
    *,
    bootstrap: bool = False,
    formats: Sequence[str] = USUAL_FORMATS,
    helper: Helper | None = None,
) -> None:
    """Write the report of the results in `run` to the folder `out`; the summary goes to stdout.

    `show` makes another text than the summary out of the run's folder.
    """
    from beansim.report import summary_text, write_report

    report = write_report(run, out, formats=formats, bootstrap=bootstrap, helper=helper)
    click.echo(summary_text(run, width=terminal_width()) if show is None else show(run))
    _say_where(report, quiet)


def print_document(report: Report, quiet: bool = False) -> None:
    """The sentences of a report on a strategy or on two runs, to stdout."""
    from beansim.report.terminal import document_text

    click.echo(document_text(report.data, terminal_width()))
    _say_where(report, quiet)


def _say_where(report: Report, quiet: bool) -> None:
    if not quiet:
        paths = [*report.files.values(), *report.tables]
        click.echo(f"report: {paths[0]}", err=True)
