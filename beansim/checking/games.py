"""One game, whatever way it was played: its events, its result, and where it is found again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from beansim.engine import Arm, Batch

Event = dict[str, Any]
"""One line of a record (RECORD.md)."""


@dataclass(frozen=True)
class Difference:
    """The first place where two ways of playing one game part.

    Attributes:
        ways: names of the two ways, the one that is taken for right last.
        place: arm, seed, deal and seating: how to play the game again.
        line: line of the record, from 1; 0 where it is no line that differs.
        detail: what the two say there.
        events: the record of the game as the first way played it.
    """

    ways: tuple[str, str]
    place: str
    line: int
    detail: str
    events: Sequence[Event]

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{self.place}: {self.ways[0]} differs from {self.ways[1]}: {where}{self.detail}"


def place_of(batch: Batch, row: int) -> str:
    """Where a game of a batch is found again."""
    game = batch.games[row]
    return place_text(batch.arm, batch.seed, int(game["deal"]), int(game["seating"]))


def place_text(arm: Arm, seed: int, deal: int, seating: int) -> str:
    """Variant, players by seat, seed, deal and seating: what plays a game again."""
    players = ",".join(arm.lineup[entry].label for entry in arm.seatings[seating])
    return f"{arm.rules.variant}, {players}, seed {seed}, deal {deal}, seating {seating}"


def first_difference(one: Sequence[Event], two: Sequence[Event]) -> tuple[int, str] | None:
    """Line and text of the first event in which two records differ, or None."""
    for line, (ours, theirs) in enumerate(zip(one, two, strict=False), start=1):
        if ours != theirs:
            return line, f"{_told(ours)} against {_told(theirs)}"
    if len(one) != len(two):
        return min(len(one), len(two)) + 1, f"{len(one)} events against {len(two)}"
    return None


def _told(event: Event) -> str:
    text = json.dumps(event, separators=(",", ":"))
    return text if len(text) <= 160 else f"{text[:160]}..."


def arm_recipe(arm: Arm) -> dict[str, Any]:
    """The arm as plain data, so that another process can build it again (`arm_from`)."""
    return {
        "name": arm.name,
        "rules": arm.rules.to_dict(),
        "lineup": [entrant.spec for entrant in arm.lineup],
        "seatings": [list(seating) for seating in arm.seatings],
        "number": arm.number,
    }


def arm_from(recipe: dict[str, Any]) -> Arm:
    """The arm that `arm_recipe` described; the errors are those of `load` and of the rules."""
    from beansim.rules import Rules
    from beansim.strategy import load

    return Arm(
        recipe["name"],
        Rules.from_dict(recipe["rules"]),
        tuple(load(spec) for spec in recipe["lineup"]),
        tuple(tuple(seating) for seating in recipe["seatings"]),
        recipe["number"],
    )
