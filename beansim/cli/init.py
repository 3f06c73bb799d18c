"""`beansim init`: a workspace to start from."""

from __future__ import annotations

from pathlib import Path

import click

from beansim.cli import options
from beansim.report.names import for_shell


@click.command()
@click.argument("folder", type=options.FOLDER, metavar="DIR")
def init(folder: Path) -> None:
    """Make a workspace in DIR: a commented strategy, an experiment and a test.

    beansim looks for strategies and experiments in ./strategies and ./experiments before its own.
    """
    from beansim.workspace import make_workspace

    for path in make_workspace(folder):
        click.echo(path)
    click.echo("\nnext:", err=True)
    if folder.resolve() != Path.cwd():
        click.echo(f"  cd {for_shell([str(folder)])}", err=True)
    for command in ("beansim check first", "beansim run first", "python -m pytest"):
        click.echo(f"  {command}", err=True)
