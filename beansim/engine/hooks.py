"""Asking a seat: appraisals kept until something they look at changed, calls by address."""

from __future__ import annotations

from beansim.engine import rows
from beansim.engine.state import (
    APPRAISE,
    FOREIGN,
    SILENT,
    WATCH_COINED,
    WATCH_FIELDS,
    WATCH_HAND,
    WATCH_STEPS,
    WATCH_TABLE,
    Game,
)
from beansim.engine.status import BAD_YES_NO, RAISED
from beansim.rules import MAX_FIELDS
from beansim.strategy.compiling import compiled, in_line, out_of_line
from beansim.strategy.native import RAISED as RAISED_ANSWER
from beansim.strategy.native import call_address, call_foreign


class RefusedError(Exception):
    """A hook's answer was refused; the hidden record says which and why."""


@out_of_line
def refuse(g: Game, seat: int, hook: int, answer: int, status: int) -> None:
    """End the game: this answer breaks the contract, or the hook raised instead of answering."""
    raised = answer == RAISED_ANSWER
    g.hidden.status = RAISED if raised else status
    g.hidden.error_seat = seat
    g.hidden.error_hook = hook
    g.hidden.error_answer = 0 if raised else answer
    raise RefusedError


@compiled
def clockwise(g: Game, seat: int, steps: int) -> int:
    """The seat so many steps on; at most once around the table."""
    seat += steps
    return seat - g.table.players if seat >= g.table.players else seat


@compiled
def acts(g: Game, seat: int, hook: int) -> bool:
    """False where the seat's hook is silent, so that it need not be asked."""
    return g.hidden.hooks[seat, hook] != SILENT


@in_line
def call(g: Game, seat: int, hook: int, argument: int) -> int:
    """Call one hook of a seat; whoever asks checks the answer (no answer is right where it raised)."""
    g.hidden.decisions += 1
    address = g.hidden.hooks[seat, hook]
    if address == FOREIGN:
        return call_foreign(g.seats[seat].callback, hook, argument)
    return call_address(address, g.table, g.seats[seat], argument)


@in_line
def ask(g: Game, seat: int, hook: int, argument: int) -> int:
    """Ask a seat, its worths up to date."""
    hidden, watch = g.hidden, g.hidden.watch[seat]
    if hidden.dirty[seat] & watch or (watch & WATCH_TABLE and hidden.table_dirty[seat]):
        _appraise(g, seat)
    return call(g, seat, hook, argument)


@in_line
def ask_yes_no(g: Game, seat: int, hook: int, argument: int) -> int:
    """Ask a seat for yes (1) or no (0)."""
    answer = ask(g, seat, hook, argument)
    if answer < 0 or answer > 1:
        refuse(g, seat, hook, answer, BAD_YES_NO)
    return answer


@compiled
def check_field(g: Game, seat: int, hook: int, field: int, allowed: int, status: int) -> None:
    """Refuse a field that is not in the mask of the allowed ones; `status` says what it is."""
    if field < 0 or field >= MAX_FIELDS or not allowed >> field & 1:
        refuse(g, seat, hook, field, status)


@in_line
def ask_field(g: Game, seat: int, hook: int, argument: int, allowed: int, status: int) -> int:
    """Ask a seat for one of the fields in the mask."""
    rows.mark(g.seats[seat].allowed, allowed)
    field = ask(g, seat, hook, argument)
    check_field(g, seat, hook, field, allowed, status)
    return field


@in_line
def _appraise(g: Game, seat: int) -> None:
    """Call `appraise`, since something that it looks at changed."""
    hidden = g.hidden
    hidden.dirty[seat] = -hidden.always_appraise
    hidden.table_dirty[seat] = hidden.always_appraise
    if call(g, seat, APPRAISE, 0) == RAISED_ANSWER:
        refuse(g, seat, APPRAISE, RAISED_ANSWER, RAISED)


@compiled
def touch(g: Game) -> None:
    """Something on the table changed."""
    rows.fill(g.hidden.table_dirty)


@compiled
def touch_fields(g: Game, seat: int) -> None:
    """The fields or the cards set aside of a seat changed."""
    g.hidden.dirty[seat] |= WATCH_FIELDS
    touch(g)


@compiled
def touch_coined(g: Game, kind: int, before: int) -> None:
    """Not so many cards of a kind are out of play as coins as before, or just as many."""
    table = g.table
    now, cards = table.coined[kind], table.count[kind]
    steps = table.pay[cards - now, kind] != table.pay[cards - before, kind]
    rows.flag(g.hidden.dirty, WATCH_COINED * int(now != before) | WATCH_STEPS * int(steps))


@compiled
def touch_hand(g: Game, seat: int) -> None:
    """The hand of a seat changed (and so the table: hand sizes are public)."""
    g.hidden.dirty[seat] |= WATCH_HAND
    touch(g)
