"""One game under the referee: from the deal or any position, action by action, to the winner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from beansim.errors import InputError
from beansim.referee import choices
from beansim.referee.actions import Action, Plant, Shuffle
from beansim.referee.duel import phases_of
from beansim.referee.forced import ForcedHarvest
from beansim.referee.illegal import IllegalAction
from beansim.referee.phases import Phase, PhaseName
from beansim.referee.pile import Step
from beansim.referee.position import Position, SeatPosition
from beansim.referee.table import Field, Seat, Table
from beansim.rules import Rules

Event = dict[str, Any]
"""One line of a record (RECORD.md)."""


class Game:
    """A game in progress. Players' choices and shuffles come in through `apply`, nothing else changes it.

    Attributes:
        rules: the rule options.
        table: all cards and where they are.
        start: the start seat.
        turn: turns begun; 0 during the deal.
        active: the active seat.
        phase: ``"deal"``, 1, 2, 3, 4 or ``"end"``.
        planted: cards planted from the hand in this phase 1.
        step_done: the cards of this phase have been turned up or drawn.
        discarded: a hand card has been discarded in this step 2 of the Duel.
        token: the seat that holds the draw token (house rule), or None.
        run_outs: run-outs of the draw pile so far.
        passes: shuffles so far.
        ending: why the game will end after this phase (``"exhausted"``, ``"no-discards"``), else None.
        winner: the winning seat, or the seats that share the win; None until the end.
        events: the log so far, to read only; `log` is a copy of it.
    """

    def __init__(self, rules: Rules, decks: Iterable[Iterable[str]] = (), start: int = 0) -> None:
        """Begin with the deal.

        Args:
            rules: the rule options.
            decks: draw piles, next card first, used one after the other whenever a shuffle is due;
                where they end, `awaits_shuffle` says that a `Shuffle` is to be applied.
            start: the start seat.
        """
        if not 0 <= start < rules.players:
            raise InputError(f"start seat {start}, expected 0 to {rules.players - 1}")
        self._set_up(rules, decks)
        self.start = self.active = start
        self.enter("deal")
        self._shuffle_from_decks()

    def _set_up(self, rules: Rules, decks: Iterable[Iterable[str]]) -> None:
        self.rules = rules
        seats = [Seat([Field() for _ in range(rules.fields)]) for _ in range(rules.players)]
        self.table = Table(rules, seats)
        self.turn = self.run_outs = self.passes = self.planted = 0
        self.step_done = self.discarded = False
        self.token: int | None = None
        self.phases = phases_of(rules)
        self.ending: str | None = None
        self.winner: int | list[int] | None = None
        self.step = Step()
        self.forced = ForcedHarvest()
        self.events: list[Event] = []
        self._decks = iter(decks)

    @classmethod
    def from_position(cls, position: Position, decks: Iterable[Iterable[str]] = ()) -> Game:
        """Go on from a position; InputError naming everything that is impossible about it."""
        position.check()
        game = cls.__new__(cls)
        game._set_up(position.rules, decks)
        for name in (
            "start",
            "active",
            "turn",
            "phase",
            "planted",
            "run_outs",
            "passes",
            "discarded",
            "token",
            "ending",
        ):
            setattr(game, name, getattr(position, name))
        game.step_done = position.drawn
        game.table = _lay_out(position)
        game.current = game.phases[game.phase]
        return game

    def position(self) -> Position:
        """The position now; InputError where one is in the middle of a move."""
        if self.awaits_shuffle or self.forced.seat is not None or self.phase in ("deal", "end"):
            raise InputError("a position stands between two moves of a game that goes on")
        table = self.table
        return Position(
            rules=self.rules,
            seats=tuple(_seat_position(seat) for seat in table.seats),
            pile=tuple(reversed(table.pile)),
            discards=tuple(table.discards),
            revealed=tuple(table.revealed),
            box=tuple(table.box),
            drawn=self.step_done,
            **{name: getattr(self, name) for name in ("start", "active", "turn", "planted", "run_outs")},
            **{name: getattr(self, name) for name in ("phase", "passes", "discarded", "token", "ending")},
        )

    @property
    def awaits_shuffle(self) -> bool:
        """Whether the next action must be a `Shuffle` of the discard pile (at first the full deck)."""
        return self.step.awaits_shuffle

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == "end"

    @property
    def log(self) -> tuple[Event, ...]:
        """Every event so far as RECORD.md writes it, the `game` line excepted; copies."""
        return tuple(dict(event) for event in self.events)

    def legal_actions(self, deals: bool = True) -> list[Action]:
        """Actions that are legal now, shuffles excepted.

        Args:
            deals: list the deals too: one card for one card and gifts of one card. Deals of more
                cards are too many to list; `apply` accepts them.
        """
        return choices.list_actions(self, deals)

    def verify(self, action: Action) -> None:
        """Raise IllegalAction, naming the rule and what it requires, unless `action` is legal now."""
        if self.step.awaits_shuffle or self.forced.seat is not None or self.phase == "end":
            self._verify_moment(action)
        action.verify(self)

    def apply(self, action: Action) -> None:
        """Verify `action`, carry it out, and write its events to the log."""
        # `verify` written out: this is the busiest place of a replay.
        if self.step.awaits_shuffle or self.forced.seat is not None or self.phase == "end":
            self._verify_moment(action)
        action.verify(self)
        action.do(self)
        if self.step.awaits_shuffle:
            self._shuffle_from_decks()

    def _verify_moment(self, action: Action) -> None:
        """The moments at which only one thing may happen, or nothing."""
        if self.phase == "end":
            raise IllegalAction("RULES 1.2 run-out", "the game is over")
        if self.step.awaits_shuffle and not isinstance(action, Shuffle):
            raise IllegalAction("RULES 1.2 run-out", "the draw pile is shuffled before anything else happens")
        if self.forced.seat is not None and not isinstance(action, Plant):
            raise IllegalAction(
                "RULES 1.2 harvest", f"seat {self.forced.seat} harvested to make room and must plant now"
            )

    def _shuffle_from_decks(self) -> None:
        for deck in self._decks:
            self.apply(Shuffle(tuple(deck)))
            if not self.awaits_shuffle:
                return

    def enter(self, phase: PhaseName) -> None:
        """Begin `phase`."""
        self.phase: PhaseName = phase
        self.current: Phase = self.phases[phase]
        self.current.setup(self)
        self.current.begin(self)

    def after_step(self) -> None:
        """A deal, reveal or draw step has stopped: the deal and the last draw lead on by themselves."""
        if self.step.awaits_shuffle:
            return
        self.current.after_step(self)
        if self.phase == "deal":
            self.enter(1)
        elif self.phase == 4 and self.ending:
            self.enter("end")

    def write(self, event: str, keys: Event) -> None:
        """Add one event to the log, with the turn and the phase."""
        self.events.append({"e": event, "turn": self.turn, "phase": self.phase, **keys})

    def seat(self, number: int) -> Seat:
        """What belongs to seat `number`; IllegalAction when there is no such seat."""
        if not 0 <= number < self.rules.players:
            raise IllegalAction("RULES 1.2 seats", f"seats are 0 to {self.rules.players - 1}, not {number}")
        return self.table.seats[number]

    def field(self, number: int, place: int) -> Field:
        """Field `place` of seat `number`; IllegalAction when there is no such seat or field."""
        seats = self.table.seats
        fields = (seats[number] if 0 <= number < len(seats) else self.seat(number)).fields
        if not 0 <= place < len(fields):
            raise IllegalAction(
                "RULES 1.2 fields", f"seat {number} has fields 0 to {len(fields) - 1}, not {place}"
            )
        return fields[place]

    def clockwise(self, first: int) -> Iterator[int]:
        """Every seat once, clockwise from `first`."""
        return ((first + step) % self.rules.players for step in range(self.rules.players))

    @staticmethod
    def new_field() -> Field:
        """An empty field."""
        return Field()


def _lay_out(position: Position) -> Table:
    seats = [
        Seat(
            [Field(*own) if own else Field() for own in seat.fields],
            list(seat.hand),
            list(seat.earnings),
            list(seat.received),
        )
        for seat in position.seats
    ]
    heaps = (list(cards) for cards in (position.discards, position.revealed, position.box))
    return Table(position.rules, seats, list(reversed(position.pile)), *heaps)


def _seat_position(seat: Seat) -> SeatPosition:
    return SeatPosition(
        fields=tuple((own.bean, own.cards) if own.cards else None for own in seat.fields),
        hand=tuple(seat.hand),
        earnings=tuple(seat.earnings),
        received=tuple(seat.received),
    )
