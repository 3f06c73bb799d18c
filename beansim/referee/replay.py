"""Replaying records: every recorded choice is made again under the rules and compared.

The referee makes the choices of the record itself and writes its own log; the record holds when the
two agree event by event. What happens by itself (draws, run-outs, final harvests, the winner) is
thereby compared, and what somebody chose is judged by the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from beansim.referee.actions import Action, Draw, EndPhase, Reveal, Shuffle
from beansim.referee.game import Game
from beansim.referee.illegal import IllegalAction
from beansim.referee.ledger import Ledger, most_turns
from beansim.referee.record import (
    MAX_EVENTS,
    Header,
    RecordError,
    check_event,
    read_choice,
    read_header,
    read_line,
    rename_aliases,
    shown,
)
from beansim.rules import Rules
from beansim.rules.kinds import ALIASES

Event = dict[str, Any]

STEP_EVENTS = ("draw", "reveal", "match", "token", "exhausted", "shuffle")
"""Events that belong to a deal, reveal or draw step, which no player steers."""

_END_PHASE = EndPhase()
_STEPS: dict[str, Action] = {"reveal": Reveal(), "draw": Draw()}

PHASE_ORDER: dict[object, int] = {"deal": 0, 1: 1, 2: 2, 3: 3, 4: 4, "end": 5}

SECTIONS = {
    "shuffle": "RULES A2",
    "exhausted": "RULES A1",
    "draw": "RULES 1.2 phase 4",
    "reveal": "RULES 1.2 phase 2",
    "turn": "RULES 1.2 turn",
    "plant": "RULES 1.2 planting",
    "harvest": "RULES 1.2 harvest",
    "trade": "RULES 1.2 phase 2",
    "field": "RULES 2.1, 2.2 fields",
    "discard": "RULES 2.5",
    "leave": "RULES 2.5",
    "match": "RULES 2.5",
    "token": "RULES 3",
    "end": "RULES 1.2 run-out",
    "coins": "RULES 1.1 beanometer",
    "winner": "RULES A13",
    "why": "RULES 1.2 run-out",
}
"""The section that settles an event, or one of its keys."""


@dataclass(frozen=True, slots=True)
class Departure:
    """The first place where a record departs from the rules.

    Attributes:
        line: line number in the file, from 1.
        event: name of the event there, or ``"?"`` where the line cannot be read.
        rule: section of the rules, or ``"RECORD"`` for the format.
        requires: what is required instead.
    """

    line: int
    event: str
    rule: str
    requires: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.event}: {self.rule}: {self.requires}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What replaying one game has shown.

    Attributes:
        name: where the record came from, such as the file name.
        line: the line of the `game` line, from 1.
        game: the index of the game as its `game` line has it; None where that is unreadable.
        departure: the first departure, or None where the game holds.
        turns: turns begun.
        coins: coins by seat where the game holds, else empty.
        winner: the winning seat, or the seats that share the win, where the game holds.
    """

    name: str
    line: int
    game: int | None
    departure: Departure | None
    turns: int = 0
    coins: tuple[int, ...] = ()
    winner: int | tuple[int, ...] | None = None

    @property
    def holds(self) -> bool:
        """Whether the whole game keeps the rules."""
        return self.departure is None

    def __str__(self) -> str:
        game = "a game" if self.game is None else f"game {self.game}"
        if self.departure is not None:
            return f"{self.name}:{self.departure.line}: {game} does not hold: {self.departure}"
        won = f"seat {self.winner}" if isinstance(self.winner, int) else f"seats {self.winner} share"
        coins = " ".join(map(str, self.coins))
        return f"{self.name}:{self.line}: {game} holds: {self.turns} turns, coins {coins}, {won}"


