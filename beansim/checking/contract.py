"""Does a strategy keep its contract? Each check says what it found; nothing is repaired.

The same checks stand behind `beansim check STRATEGY` and the test that every shipped strategy passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from beansim.checking.blind import peeks, record_calls
from beansim.checking.elsewhere import BOUNDS_CHECKED, play_elsewhere
from beansim.checking.games import first_difference
from beansim.checking.tables import rules_of, table_of
from beansim.engine import Arm, Batch, describe_error, play, warm
from beansim.errors import BeansimError
from beansim.strategy import HOOKS, Entrant, load

VARIANTS = ("base", "two-pass")
PLAYERS = (3, 4, 5)
FEW = 3
"""Deals where every single decision is looked at, or a slow way of playing is taken."""
EQUAL = 20
"""Deals that are played with compiled and with interpreted hooks."""
YARDSTICK = "trader"
"""The strategy whose speed stands beside."""
TIMED = 0.5
"""Seconds of CPU time that a speed is measured for, at least."""


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Attributes:
        check: what was checked.
        passed: whether the contract is kept there; None where it does not apply.
        detail: what was seen.
    """

    check: str
    passed: bool | None
    detail: str


class BrokenError(BeansimError):
    """The contract is broken; the message says how."""


@dataclass(frozen=True)
class Subject:
    """A strategy under check.

    Attributes:
        entrant: the strategy with its parameters.
        deals: deals at each table at which its answers have to be legal.
        seed: fixes all luck.
    """

    entrant: Entrant
    deals: int
    seed: int = 1

    @cached_property
    def tables(self) -> list[Arm]:
        """Tables of every size in both variants, beside random play and the trader, and a Duel last."""
        lineup = (self.entrant, load("random"), load(YARDSTICK), self.entrant, load("random"))
        rules = [rules_of(variant, players) for variant in VARIANTS for players in PLAYERS]
        return [table_of(each, lineup[: each.players]) for each in (*rules, rules_of("duel", 2))]

    @property
    def table(self) -> Arm:
        """The base game for four: the strategy twice, random play and the trader."""
        return self.tables[PLAYERS.index(4)]

    @property
    def samples(self) -> tuple[Arm, Arm]:
        """A table of each kind of turn: the base game for four, and the Duel."""
        return self.table, self.tables[-1]


def _compiles(subject: Subject) -> str:
    """Every hook becomes machine code, or the class says that it is ordinary Python."""
    warm(subject.samples)
    return "every hook" if subject.entrant.compiled else "ordinary Python: compiled = False"


def _is_legal(subject: Subject) -> str:
    """Every game ends by the rules."""
    games = 0
    for arm in subject.tables:
        batch = play(arm, subject.seed, 0, subject.deals)
        _refuse_errors(batch)
        games += len(batch.games)
    return f"{games:,} games at {len(subject.tables)} tables ended by the rules"


def _refuse_errors(batch: Batch) -> None:
    wrong = np.flatnonzero(batch.games["status"])
    if len(wrong):
        error = describe_error(batch.arm, batch.games[wrong[0]], batch.seed)
        raise BrokenError(f"{len(wrong)} of {len(batch.games)} games ended with an error: {error}")


def _is_deterministic(subject: Subject) -> str:
    """A game depends on its seed, deal and seating: not on what was played before it."""
    deals = min(subject.deals, 10)
    whole = play(subject.table, subject.seed, 0, deals)
    for deal in reversed(range(deals)):
        alone = play(subject.table, subject.seed, deal, 1)
        players = len(subject.table.lineup)
        if not np.array_equal(alone.seats, whole.seats[deal * players : (deal + 1) * players]):
            raise BrokenError(f"deal {deal} alone is another game than deal {deal} after {deal} others")
    return f"{deals} deals alone, in any order, are those of a range"


def _equals_interpreted(subject: Subject) -> str:
    """Compiled and interpreted hooks play the same games."""
    deals = min(subject.deals, EQUAL)
    for arm in subject.samples:
        native = play(arm, subject.seed, 0, deals, log=True)
        python = play(arm, subject.seed, 0, deals, log=True, interpreted=True)
        for row in range(deals):
            found = first_difference(native.records(row), python.records(row))
            if found is not None:
                place = f"{arm.rules.variant}, deal {row}, line {found[0]} of its record"
                raise BrokenError(f"{place}: {found[1]}")
    return f"{deals} games and as many Duels are the same, event by event"


