"""Games on a stacked deck against scripted opponents, and what is read from their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from beansim.checking.tables import rules_of, table_of
from beansim.engine import describe_error, play_deck
from beansim.rules import Rules

SCRIPTS = Path(__file__).with_name("scripted.py")
LETTERS = dict(
    zip("BCSGYERA", ("blue", "chili", "stink", "green", "soy", "black-eyed", "red", "garden"), strict=True)
)
"""One letter for each kind of the base game: A is garden, E black-eyed, Y soy."""


def game(players: Sequence[str], deck: str, rules: Rules | None = None) -> list[dict[str, Any]]:
    """The record of one game; `Name` is a scripted opponent, `name` a strategy.

    `deck` gives the first cards by letter: five for each seat, two revealed, three drawn, and so on. The
    rest of the deck follows kind by kind.
    """
    rules = rules or rules_of("base", len(players))
    specs = [f"{SCRIPTS}:{name}" if name[0].isupper() else name for name in players]
    arm = table_of(rules, specs)
    names = [LETTERS[letter] for letter in deck.replace(" ", "")]
    left = Counter({kind.name: kind.count for kind in rules.kinds})
    left.subtract(names)
    order = {name: number for number, name in enumerate(rules.kind_names)}
    cards = [order[name] for name in (*names, *left.elements())]
    batch = play_deck(arm, 1, 0, 0, cards)
    assert batch.games["status"][0] == 0, describe_error(arm, batch.games[0], 1)
    return batch.records(0)


def trades(events: list[dict[str, Any]], turns: int = 1) -> list[str]:
    """Deals of the first turns, as `0>2: B+C for A` (active seat, partner, given, got)."""
    return [
        f"{event['active']}>{event['partner']}: {_cards(event['gives'])} for {_cards(event['gets'])}"
        for event in events
        if event["e"] == "trade" and event["turn"] <= turns
    ]


def _cards(side: list[dict[str, Any]]) -> str:
    letters = {name: letter for letter, name in LETTERS.items()}
    return "+".join(sorted(letters[card["bean"]] for card in side)) or "nothing"


def happened(events: list[dict[str, Any]], what: str, seat: int, turns: int) -> list[dict[str, Any]]:
    """Events of a kind that a seat made in the first turns."""
    return [
        event
        for event in events
        if event["e"] == what and event.get("seat") == seat and event.get("turn", 99) <= turns
    ]