class Replay:
    """One recorded game being replayed, event by event.

    Attributes:
        game: the referee's game; its log is what the record must be.
        matched: events of the log that the record has shown so far.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self.game = Game(header.rules, start=header.start)
        self.matched = 0
        self._events = self.game.events
        self._ledger = Ledger(header.rules, self.game.table)
        self._most_turns = most_turns(header.rules)
        self._passes_compared = 0
        names = header.rules.kind_names
        # Only a deck with the kind, under its own name alone, has anything to rename.
        self._has_aliases = any(kind in names and alias not in names for alias, kind in ALIASES.items())

    @property
    def finished(self) -> bool:
        """Whether the record has shown the whole game, its `end` line included."""
        return self.game.over and self.matched == len(self._events)

    def feed(self, event: Mapping[str, Any]) -> None:
        """Judge the next event; IllegalAction or RecordError on the first departure."""
        check_event(event)
        if self._has_aliases:
            event = rename_aliases(event, self.header.rules.kind_names)
        events, matched = self._events, self.matched
        if matched == len(events):
            self._act(event)
            if matched == len(events):
                raise self._not_due(event)
        own = events[matched]
        if event != own:
            _compare(event, own)
        self.matched += 1
        self._ledger.post(own)
        if own["e"] in ("turn", "end"):
            self._check_turn()

    def _check_turn(self) -> None:
        """The game keeps its turn bound; after each pass and at the end the books agree with the table."""
        game = self.game
        if game.passes != self._passes_compared or game.over:
            self._passes_compared = game.passes
            self._ledger.compare(game.table)
        if game.turn > self._most_turns:
            raise IllegalAction("RULES 5.7 termination", f"a game has at most {self._most_turns} turns")

    def _act(self, event: Mapping[str, Any]) -> None:
        """Make the choice that the event records, after the phases in which nobody chose anything."""
        game = self.game
        if game.phase != event["phase"] or game.turn != event["turn"]:
            self._advance(event)
            if self.matched < len(self._events):
                return
        if event["e"] in STEP_EVENTS:
            self._step(event)
            return
        if event["e"] in ("trade", "leave") and not game.step_done and game.current.step == "reveal":
            # Deals follow the reveal, which leaves no event behind where nothing is turned up.
            game.apply(self._next_by_itself())
        if self.matched == len(self._events) and (choice := read_choice(event)) is not None:
            game.apply(choice)

    def _advance(self, event: Mapping[str, Any]) -> None:
        """End phases until the one of the event, stopping where the rules have something happen."""
        game = self.game
        target = (event["turn"], event["phase"])
        if (target[0], PHASE_ORDER.get(target[1], -1)) < (game.turn, PHASE_ORDER[game.phase]):
            told = f"turn {shown(target[0])}, phase {shown(target[1])}"
            raise RecordError(f"this is turn {game.turn}, phase {game.phase}, not {told}")
        while (game.turn, game.phase) != target and not game.step.awaits_shuffle:
            game.apply(self._next_by_itself())
            if self.matched < len(self._events):
                return

    def _next_by_itself(self) -> Action:
        if self.game.step_done:
            return _END_PHASE
        return _STEPS.get(self.game.current.step, _END_PHASE)

    def _step(self, event: Mapping[str, Any]) -> None:
        """Begin the step of this phase unless it is under way, and shuffle where that is due."""
        game = self.game
        if game.current.step and not game.step_done:
            game.apply(self._next_by_itself())
        if game.awaits_shuffle and self.matched == len(self._events):
            if event["e"] != "shuffle":
                raise IllegalAction("RULES A2", f"the discard pile is shuffled before the next {event['e']}")
            game.apply(Shuffle(tuple(event["deck"])))

    def _not_due(self, event: Mapping[str, Any]) -> IllegalAction:
        game = self.game
        section = SECTIONS[event["e"]]
        if game.over:
            return IllegalAction("RECORD", "nothing follows the end line")
        return IllegalAction(section, f"no {event['e']} is due in turn {game.turn}, phase {game.phase}")


def _compare(event: Mapping[str, Any], own: Event) -> None:
    """IllegalAction naming the first key in which the record differs from the referee's own event."""
    name = own["e"]
    if event["e"] != name:
        raise IllegalAction(SECTIONS[name], f"the next event is {_told(own)}")
    for key, value in own.items():
        # The cards of a deal are the record's own, judged when the deal was made.
        if name == "leave" and key == "beans" and sorted(event[key]) == sorted(value):
            continue  # cards left on offer lie in no order
        if event[key] != value and key not in ("gives", "gets"):
            section = SECTIONS.get(key, SECTIONS[name])
            raise IllegalAction(section, f"{key} is {shown(value)}, the record has {shown(event[key])}")


