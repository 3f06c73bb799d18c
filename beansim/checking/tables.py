"""Tables to check things at: rule sets, line-ups and seatings in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from beansim.engine import Arm
from beansim.rules import VARIANTS, Rules, find_variant
from beansim.strategy import Entrant, available, load


def rules_of(variant: str, players: int, **options: Any) -> Rules:
    """A variant for `players` seats with options changed; InputError where that is no rule set."""
    return replace(find_variant(variant).rules(players), **options)


def rotations(players: int) -> tuple[tuple[int, ...], ...]:
    """Every rotation of a line-up around the table."""
    return tuple(tuple((entry + turn) % players for entry in range(players)) for turn in range(players))


def table_of(
    rules: Rules, strategies: Sequence[str | Entrant], *, rotate: bool = False, folders: Sequence[Path] = ()
) -> Arm:
    """An arm with one strategy per seat, as `load` takes them; seated as written, or in all rotations."""
    lineup = tuple(item if isinstance(item, Entrant) else load(item, folders) for item in strategies)
    seatings = rotations(rules.players) if rotate else (tuple(range(rules.players)),)
    return Arm(f"{rules.variant}, {rules.players} players", rules, lineup, seatings)


def cycled(strategies: Sequence[str | Entrant], players: int, first: int = 0) -> list[str | Entrant]:
    """A line-up of `players` out of a list, going round it from its entry `first` on."""
    return [strategies[(first + seat) % len(strategies)] for seat in range(players)]


def every_table(strategies: Sequence[str | Entrant] = ()) -> list[Arm]:
    """For each variant and number of players: tables at which each strategy sits at least once.

    Without `strategies`, every compiled one that comes with beansim: ordinary Python is the same code in
    any way of playing, and takes long.
    """
    names = list(strategies) or [name for name in available() if load(name).compiled]
    return [
        table_of(find_variant(variant).rules(players), cycled(names, players, first))
        for variant, known in VARIANTS.items()
        for players in known.players
        if players <= 7
        for first in range(0, len(names), players)
    ]
