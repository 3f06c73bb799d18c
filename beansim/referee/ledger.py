"""Book-keeping beside the game: no card appears, vanishes or changes its kind (RULES 5.1).

The ledger is kept from the events alone, and compared with the table after every pass and at the end:
a referee that moved other cards than it wrote down would be caught here, and so would one that lost a
card.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beansim.referee.illegal import IllegalAction
from beansim.referee.table import Table
from beansim.rules import Rules

Event = dict[str, Any]


class Ledger:
    """Cards of each kind in every zone of the table, posted event by event.

    Attributes:
        books: for each zone, the number of cards of each kind; a move takes from one zone and adds
            to another, so the sum over the zones stays what it was.
    """

    def __init__(self, rules: Rules, table: Table) -> None:
        self.rules = rules
        self.books = {zone: {k.name: cards[k.name] for k in rules.kinds} for zone, cards in table.zones()}

    def post(self, event: Event) -> None:
        """Book the moves of one event; IllegalAction when a zone has no such card to give."""
        posting = _POSTINGS.get(event["e"])
        if posting is not None:
            posting(self, event)

    def compare(self, table: Table) -> None:
        """IllegalAction unless every zone of the table holds exactly the cards in the books."""
        for zone, cards in table.zones():
            booked = {bean: number for bean, number in self.books[zone].items() if number}
            if booked != dict(cards):
                raise IllegalAction(
                    "RULES 5.1 conservation", f"{zone} should hold {booked}, not {dict(cards)}"
                )

    def _move(self, source: str, target: str, bean: str, cards: int) -> None:
        books = self.books
        left = books[source].get(bean, 0) - cards
        if left < 0 or cards < 0:
            raise IllegalAction("RULES 5.1 conservation", f"{source} has no {cards} {bean} to give")
        books[source][bean] = left
        books[target][bean] += cards

    def _carry(self, source: str, target: str, beans: list[str]) -> None:
        """Move single cards; the commonest entry of all, hence without a call for each card."""
        left, right = self.books[source], self.books[target]
        for bean in beans:
            if left.get(bean, 0) < 1:
                raise IllegalAction("RULES 5.1 conservation", f"{source} has no {bean} to give")
            left[bean] -= 1
            right[bean] += 1

    def _draw(self, event: Event) -> None:
        self._carry("pile", "hands", event["beans"])

    def _reveal(self, event: Event) -> None:
        self._carry("pile", "aside", event["beans"])

    def _plant(self, event: Event) -> None:
        self._move("hands" if event["from"] == "hand" else "aside", "fields", event["bean"], 1)

    def _harvest(self, event: Event) -> None:
        bean, coins = event["bean"], event["coins"]
        if coins:
            self._move("fields", "earnings", bean, coins)
        self._move("fields", "discards", bean, event["cards"] - coins)

    def _trade(self, event: Event) -> None:
        cards = (*event["gives"], *event["gets"])
        self._carry("hands", "aside", [card["bean"] for card in cards if card["from"] == "hand"])

    def _field(self, event: Event) -> None:
        heap = "discards" if self.rules.field_payment == "discard" else "box"
        self._carry("earnings", heap, event["paid"])

    def _discard(self, event: Event) -> None:
        self._move("hands" if event["from"] == "hand" else "aside", "discards", event["bean"], 1)

    def _match(self, event: Event) -> None:
        self._carry("discards", "aside", event["beans"])

    def _shuffle(self, event: Event) -> None:
        self._carry("discards", "pile", event["deck"])


_POSTINGS: dict[str, Callable[[Ledger, Event], None]] = {
    "draw": Ledger._draw,
    "reveal": Ledger._reveal,
    "plant": Ledger._plant,
    "harvest": Ledger._harvest,
    "trade": Ledger._trade,
    "field": Ledger._field,
    "discard": Ledger._discard,
    "match": Ledger._match,
    "shuffle": Ledger._shuffle,
}


def most_turns(rules: Rules) -> int:
    """The turn bound of RULES 5.7: a turn takes a fixed number of cards, and each pass has at most a deck.

    A step cut short because no card can be had (A4, play on) counts as a run-out, so those are bounded too.
    """
    drawers = rules.players if rules.draws == "everyone" else 1
    draw = min(rules.draw, rules.token_draw) if rules.token_at else rules.draw
    a_turn = rules.reveal + draw * drawers
    cards = rules.deck_size * rules.run_outs - sum(rules.hands)
    missed = rules.run_outs if rules.empty_discard == "play_on" else 0
    return cards // a_turn + missed + 1
