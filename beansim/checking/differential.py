"""The same games played in several ways, which must agree event by event.

Compiled engine with compiled hooks, compiled engine with interpreted hooks, the whole engine
interpreted, and the referee, which plays every recorded choice again under the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from beansim.checking.elsewhere import INTERPRETED, play_elsewhere
from beansim.checking.games import Difference, Event, first_difference, place_of
from beansim.engine import Arm, Batch, describe_error, play
from beansim.referee import replay_events

COMPILED = "the compiled engine"
REFEREE = "the referee"
INTERPRETED_HOOKS = "interpreted hooks"
INTERPRETED_ENGINE = "the interpreted engine"
RULES = "a game by the rules"

WAYS = (REFEREE, INTERPRETED_HOOKS, INTERPRETED_ENGINE)
"""What the compiled engine is compared with."""


def compare(
    arm: Arm, seed: int, first_deal: int, deals: int, ways: Sequence[str] = WAYS
) -> Difference | None:
    """Play a range of deals in every way; the first difference from the compiled engine, or None.

    A game that a strategy's error ended is a difference too: it keeps no rules to its end.
    """
    batch = play(arm, seed, first_deal, deals, log=True)
    for row in range(len(batch.games)):
        if batch.games["status"][row]:
            return _difference(batch, row, RULES, describe_error(arm, batch.games[row], seed))
    for way in ways:
        found = _COMPARISONS[way](batch, first_deal, deals)
        if found is not None:
            return found
    return None


def judge(events: Sequence[Event], place: str) -> Difference | None:
    """What the referee says against one recorded game, or None."""
    verdict = replay_events(events)
    if verdict.departure is None:
        return None
    departure = verdict.departure
    detail = f"{departure.event}: {departure.rule}: {departure.requires}"
    return Difference((COMPILED, REFEREE), place, departure.line, detail, events)


def _with_referee(batch: Batch, first_deal: int, deals: int) -> Difference | None:
    for row in range(len(batch.games)):
        found = judge(batch.records(row), place_of(batch, row))
        if found is not None:
            return found
    return None


def _with_interpreted_hooks(batch: Batch, first_deal: int, deals: int) -> Difference | None:
    other = play(batch.arm, batch.seed, first_deal, deals, log=True, interpreted=True)
    return _with_records(batch, (other.records(row) for row in range(len(other.games))), INTERPRETED_HOOKS)


def _with_interpreted_engine(batch: Batch, first_deal: int, deals: int) -> Difference | None:
    records = play_elsewhere(batch.arm, batch.seed, first_deal, deals, INTERPRETED)
    return _with_records(batch, (events[:-1] for events in records), INTERPRETED_ENGINE)


def _with_records(batch: Batch, records: Iterator[list[Event]], way: str) -> Difference | None:
    for row, events in enumerate(records):
        ours = batch.records(row)
        found = first_difference(ours, events)
        if found is not None:
            return Difference((COMPILED, way), place_of(batch, row), *found, ours)
    return None


def _difference(batch: Batch, row: int, way: str, detail: str) -> Difference:
    return Difference((COMPILED, way), place_of(batch, row), 0, detail, batch.records(row))


_COMPARISONS: dict[str, Callable[[Batch, int, int], Difference | None]] = {
    REFEREE: _with_referee,
    INTERPRETED_HOOKS: _with_interpreted_hooks,
    INTERPRETED_ENGINE: _with_interpreted_engine,
}
