"""Named variants: option sets over the base game, each with its source (RULES 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from beansim.errors import InputError, unknown
from beansim.rules.options import OPTION_NAMES, Rules, read_options

BASE_KINDS = ["blue", "chili", "stink", "green", "soy", "black-eyed", "red", "garden"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A named rule set.

    Attributes:
        name: what `--variant` takes.
        title: one line for people.
        source: where the rules come from (RULES section and source keys).
        players: numbers of players it is defined for.
        options: rule options as plain data, the same for every number of players.
        by_players: options that depend on the number of players; they win over `options`.
    """

    name: str
    title: str
    source: str
    players: tuple[int, ...]
    options: Mapping[str, Any]
    by_players: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    def rules(self, players: int) -> Rules:
        """Resolve every option for `players` seats; InputError when the variant has no such game."""
        if players not in self.players:
            low, high = min(self.players), max(self.players)
            raise InputError(
                f"variant {self.name!r} is for {low} to {high} players, got {players}"
                if low < high
                else f"variant {self.name!r} is for {low} players, got {players}"
            )
        where = f"variant {self.name!r}"
        options = {**self.options, **self.by_players.get(players, {})}
        options.setdefault("hands", [5] * players)
        options.setdefault("max_fields", options.get("fields"))
        return Rules(variant=self.name, players=players, **read_options(options, where))

    def extended(self, name: str, options: Mapping[str, Any], players: tuple[int, ...] = ()) -> Variant:
        """A new variant: this one with `options` changed (they also win over `by_players`)."""
        for option in options:
            if option not in OPTION_NAMES or option in ("variant", "players"):
                raise unknown("rule option", option, OPTION_NAMES, f"variant {name!r}")
        by_players = {
            number: {key: value for key, value in changes.items() if key not in options}
            for number, changes in self.by_players.items()
        }
        return Variant(
            name=name,
            title=f"{self.title}, changed",
            source=f"house rules over {self.name!r}",
            players=players or self.players,
            options={**self.options, **options},
            by_players=by_players,
        )


_BASE = Variant(
    name="base",
    title="Base game, 25th anniversary edition",
    source="RULES 1 (S0, S4)",
    players=(3, 4, 5),
    options={"kinds": BASE_KINDS, "fields": 2},
    by_players={3: {"fields": 3}},
)

VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        _BASE,
        Variant(
            name="two-pass",
            title="Two-pass harvest: the game ends on the second run-out",
            source="RULES 2.1 (S4, house suggestion)",
            players=(3, 4, 5),
            options={**_BASE.options, "run_outs": 2},
            by_players=_BASE.by_players,
        ),
    )
}
"""Every variant that comes with beansim, by name."""


def find_variant(name: str, extra: Mapping[str, Variant] | None = None, where: str = "") -> Variant:
    """The variant called `name`, out of `extra` or the built-in ones; InputError otherwise."""
    known = {**VARIANTS, **(extra or {})}
    if name not in known:
        raise unknown("variant", name, known, where)
    return known[name]


def resolve(name: str, players: int) -> Rules:
    """Rules of the built-in variant `name` for `players` seats."""
    return find_variant(name).rules(players)
