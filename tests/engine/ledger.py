"""Where every card is after each event of a record, kept apart from the engine and the referee."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

Event = Mapping[str, Any]


class Ledger:
    """Counts of cards by place; a card that leaves a place where it is not is an error."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.places: dict[str, Counter[str]] = {
            "box": Counter({k["name"]: k["count"] for k in rules["kinds"]})
        }

    def move(self, bean: str, source: str, target: str, cards: int = 1) -> None:
        place = self.places.setdefault(source, Counter())
        assert place[bean] >= cards, f"{cards} {bean} leave {source}, which has {place[bean]}"
        place[bean] -= cards
        self.places.setdefault(target, Counter())[bean] += cards

    def total(self) -> Counter[str]:
        return sum((+place for place in self.places.values()), Counter())

    def coins(self) -> int:
        return self.places.get("coins", Counter()).total()

    def post(self, event: Event) -> None:
        getattr(self, f"_{event['e']}", lambda event: None)(event)

    def _shuffle(self, event: Event) -> None:
        source = "box" if event["pass"] == 1 else "discards"
        assert Counter(event["deck"]) == +self.places[source], (
            "a shuffle takes the whole pile and nothing else"
        )
        for bean in event["deck"]:
            self.move(bean, source, "pile")

    def _draw(self, event: Event) -> None:
        for bean in event["beans"]:
            self.move(bean, "pile", f"hand {event['seat']}")

    def _reveal(self, event: Event) -> None:
        for bean in event["beans"]:
            self.move(bean, "pile", "revealed")

    def _plant(self, event: Event) -> None:
        source = event["from"] if event["from"] == "revealed" else f"{event['from']} {event['seat']}"
        self.move(event["bean"], source, f"field {event['seat']} {event['field']}")

    def _harvest(self, event: Event) -> None:
        field = f"field {event['seat']} {event['field']}"
        assert +self.places[field] == {event["bean"]: event["cards"]}, "the whole field is harvested"
        self.move(event["bean"], field, "coins", event["coins"])
        self.move(event["bean"], field, "discards", event["cards"] - event["coins"])

    def _trade(self, event: Event) -> None:
        for side, giver, taker in (("gives", "active", "partner"), ("gets", "partner", "active")):
            for card in event[side]:
                source = "revealed" if card["from"] == "revealed" else f"hand {event[giver]}"
                self.move(card["bean"], source, f"received {event[taker]}")

    def _end(self, event: Event) -> None:
        for seat, cards in enumerate(event["hand"]):
            assert self.places[f"hand {seat}"].total() == cards
        assert self.coins() == sum(event["coins"])


def states(events: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Ledger]]:
    """Each event with the ledger after it."""
    ledger = Ledger(events[0]["rules"])
    for event in events[1:]:
        ledger.post(event)
        yield event, ledger