def _is_blind(subject: Subject) -> str:
    """Answers stay when the cards that the seat cannot see are dealt anew."""
    deals = min(subject.deals, FEW)
    for arm in subject.samples:
        seats = [seat for seat, entrant in enumerate(arm.lineup) if entrant is subject.entrant]
        for deal in range(deals):
            found = peeks(arm, seats[deal % len(seats)], subject.seed, deal)
            if found:
                raise BrokenError(f"{arm.rules.variant}, deal {deal}: {found}")
    return f"every answer of {deals} games and as many Duels stays when hidden cards are dealt anew"


def _worths_are_numbers(subject: Subject) -> str:
    """No worth and no loss is NaN, which no comparison holds for: it would be neither wanted nor a burden."""
    calls = 0
    for arm in subject.samples:
        for call in record_calls(arm, arm.lineup.index(subject.entrant), subject.seed, 0):
            calls += 1
            for name in ("worth", "loss"):
                if np.isnan(call.written(name)).any():
                    raise BrokenError(f"{arm.rules.variant}: {HOOKS[call.hook]} leaves NaN in self.{name}")
    return f"none is NaN after {calls} calls"


def _survives_bounds(subject: Subject) -> str:
    """The engine with every index checked plays the same games."""
    deals = min(subject.deals, FEW)
    ours = play(subject.table, subject.seed, 0, deals, log=True)
    for row, events in enumerate(play_elsewhere(subject.table, subject.seed, 0, deals, BOUNDS_CHECKED)):
        found = first_difference(ours.records(row), events[:-1])
        if found is not None or events[-1]["status"]:
            raise BrokenError(f"deal {row}: {found[1] if found else 'an index was out of range'}")
    return f"{deals} games are the same with every index checked"


def _speed(subject: Subject) -> str:
    """Games a second at a table of four copies, beside the trader's."""
    own = _games_per_second(subject.entrant, subject.seed)
    other = _games_per_second(load(YARDSTICK), subject.seed)
    return f"{own:,.0f} games/s, {YARDSTICK} {other:,.0f}: {own / other:.2f} times"


def _games_per_second(entrant: Entrant, seed: int) -> float:
    arm = table_of(rules_of("base", 4), (entrant,) * 4)
    play(arm, seed, 0, 1)
    games, seconds = 1, 0.0
    while seconds < TIMED:
        games *= 2
        started = time.process_time()
        play(arm, seed, 0, games)
        seconds = time.process_time() - started
    return games / seconds


CHECKS: dict[str, Callable[[Subject], str]] = {
    "compiles": _compiles,
    "answers legally": _is_legal,
    "deterministic by seed": _is_deterministic,
    "native equals interpreted": _equals_interpreted,
    "blind to hidden cards": _is_blind,
    "worths are numbers": _worths_are_numbers,
    "survives bounds checking": _survives_bounds,
    "speed": _speed,
}
"""Every check by name, in the order in which they are made."""

COMPILED_ONLY = ("native equals interpreted", "survives bounds checking")
"""Checks of machine code, without meaning for ordinary Python."""


def check_strategy(
    entrant: Entrant, deals: int, seed: int = 1, checks: Sequence[str] = tuple(CHECKS)
) -> Iterator[Finding]:
    """Put a strategy to every check; where it does not compile, nothing else is tried.

    Args:
        entrant: the strategy.
        deals: deals at each table at which its answers have to be legal.
        seed: fixes all luck.
        checks: names out of `CHECKS`.
    """
    subject = Subject(entrant, deals, seed)
    compiles = True
    for name in checks:
        if not compiles:
            yield Finding(name, None, "not tried")
        elif name in COMPILED_ONLY and not entrant.compiled:
            yield Finding(name, None, "ordinary Python")
        else:
            found = _made(name, subject)
            compiles = compiles and not (name == "compiles" and found.passed is False)
            yield found


def _made(name: str, subject: Subject) -> Finding:
    try:
        return Finding(name, True, CHECKS[name](subject))
    except BeansimError as error:
        return Finding(name, False, str(error))
