"""`beansim strategies`: which strategies there are, and the idea and parameters of one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beansim.cli.text import aligned
from beansim.errors import BeansimError
from beansim.experiment import strategy_folders

if TYPE_CHECKING:
    from beansim.strategy import Entrant


@click.command()
@click.argument("name", required=False)
def strategies(name: str | None) -> None:
    """List the strategies, or describe the strategy NAME (or FILE.py:CLASS)."""
    from beansim.strategy import available, load

    folders = strategy_folders()
    if name:
        click.echo("\n".join(_lines(load(name, folders))))
    else:
        rows = [(known, _first_line(known, folders)) for known in sorted(available(folders))]
        click.echo(aligned([("strategy", "its idea"), *rows]))


def _first_line(name: str, folders: tuple[Path, ...]) -> str:
    """The idea in one line; a strategy that cannot be loaded says why instead of hiding the others."""
    from beansim.strategy import load

    try:
        return _doc(load(name, folders)).partition("\n")[0]
    except BeansimError as error:
        return f"cannot be loaded: {error}"


def _doc(entrant: Entrant) -> str:
    return inspect.cleandoc(entrant.cls.__doc__ or "no description")


def _lines(entrant: Entrant) -> Iterator[str]:
    how = "compiled" if entrant.compiled else "interpreted Python"
    yield f"{entrant.label} ({how}), {entrant.path}\n"
    yield _doc(entrant)
    rows = [
        (item.name, f"{item.default:g}", f"{item.low:g} to {item.high:g}", item.meaning)
        for item in entrant.cls.params.values()
    ]
    if rows:
        yield ""
        yield aligned([("parameter", "default", "bounds", "meaning"), *rows])
        first = next(iter(entrant.cls.params.values()))
        yield f"\nin a line-up: {entrant.name}:{first.name}={first.default:g}"
