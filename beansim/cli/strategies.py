"""`beansim strategies`: which strategies there are, and everything about one."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beansim.errors import BeansimError
from beansim.experiment import strategy_folders
from beansim.report.text import aligned, filled

if TYPE_CHECKING:
    from beansim.strategy import Entrant
    from beansim.strategy.base import Param, StrategyMeta


@click.command()
@click.argument("name", required=False)
def strategies(name: str | None) -> None:
    """List the strategies, or describe the strategy NAME (or FILE.py:CLASS) in full."""
    from beansim.strategy import load

    folders = strategy_folders()
    if name:
        click.echo("\n".join(_lines(load(name, folders))))
    else:
        click.echo("\n\n".join(_entry(known, folders) for known in _names(folders)))


def _names(folders: tuple[Path, ...]) -> list[str]:
    from beansim.strategy import available, registered

    return sorted({**available(folders), **registered()})


# --- the list ---------------------------------------------------------------------------------


def _entry(name: str, folders: tuple[Path, ...]) -> str:
    """A strategy of the list; one that cannot be loaded says why instead of hiding the others."""
    from beansim.strategy import load

    try:
        return "\n".join(_short_lines(load(name, folders)))
    except BeansimError as error:
        return f"{name}: cannot be loaded: {error}"


def _short_lines(entrant: Entrant) -> Iterator[str]:
    head, parts = parts_of(_doc(entrant.cls))
    yield filled(f"{entrant.name}: {head}", more="    ")
    for title, text in parts.items():
        yield filled(f"{title}: {text}", "    ", "      ")
    if entrant.cls.params:
        values = [f"{item.name}={_default(item)}" for item in entrant.cls.params.values()]
        yield filled(f"Parameters: {', '.join(values)}", "    ", "      ")


def parts_of(doc: str) -> tuple[str, dict[str, str]]:
    """The first line of a strategy's docstring, and what it says under Idea, Source and the like."""
    pieces = re.split(r"^([A-Z][a-z]+): ", doc, flags=re.MULTILINE)
    texts = [" ".join(piece.split()) for piece in pieces]
    return texts[0], dict(zip(texts[1::2], texts[2::2], strict=True))


def _doc(cls: StrategyMeta) -> str:
    return inspect.cleandoc(cls.__doc__ or "no description")


def _default(item: Param) -> str:
    if item.names:
        return item.text(item.default)
    return str(item.default).lower() if item.kind is bool else f"{item.default:g}"


# --- one in full ------------------------------------------------------------------------------


def _lines(entrant: Entrant) -> Iterator[str]:
    how = "compiled" if entrant.compiled else "ordinary Python"
    yield f"{entrant.label} ({how}), {entrant.path}\n"
    yield from (
        filled(" ".join(part.split())) for part in re.split(r"\n(?=[A-Z][a-z]+: )|\n\n", _doc(entrant.cls))
    )
    params = entrant.cls.params.values()
    rows = [(item.name, _default(item), item.bounds, item.meaning) for item in params]
    if rows:
        yield ""
        yield aligned([("parameter", "default", "bounds", "meaning"), *rows])
        first = next(iter(params))
        yield f"\nin a line-up: {entrant.name}:{first.name}={_default(first)}"
    yield ""
    yield aligned([("hook", "decided by", "how"), *_hook_rows(entrant.cls)])


def _hook_rows(cls: StrategyMeta) -> Iterator[tuple[str, str, str]]:
    """Every hook: the class whose method answers it, and the first line of what that says."""
    from beansim.strategy import HOOKS
    from beansim.strategy.reach import is_silent

    for name in HOOKS:
        owner = next(base for base in cls.__mro__ if name in vars(base))
        said = "never acts" if is_silent(cls, name) else (inspect.getdoc(getattr(cls, name)) or "")
        yield name, owner.__name__, said.partition("\n")[0]
