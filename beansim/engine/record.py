"""From the engine's event rows to a game record (RECORD.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import beansim
from beansim.engine import events
from beansim.rules import Rules

_PHASES = {0: "deal", 1: 1, 2: 2, 3: 3, 4: 4, 5: "end"}
_FROM = ("hand", "revealed", "received", "offer")
_WHY = ("forced", "early", "final")
_HOW = ("bought", "field-bean")
_END = ("exhausted", "no-discards")


def read_log(log: np.ndarray[Any, Any]) -> list[list[int]]:
    """Event rows as lists of Python integers."""
    return [[int(number) for number in row] for row in log]


def write_record(
    rules: Rules,
    labels: Sequence[str],
    seed: int,
    game: Any,
    seat_rows: np.ndarray[Any, Any],
    log: list[list[int]],
) -> list[dict[str, Any]]:
    """All events of one game, first `game`, last `end`.

    A game that a refused answer ended has no `end` event.
    """
    head = {
        "e": "game",
        "record": 1,
        "beansim": beansim.__version__,
        "variant": rules.variant,
        "rules": rules.to_dict(),
        "seed": seed,
        "game": int(game["deal"]),
        "seating": int(game["seating"]),
        "players": list(labels),
        "start": 0,
    }
    body = list(_Reader(rules.kind_names, log).events())
    if body and body[-1]["e"] == "end":
        body[-1].update(_result(game, seat_rows))
    return [head, *body]


def _result(game: Any, seat_rows: np.ndarray[Any, Any]) -> dict[str, Any]:
    winners = [seat for seat in range(len(seat_rows)) if int(game["winners"]) >> seat & 1]
    return {
        "coins": [int(coins) for coins in seat_rows["coins"]],
        "hand": [int(cards) for cards in seat_rows["hand_left"]],
        "winner": winners[0] if len(winners) == 1 else winners,
        "turns": int(game["turns"]),
    }


class _Reader:
    """Turns rows into events; rows of one run of cards become one event."""

    def __init__(self, names: Sequence[str], log: list[list[int]]) -> None:
        self.names = names
        self.log = log
        self.at = 0
        self.readers = {
            events.SHUFFLE: self._shuffle,
            events.DRAW: self._draw,
            events.TURN: lambda row: {"e": "turn", "seat": row[3]},
            events.PLANT: self._plant,
            events.HARVEST: self._harvest,
            events.REVEAL: self._reveal,
            events.TRADE: self._trade,
            events.EXHAUSTED: lambda row: {"e": "exhausted", "count": row[3]},
            events.FIELD: self._field,
            events.DISCARD: self._discard,
            events.LEAVE: lambda row: {"e": "leave", "seat": row[3], "beans": self._cards(row[4])},
            events.MATCH: lambda row: {"e": "match", "seat": row[3], "beans": self._run(row)},
            events.TOKEN: lambda row: {"e": "token", "seat": row[3]},
            events.END: lambda row: {"e": "end", "why": _END[row[3]]},
        }

    def events(self) -> Iterator[dict[str, Any]]:
        """Every event with its turn and phase."""
        while self.at < len(self.log):
            row = self.log[self.at]
            self.at += 1
            event = self.readers[row[0]](row)
            event["turn"], event["phase"] = row[1], _PHASES[row[2]]
            yield event

    def _cards(self, count: int) -> list[str]:
        """The CARD rows that follow."""
        rows = self.log[self.at : self.at + count]
        self.at += count
        return [self.names[row[3]] for row in rows]

    def _run(self, row: list[int]) -> list[str]:
        """This card and the directly following ones to the same seat in the same phase."""
        names = [self.names[row[4]]]
        while self.at < len(self.log) and self.log[self.at][:4] == row[:4]:
            names.append(self.names[self.log[self.at][4]])
            self.at += 1
        return names

    def _shuffle(self, row: list[int]) -> dict[str, Any]:
        return {"e": "shuffle", "pass": row[3], "deck": self._cards(row[4])}

    def _draw(self, row: list[int]) -> dict[str, Any]:
        return {"e": "draw", "seat": row[3], "beans": self._run(row)}

    def _reveal(self, row: list[int]) -> dict[str, Any]:
        return {"e": "reveal", "seat": row[3], "beans": self._run(row)}

    def _plant(self, row: list[int]) -> dict[str, Any]:
        return {
            "e": "plant",
            "seat": row[3],
            "bean": self.names[row[4]],
            "field": row[5],
            "from": _FROM[row[6]],
        }

    def _harvest(self, row: list[int]) -> dict[str, Any]:
        return {
            "e": "harvest",
            "seat": row[3],
            "field": row[4],
            "bean": self.names[row[5]],
            "cards": row[6],
            "coins": row[7],
            "why": _WHY[row[8]],
        }

    def _trade(self, row: list[int]) -> dict[str, Any]:
        sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
        for card in self.log[self.at : self.at + row[5] + row[6]]:
            item: dict[str, Any] = {"bean": self.names[card[4]], "from": _FROM[card[5]]}
            if item["from"] == "hand":
                item["position"] = card[6]
            sides[card[3]].append(item)
        self.at += row[5] + row[6]
        return {"e": "trade", "active": row[3], "partner": row[4], "gives": sides[0], "gets": sides[1]}

    def _discard(self, row: list[int]) -> dict[str, Any]:
        event = {"e": "discard", "seat": row[3], "bean": self.names[row[4]], "from": _FROM[row[5]]}
        return event | {"position": row[6]} if event["from"] == "hand" else event

    def _field(self, row: list[int]) -> dict[str, Any]:
        return {"e": "field", "seat": row[3], "how": _HOW[row[4]], "paid": self._cards(row[5])}
