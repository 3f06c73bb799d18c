"""`beansim variants`: which rule sets there are, and every rule of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from beansim.cli.text import aligned
from beansim.rules import VARIANTS, Kind, Rules, Variant, find_variant

KIND_COLUMNS = ("kind", "cards", "cards for 1, 2, 3, 4 coins")


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every option resolved.")
def variants(name: str | None, as_json: bool) -> None:
    """List the variants, or show every rule of the variant NAME."""
    chosen = [find_variant(name)] if name else list(VARIANTS.values())
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
        "rules": {str(number): variant.rules(number).to_dict() for number in variant.players},
    }


def _players(variant: Variant) -> str:
    low, high = min(variant.players), max(variant.players)
    return f"{low}-{high}" if low < high else str(low)


def _lines(variant: Variant) -> Iterator[str]:
    yield from (f"{variant.name}: {variant.title}", f"source: {variant.source}", "")
    all_rules = [variant.rules(number) for number in variant.players]
    yield aligned(list(_option_rows(all_rules)))
    for kinds in dict.fromkeys(rules.kinds for rules in all_rules):
        numbers = [str(rules.players) for rules in all_rules if rules.kinds == kinds]
        yield f"\ndeck with {', '.join(numbers)} players: {sum(kind.count for kind in kinds)} cards"
        steps = [
            (kind.name, kind.count, "/".join(str(step or "-") for step in kind.needed)) for kind in kinds
        ]
        yield aligned([KIND_COLUMNS, *steps])


def _steps(kind: Kind) -> str:
    return "/".join(str(step or "-") for step in kind.needed)


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
