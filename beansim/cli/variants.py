"""`beansim variants`: which rule sets there are, and every rule of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from beansim.errors import InputError
from beansim.house import named_variant
from beansim.report.text import aligned, filled
from beansim.rules import VARIANTS, Kind, Rules, Variant

KIND_COLUMNS = ("kind", "cards", "cards for 1, 2, 3, 4 coins")


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every option resolved.")
def variants(name: str | None, as_json: bool) -> None:
    """List the variants, or show every rule of one.

    NAME is a variant that comes with beansim, or FILE.toml:NAME for a house variant.
    """
    chosen = [named_variant(name)] if name else list(VARIANTS.values())
    if as_json:
        click.echo(json.dumps({variant.name: describe(variant) for variant in chosen}, indent=1))
    elif name:
        click.echo("\n".join(_lines(chosen[0])))
    else:
        rows = [(variant.name, _players(variant), variant.title) for variant in chosen]
        click.echo(aligned([("variant", "players", "what it is"), *rows]))


def describe(variant: Variant) -> dict[str, Any]:
    """A variant as plain data, its options resolved for each number of players."""
    return {
        "title": variant.title,
        "source": variant.source,
        "players": list(variant.players),
        "rules": {str(rules.players): rules.to_dict() for rules in _possible(variant)},
    }


def _players(variant: Variant) -> str:
    low, high = min(variant.players), max(variant.players)
    return f"{low}-{high}" if low < high else str(low)


def _lines(variant: Variant) -> Iterator[str]:
    yield from (filled(f"{variant.name}: {variant.title}"), filled(f"source: {variant.source}"), "")
    all_rules = _possible(variant)
    yield aligned(list(_option_rows(all_rules)))
    for kinds in dict.fromkeys(rules.kinds for rules in all_rules):
        numbers = [str(rules.players) for rules in all_rules if rules.kinds == kinds]
        yield f"\ndeck with {', '.join(numbers)} players: {sum(kind.count for kind in kinds)} cards"
        yield aligned([KIND_COLUMNS, *((kind.name, str(kind.count), _steps(kind)) for kind in kinds)])


def _possible(variant: Variant) -> list[Rules]:
    """The rules for each number of players; house rules may be possible with some of them alone."""
    found = []
    for number in variant.players:
        try:
            found.append(variant.rules(number))
        except InputError:
            if variant.name in VARIANTS:
                raise
    return found


def _steps(kind: Kind) -> str:
    steps = "/".join(str(step or "-") for step in kind.needed)
    return steps if kind.field_at is None else f"{steps}; {kind.field_at} cards earn a field"


def _option_rows(all_rules: list[Rules]) -> Iterator[tuple[str, ...]]:
    """One row for each option, one column for each number of players."""
    yield ("option", *(f"{rules.players} players" for rules in all_rules))
    tables = [rules.to_dict() for rules in all_rules]
    for option in tables[0]:
        if option not in ("variant", "players", "kinds"):
            yield (option, *(_value(table[option]) for table in tables))


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return f"{value[0]} each" if len(set(value)) == 1 else "/".join(map(str, value))
    return str(value)