def _told(event: Event) -> str:
    keys = ", ".join(f"{key} {shown(value)}" for key, value in event.items() if key not in ("e", "deck"))
    return f"{event['e']} ({keys})"


class _Judge:
    """Takes the lines of one record one after the other and hands out verdicts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.replay: Replay | None = None
        self.first_line = 0
        self.index: int | None = None
        self.skipping = False
        self._rules: Rules | None = None
        self._rules_text = ""

    def take(self, number: int, line: str | bytes | Mapping[str, Any]) -> tuple[Verdict, ...]:
        """Judge one line; most lines bring no verdict."""
        event: Mapping[str, Any] = {}
        try:
            event = read_line(line) if isinstance(line, (str, bytes)) else line
            if event.get("e") == "game":
                return self._begin(number, event)
            if self.skipping:
                return ()
            self._verify_place(number)
            assert self.replay is not None
            self.replay.feed(event)
            return (self._holds(),) if event["e"] == "end" and self.replay.finished else ()
        except (RecordError, IllegalAction) as error:
            # A foreign text may be in the message: one line of bounded length, whatever it holds.
            name, requires = shown(event.get("e", "?")), shown(error.requires, most=400)
            return self._depart(Departure(number, name, error.rule, requires))

    def close(self, number: int) -> tuple[Verdict, ...]:
        """The input has ended after line `number`."""
        if self.replay is None:
            return ()
        return self._depart(
            Departure(number, "?", "RECORD", "the record stops before the end line of its game")
        )

    def _begin(self, number: int, event: Mapping[str, Any]) -> tuple[Verdict, ...]:
        unfinished = self.close(number)
        self.first_line, self.skipping = number, False
        index = event.get("game")
        self.index = index if type(index) is int else None
        try:
            # The games of a run share their rules; reading them anew each time would cost most.
            text = repr(event.get("rules"))
            header = read_header(event, self._rules if text == self._rules_text else None)
            self._rules, self._rules_text = header.rules, text
            self.replay = Replay(header)
        except RecordError as error:
            unfinished += self._depart(Departure(number, "game", error.rule, error.requires))
        return unfinished

    def _verify_place(self, number: int) -> None:
        """Refuse an event outside a game, and a game that goes on for ever."""
        if self.replay is None:
            raise RecordError(
                "a record begins with a game line, and nothing follows an end line but the next one"
            )
        if number - self.first_line > MAX_EVENTS:
            raise RecordError(f"a game has at most {MAX_EVENTS} lines")

    def _holds(self) -> Verdict:
        assert self.replay is not None
        game = self.replay.game
        coins = tuple(len(seat.earnings) for seat in game.table.seats)
        winner = tuple(game.winner) if isinstance(game.winner, list) else game.winner
        verdict = Verdict(self.name, self.first_line, self.index, None, game.turn, coins, winner)
        self.replay, self.index, self.first_line = None, None, 0
        return verdict

    def _depart(self, departure: Departure) -> tuple[Verdict, ...]:
        """The game does not hold; its remaining lines are passed over."""
        if self.skipping:
            return ()
        turns = self.replay.game.turn if self.replay is not None else 0
        self.replay, self.skipping = None, True
        return (Verdict(self.name, self.first_line or departure.line, self.index, departure, turns),)


def replay_lines(lines: Iterable[str | bytes], name: str) -> Iterator[Verdict]:
    """Replay every game of a record, one verdict per game, in constant memory.

    Args:
        lines: the lines of the record (`bounded_lines` reads them safely from a file).
        name: what verdicts call the record.
    """
    judge = _Judge(name)
    number = 0
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace() and (verdicts := judge.take(number, line)):
            yield from verdicts
    yield from judge.close(number)


def replay_events(events: Iterable[Mapping[str, Any]], name: str = "record") -> Verdict:
    """Replay one game given as events, its `game` line first; the first departure counts.

    Raises:
        RecordError: there is no event at all.
    """
    judge = _Judge(name)
    number = 0
    verdicts: list[Verdict] = []
    for number, event in enumerate(events, start=1):
        verdicts += judge.take(number, event)
    verdicts += judge.close(number)
    if not verdicts:
        raise RecordError("a record begins with a game line")
    return next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])
