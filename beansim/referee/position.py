"""A position: everything that a game needs to go on, as data and as JSON (docs/positions.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from beansim.errors import InputError
from beansim.referee.phases import PhaseName
from beansim.rules import Rules

Planted = tuple[str, int] | None
"""What one field holds: the kind and the number of cards; None when empty."""


@dataclass(frozen=True, slots=True)
class SeatPosition:
    """What belongs to one seat.

    Attributes:
        fields: each field's kind and number of cards, None where empty.
        hand: front card first.
        earnings: coin cards as kinds, bottom of the stack first.
        received: cards from deals, not yet planted.
    """

    fields: tuple[Planted, ...]
    hand: tuple[str, ...] = ()
    earnings: tuple[str, ...] = ()
    received: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A game between two moves.

    Attributes:
        rules: the rule options.
        seats: what belongs to each seat.
        pile: the draw pile, next card first.
        discards: the discard pile, top card last.
        revealed: turned-up cards that the active seat still holds (phases 2 and 3); in the Duel
            those turned up in step 3, and those on offer in steps 1 and 4.
        box: cards out of the game.
        start: the start seat.
        active: the active seat.
        turn: number of the turn, from 1.
        phase: 1 to 4.
        planted: cards already planted from the hand in this phase 1.
        drawn: the cards of this phase have been turned up or drawn.
        discarded: a hand card has been discarded in this step 2 of the Duel.
        token: the seat that holds the draw token (house rule), or None.
        run_outs: run-outs of the draw pile so far.
        passes: shuffles so far, the first included.
        ending: why the game ends after phase 3: ``"exhausted"``, ``"no-discards"``, or None.
    """

    rules: Rules
    seats: tuple[SeatPosition, ...]
    pile: tuple[str, ...] = ()
    discards: tuple[str, ...] = ()
    revealed: tuple[str, ...] = ()
    box: tuple[str, ...] = ()
    start: int = 0
    active: int = 0
    turn: int = 1
    phase: PhaseName = 1
    planted: int = 0
    drawn: bool = False
    discarded: bool = False
    token: int | None = None
    run_outs: int = 0
    passes: int = 1
    ending: str | None = None

    def check(self) -> None:
        """Raise InputError naming everything that is impossible about the position."""
        wrong = list(self.violations())
        if wrong:
            raise InputError("impossible position: " + "; ".join(wrong))

    def violations(self) -> Iterator[str]:
        """Everything that is impossible about the position, one sentence each."""
        yield from self._wrong_cards()
        yield from self._wrong_seats()
        yield from self._wrong_moment()
        yield from self._wrong_pile()

    def cards(self) -> Iterator[tuple[str, int]]:
        """Every card of the position as (kind, number) pairs; kinds repeat."""
        heaps = [self.pile, self.discards, self.revealed, self.box]
        for seat in self.seats:
            heaps += [seat.hand, seat.earnings, seat.received]
            yield from (own for own in seat.fields if own)
        yield from ((bean, 1) for heap in heaps for bean in heap)

    def _wrong_cards(self) -> Iterator[str]:
        total: Counter[str] = Counter()
        for bean, cards in self.cards():
            total[bean] += cards
        counts = {kind.name: kind.count for kind in self.rules.kinds}
        for bean, cards in total.items():
            if bean not in counts:
                yield f"{bean} is not in the deck"
            elif cards > counts[bean]:
                yield f"{cards} {bean} cards, the deck has {counts[bean]}"

    def _wrong_seats(self) -> Iterator[str]:
        rules = self.rules
        if len(self.seats) != rules.players:
            yield f"{len(self.seats)} seats, the rules are for {rules.players}"
        for name, place in (("start", self.start), ("active", self.active)):
            if not 0 <= place < rules.players:
                yield f"{name} is {place}, seats are 0 to {rules.players - 1}"
        for number, seat in enumerate(self.seats):
            if not rules.fields <= len(seat.fields) <= rules.max_fields:
                expected = f"{rules.fields} to {rules.max_fields}"
                yield f"seat {number} has {len(seat.fields)} fields, expected {expected}"
            if any(own and own[1] < 1 for own in seat.fields):
                yield f"seat {number} has a field without cards that is not null"

    def _wrong_moment(self) -> Iterator[str]:
        if self.turn < 1 or self.phase not in (1, 2, 3, 4):
            yield f"turn {self.turn}, phase {self.phase}: turns count from 1, phases are 1 to 4"
        duel = self.rules.turn == "duel"
        hand, step = (2, 3) if duel else (1, 2)
        if not 0 <= self.planted <= (2 if self.phase == hand else 0):
            yield f"planted is {self.planted}, at most 2 and in phase {hand} only"
        if self.drawn and self.phase not in (step, 4):
            yield f"drawn is for phases {step} and 4"
        if self.discarded and not (duel and self.phase == 2):
            yield "discarded is for step 2 of the Duel"
        received = any(seat.received for seat in self.seats)
        if duel:
            if received or (self.revealed and not (self.phase in (1, 4) or (self.phase == 3 and self.drawn))):
                yield "cards lie aside that are neither on offer nor just turned up"
        elif (received or self.revealed) and not (self.phase == 3 or (self.phase == 2 and self.drawn)):
            yield "cards lie aside outside phases 2 and 3"
        if self.token is not None and not (self.rules.token_at and 0 <= self.token < self.rules.players):
            yield f"token is {self.token}: a seat, where the rule set has a draw token"

    def _wrong_pile(self) -> Iterator[str]:
        if not self.pile and not self.run_outs and self.rules.exhaust == "last_card":
            yield "an empty pile has run out with its last card (A1), so run_outs is 1 or more"
        if not 0 <= self.run_outs <= self.rules.run_outs:
            yield f"run_outs is {self.run_outs}, the game ends at {self.rules.run_outs}"
        if self.ending not in (None, "exhausted", "no-discards") or (
            self.ending and self.phase not in (2, 3)
        ):
            yield f"ending is {self.ending!r} in phase {self.phase}"
        if (self.run_outs == self.rules.run_outs) != (self.ending == "exhausted"):
            yield "ending is 'exhausted' exactly from the last run-out on"

    def to_dict(self) -> dict[str, Any]:
        """The position as plain data that JSON can hold; `read_position` reads it back."""
        data: dict[str, Any] = {"position": 1}
        for field in fields(self):
            value = getattr(self, field.name)
            data[field.name] = list(value) if isinstance(value, tuple) else value
        data["rules"] = self.rules.to_dict()
        data["seats"] = [_seat_to_dict(seat) for seat in self.seats]
        return data


def _seat_to_dict(seat: SeatPosition) -> dict[str, Any]:
    return {
        "fields": [list(own) if own else None for own in seat.fields],
        "hand": list(seat.hand),
        "earnings": list(seat.earnings),
        "received": list(seat.received),
    }


def format_position(position: Position) -> str:
    """The position as JSON, one line; `parse_position` reads it back."""
    return json.dumps(position.to_dict())
