"""`beansim report`: the report of a run, written again from its results."""

from __future__ import annotations

from pathlib import Path

import click

from beansim.cli import options


@click.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", type=options.FOLDER, metavar="DIR", help="Folder of the report [RUN itself].")
@click.option(
    "--bootstrap", is_flag=True, help="With bootstrap (BCa) intervals beside the usual ones; takes long."
)
def report(run: Path, out: Path | None, bootstrap: bool) -> None:
    """Write the report of the results in the folder RUN again; plays nothing."""
    from beansim.cli.summary import report_and_print

    report_and_print(run, out or run, bootstrap=bootstrap)
