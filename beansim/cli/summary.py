"""Writes the report of a run and prints its summary table."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import click


def report_and_print(
    run: Path,
    out: Path,
    quiet: bool = False,
    show: Callable[[Path], str] | None = None,
    *,
    bootstrap: bool = False,
) -> None:
    """Write the report of the results in `run` to the folder `out`; the summary goes to stdout.

    `show` makes another text than the summary out of the run's folder.
    """
    from beansim.report import summary_text, write_report

    write_report(run, out, bootstrap=bootstrap)
    if show is not None:
        click.echo(show(run))
    else:
        click.echo(summary_text(run, width=shutil.get_terminal_size((100, 24)).columns))
    if not quiet:
        click.echo(f"report: {out / 'index.html'}", err=True)
