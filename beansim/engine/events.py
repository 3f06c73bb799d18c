"""The event log: rows of int16 that the compiled engine writes, one per event or listed card."""

from __future__ import annotations

from beansim.engine.state import Game
from beansim.engine.status import LOG_FULL
from beansim.strategy.compiling import compiled, out_of_line
from beansim.strategy.native import store16

LOG_COLUMNS = 9
"""Code, turn, phase, then up to six numbers."""
ROW_BYTES = 2 * LOG_COLUMNS

(
    SHUFFLE,
    CARD,
    DRAW,
    TURN,
    PLANT,
    HARVEST,
    REVEAL,
    TRADE,
    TRADE_CARD,
    EXHAUSTED,
    FIELD,
    END,
    DISCARD,
    LEAVE,
    MATCH,
    TOKEN,
) = range(1, 17)
"""Codes of the rows: SHUFFLE(pass, cards) then CARD(kind) each; DRAW(seat, kind); TURN(seat);
PLANT(seat, kind, field, from); HARVEST(seat, field, kind, cards, coins, why); REVEAL(seat, kind);
TRADE(active, partner, gives, gets) then TRADE_CARD(side, kind, from, position) each;
EXHAUSTED(count); FIELD(seat, how, cards paid) then CARD(kind) each; END(why);
DISCARD(seat, kind, from, position); LEAVE(seat, cards) then CARD(kind) each; MATCH(seat, kind);
TOKEN(seat)."""


class LogFullError(Exception):
    """The log has no room; the caller plays the game again with a larger one."""


@compiled
def note(g: Game, code: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0) -> None:
    """Write one event row, where events are logged."""
    if g.hidden.logging:
        _write_row(g, code, a, b, c, d, e, f)


@out_of_line
def _write_row(g: Game, code: int, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
    row = g.hidden.log_size
    if row >= g.hidden.log_rows:
        g.hidden.status = LOG_FULL
        raise LogFullError
    place = g.hidden.log_address + row * ROW_BYTES
    store16(place, code)
    store16(place + 2, g.table.turn)
    store16(place + 4, g.table.phase)
    store16(place + 6, a)
    store16(place + 8, b)
    store16(place + 10, c)
    store16(place + 12, d)
    store16(place + 14, e)
    store16(place + 16, f)
    g.hidden.log_size = row + 1
