"""Asking a seat: appraisals kept until something they look at changed, calls by address."""

from __future__ import annotations

from beansim.engine.state import (
    APPRAISE,
    FOREIGN,
    SILENT,
    WATCH_COINED,
    WATCH_FIELDS,
    WATCH_HAND,
    WATCH_TABLE,
    Game,
)
from beansim.engine.status import BAD_YES_NO, RAISED
from beansim.strategy.compiling import compiled
from beansim.strategy.native import RAISED as RAISED_ANSWER
from beansim.strategy.native import call_address, call_foreign


class RefusedError(Exception):
    """A hook's answer was refused; the hidden record says which and why."""


@compiled
def refuse(g: Game, seat: int, hook: int, answer: int, status: int) -> None:
    """End the game: this answer breaks the contract."""
    g.hidden.status = status
    g.hidden.error_seat = seat
    g.hidden.error_hook = hook
    g.hidden.error_answer = answer
    raise RefusedError


@compiled
def acts(g: Game, seat: int, hook: int) -> bool:
    """False where the seat's hook is silent, so that it need not be asked."""
    return g.hidden.hooks[seat, hook] != SILENT


@compiled
def call(g: Game, seat: int, hook: int, argument: int) -> int:
    """Call one hook of a seat; its answer is not checked here, but that it did not raise."""
    g.hidden.decisions += 1
    address = g.hidden.hooks[seat, hook]
    if address == FOREIGN:
        answer = call_foreign(g.seats[seat].callback, hook, argument)
    else:
        answer = call_address(address, g.table, g.seats[seat], argument)
    if answer == RAISED_ANSWER:
        refuse(g, seat, hook, 0, RAISED)
    return answer


@compiled
def ask(g: Game, seat: int, hook: int, argument: int) -> int:
    """Ask a seat, its worths up to date."""
    if g.hidden.watch[seat]:
        appraise(g, seat)
    return call(g, seat, hook, argument)


@compiled
def ask_yes_no(g: Game, seat: int, hook: int, argument: int) -> int:
    """Ask a seat for yes (1) or no (0)."""
    answer = ask(g, seat, hook, argument)
    if answer < 0 or answer > 1:
        refuse(g, seat, hook, answer, BAD_YES_NO)
    return answer


@compiled
def ask_field(g: Game, seat: int, hook: int, argument: int, status: int) -> int:
    """Ask a seat for one of the fields marked as allowed; `status` says what another answer is."""
    field = ask(g, seat, hook, argument)
    if field < 0 or field >= g.table.fields[seat] or not g.seats[seat].allowed[field]:
        refuse(g, seat, hook, field, status)
    return field


@compiled
def appraise(g: Game, seat: int) -> None:
    """Call `appraise` where something that it looks at changed since the last time."""
    hidden = g.hidden
    stale = hidden.dirty[seat] & hidden.watch[seat]
    if hidden.watch[seat] & WATCH_TABLE and hidden.appraised[seat] != hidden.version:
        stale = 1
    if stale or hidden.always_appraise:
        hidden.dirty[seat] = 0
        hidden.appraised[seat] = hidden.version
        call(g, seat, APPRAISE, 0)
        mine = g.seats[seat]
        mask = 0
        for kind in range(g.table.kinds):
            mask |= int(mine.worth[kind] < 0.0) << int(kind)
        mine.burden_mask = mask


@compiled
def touch(g: Game) -> None:
    """Something on the table changed."""
    g.hidden.version += 1


@compiled
def touch_fields(g: Game, seat: int) -> None:
    """The fields or the cards set aside of a seat changed."""
    g.hidden.dirty[seat] |= WATCH_FIELDS
    g.hidden.version += 1


@compiled
def touch_coined(g: Game) -> None:
    """Cards left play as coins, or came back."""
    for seat in range(g.table.players):
        g.hidden.dirty[seat] |= WATCH_COINED


@compiled
def touch_hand(g: Game, seat: int) -> None:
    """The hand of a seat changed (and so the table: hand sizes are public)."""
    g.hidden.dirty[seat] |= WATCH_HAND
    g.hidden.version += 1
