"""House rules: variants that people write, in the `[variants.NAME]` tables of a TOML file.

[variants.five-fields]
extends = "base"                  # a variant of beansim or another one of this file
players = [3, 4]                  # numbers of players; those of the parent if left out
run_outs = 2                      # any rule option (`beansim variants base` shows them)
kinds = ["blue", {name = "red", count = 12}, {name = "pinto", count = 10, needed = [2, 4, 6, 8]}]

[variants.five-fields.by_players.3]
fields = 3                        # an option for one number of players
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from beansim.errors import InputError, unknown
from beansim.reading import check_number, check_text, placed, read_toml
from beansim.rules import MAX_PLAYERS, VARIANTS, Variant, find_variant

NOT_OPTIONS = ("extends", "players", "by_players", "title", "source")
"""Keys of a house variant that are no rule options."""


def named_variant(text: str, extra: Mapping[str, Variant] | None = None, where: str = "") -> Variant:
    """The variant called `text`, one of beansim or of `extra`; or the one of `FILE.toml:NAME`.

    `FILE.toml` alone will do where the file has one variant. Raises InputError with the nearest names.
    """
    path, dot_toml, name = text.partition(".toml")
    if not dot_toml:
        return find_variant(text, extra, where)
    path += dot_toml
    found = read_variants(path, read_toml(Path(path)).get("variants", {}))
    name = name.removeprefix(":")
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if name not in found:
        raise unknown("variant", name, found, path)
    return found[name]


def read_variants(where: str, data: Any) -> dict[str, Variant]:
    """The house variants of a file, checked; each extends a variant of beansim or another one of the file.

    Raises InputError for a name that beansim's own variants have, for a circle of extensions, for an
    option that there is none of, and for a rule set that is impossible with every number of players.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"{where}: variants is {data!r}, expected tables, each under [variants.NAME]")
    ready: dict[str, Variant] = {}
    for name in data:
        _read_variant(where, name, data, ready, ())
    return ready


def _check_possible(variant: Variant) -> None:
    """InputError, the first of several, where no number of players gives a possible rule set."""
    faults = []
    for number in variant.players:
        try:
            variant.rules(number)
        except InputError as error:
            faults.append(error)
    if len(faults) == len(variant.players):
        raise faults[0]


def _read_variant(
    where: str, name: str, data: Mapping[str, Any], ready: dict[str, Variant], above: tuple[str, ...]
) -> Variant:
    """The variant `name` of the file, or of beansim, its parents read before it."""
    place = f"{where}: [variants.{name}]"
    if name in above:
        raise InputError(f"{place}: extends itself by way of {' > '.join([*above, name])}")
    if name in ready:
        return ready[name]
    if name not in data:
        if name not in VARIANTS:
            raise unknown("variant", name, {*VARIANTS, *data}, f"{where}: [variants.{above[-1]}] extends")
        return VARIANTS[name]
    options = data[name]
    with placed(place):
        parent_name = _parent_name(name, options)
    parent = _read_variant(where, parent_name, data, ready, (*above, name))
    with placed(place):
        ready[name] = _extended(parent, name, options)
        _check_possible(ready[name])
    return ready[name]


def _parent_name(name: str, options: Any) -> str:
    if not isinstance(options, Mapping):
        raise InputError(f"{options!r} is not a table of rule options")
    if name in VARIANTS:
        raise InputError("beansim has a variant of this name, choose another")
    parent = options.get("extends", "base")
    check_text("", "extends", parent)
    return str(parent)


def _extended(parent: Variant, name: str, options: Mapping[str, Any]) -> Variant:
    for key in ("title", "source"):
        check_text("", key, options.get(key, ""))
    changes = {key: value for key, value in options.items() if key not in NOT_OPTIONS}
    by_players = _by_players(options.get("by_players", {}))
    made = parent.extended(name, changes, _numbers(options), by_players)
    return made.described(options.get("title", made.title), options.get("source", made.source))


def _numbers(options: Mapping[str, Any]) -> tuple[int, ...]:
    """Numbers of players as written: one or a list; none to take the parent's."""
    players = options.get("players", [])
    numbers = players if isinstance(players, list) else [players]
    if not numbers and "players" in options:
        raise InputError(f"players is [], expected numbers of players from 2 to {MAX_PLAYERS}")
    for number in numbers:
        check_number("", "players", number, 2, MAX_PLAYERS)
    return tuple(sorted(set(numbers)))


def _by_players(data: Any) -> dict[int, Mapping[str, Any]]:
    if not isinstance(data, Mapping):
        raise InputError(f"by_players is {data!r}, expected tables, each under by_players.NUMBER")
    found = {}
    for key, options in data.items():
        number = int(key) if str(key).isdecimal() else key
        check_number("by_players", "a number of players", number, 2, MAX_PLAYERS)
        if not isinstance(options, Mapping):
            raise InputError(f"by_players.{key} is {options!r}, expected a table of rule options")
        found[number] = options
    return found
