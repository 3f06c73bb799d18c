"""What lies on the table: fields, hands, earnings, draw pile, discard pile, cards set aside.

Nothing here decides whose turn it is; the questions answered are those that the cards alone answer
(does this card fit a field, is this field protected, what does it pay).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from beansim.rules import Kind, Rules


@dataclass(slots=True)
class Field:
    """One field: the kind that grows there and how many cards of it; no kind and 0 when empty."""

    bean: str = ""
    cards: int = 0

    def clear(self) -> None:
        """Leave the field empty."""
        self.bean, self.cards = "", 0


@dataclass(slots=True)
class Seat:
    """What belongs to one seat.

    Attributes:
        fields: the seat's fields, in their fixed order.
        hand: cards in hand, front first; the order never changes (RULES 1.2).
        earnings: coin cards as the kinds they were, bottom of the stack first (RULES 2.2).
        received: cards from deals, set aside until phase 3.
    """

    fields: list[Field]
    hand: list[str] = field(default_factory=list)
    earnings: list[str] = field(default_factory=list)
    received: list[str] = field(default_factory=list)

    def grows(self, bean: str) -> bool:
        """Whether one of the fields grows `bean`."""
        return any(own.bean == bean for own in self.fields)


@dataclass(slots=True)
class Table:
    """All cards of the game and where they are.

    Attributes:
        rules: the rule options of the game.
        seats: what belongs to each seat.
        pile: the draw pile, next card last.
        discards: the discard pile, top card last.
        revealed: turned-up cards that the active seat still holds (RULES 1.2 phase 2).
        box: cards out of the game (coins paid to the box, RULES 2.5).
    """

    rules: Rules
    seats: list[Seat]
    pile: list[str] = field(default_factory=list)
    discards: list[str] = field(default_factory=list)
    revealed: list[str] = field(default_factory=list)
    box: list[str] = field(default_factory=list)
    kinds: dict[str, Kind] = field(init=False, repr=False)
    _coins: dict[str, tuple[int, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.kinds = {kind.name: kind for kind in self.rules.kinds}
        self._coins = {kind.name: _beanometer(kind) for kind in self.rules.kinds}

    def is_protected(self, seat: int, place: int) -> bool:
        """Whether bean protection forbids harvesting this field (RULES 1.2, A5)."""
        fields = self.seats[seat].fields
        if fields[place].cards != 1:
            return False
        others = [own.cards for number, own in enumerate(fields) if number != place]
        if self.rules.protect == "all_single":
            return others.count(1) < len(others)
        return max(others, default=0) >= 2

    def earns_field(self, bean: str, cards: int) -> bool:
        """Whether this harvest is worth a field instead of coins (the field bean, RULES 2.1)."""
        return self.kinds[bean].field_at == cards

    def coins_for(self, bean: str, cards: int) -> int:
        """Coins for harvesting `cards` cards of `bean` by its beanometer (RULES 1.1)."""
        return 0 if self.earns_field(bean, cards) else self._coins[bean][cards]

    def zones(self) -> Iterator[tuple[str, Counter[str]]]:
        """Cards of each kind in every zone of the table, counted anew."""
        yield "pile", Counter(self.pile)
        yield "discards", Counter(self.discards)
        yield "box", Counter(self.box)
        yield "aside", Counter(chain(self.revealed, *(seat.received for seat in self.seats)))
        yield "hands", Counter(chain.from_iterable(seat.hand for seat in self.seats))
        yield "earnings", Counter(chain.from_iterable(seat.earnings for seat in self.seats))
        planted = (own for seat in self.seats for own in seat.fields)
        yield "fields", Counter(chain.from_iterable([own.bean] * own.cards for own in planted))


@lru_cache(maxsize=256)
def _beanometer(kind: Kind) -> tuple[int, ...]:
    """Coins for 0, 1, ... cards, up to every card of the kind: read at every harvest, worked out once."""
    return tuple(kind.coins(cards) for cards in range(kind.count + 1))


def full_deck(rules: Rules) -> list[str]:
    """Every card of the deck, kind by kind."""
    return [kind.name for kind in rules.kinds for _ in range(kind.count)]
