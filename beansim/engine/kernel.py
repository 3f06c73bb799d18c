"""The compiled loop over deals and seatings; the Python side (`batch`) prepares and unpacks."""

from __future__ import annotations

from typing import Any

from numba import types

from beansim.engine.hooks import touch
from beansim.engine.market import open_market
from beansim.engine.rows import copy_words
from beansim.engine.state import (
    GAME_DTYPE,
    GAMES_DTYPE,
    HIDDEN_DTYPE,
    SEAT_WORDS,
    SEATS_DTYPE,
    SEATS_WORD,
    TABLE_WORD,
    TALLY_DTYPE,
    Game,
)
from beansim.engine.status import ENGINE_FAULT, OK
from beansim.engine.turn import play_game, win_units, winners
from beansim.rules import MAX_PLAYERS
from beansim.strategy.base import HOOKS
from beansim.strategy.compiling import compiled
from beansim.strategy.native import SEAT_RECORD, TABLE_RECORD, records_cast, short_record
from beansim.strategy.records import SEAT_GAME_WORDS, TABLE_GAME_WORDS
from beansim.strategy.streams import PURPOSE_SEAT, open_stream

GAME_BLOCK = short_record(
    GAME_DTYPE,
    "beansim.Game",
    {
        "table": TABLE_RECORD,
        "seats": types.NestedArray(SEAT_RECORD, (MAX_PLAYERS,)),
        "hidden": short_record(HIDDEN_DTYPE, "beansim.HiddenRecord"),
        "tally": short_record(TALLY_DTYPE, "beansim.TallyRecord"),
    },
)
_block = records_cast(GAME_BLOCK, GAME_DTYPE)
_game_rows = records_cast(short_record(GAMES_DTYPE, "beansim.GameRow"), GAMES_DTYPE)
_seat_rows = records_cast(short_record(SEATS_DTYPE, "beansim.SeatRow"), SEATS_DTYPE)

_WORDS = types.uint64[:, ::1]
KERNEL_SIGNATURE = types.int64(
    _WORDS,
    _WORDS,
    _WORDS,
    types.int64[:, ::1],
    types.int64[::1],
    types.int64[:, ::1],
    types.int64[:, ::1],
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    _WORDS,
    _WORDS,
)
"""Signature of `play_range`; the engine is compiled once for every line-up."""


@compiled
def play_range(
    take_turn: Any,
    words: Any,
    table_template: Any,
    seat_templates: Any,
    hook_rows: Any,
    watch: Any,
    callbacks: Any,
    seatings: Any,
    arm: int,
    seed: int,
    first_deal: int,
    deals: int,
    game_words: Any,
    seat_row_words: Any,
) -> int:
    """Play every seating of every deal of a range; returns the number of hook calls.

    `take_turn` is the compiled function of one turn: each is a root of its own, so that the Duel is
    compiled only where it is played, and costs the other games nothing.

    All records come as rows of 64-bit words, since numba assigns whole records byte by byte.
    """
    g = _block(words)[0]
    games, seat_rows = _game_rows(game_words), _seat_rows(seat_row_words)
    players = seatings.shape[1]
    g.hidden.seed = seed
    g.hidden.decisions = 0
    row = 0
    for deal in range(first_deal, first_deal + deals):
        g.hidden.deal = deal
        for seating in range(seatings.shape[0]):
            copy_words(words[0], TABLE_WORD, table_template[0], TABLE_GAME_WORDS)
            for seat in range(players):
                entry = seatings[seating, seat]
                place = SEATS_WORD + SEAT_WORDS * seat
                copy_words(words[0], place, seat_templates[entry], SEAT_GAME_WORDS)
                _seat(g, seat, entry, hook_rows[entry], watch[entry], callbacks[entry, seat])
            _clear(g, players)
            open_market(g)
            _play(g, take_turn, seating > 0)
            games[row].arm = arm
            games[row].seating = seating
            _write_game(g, games[row])
            for seat in range(players):
                out = seat_rows[row * players + seat]
                out.arm = arm
                out.seating = seating
                _write_seat(g, seat, int(games[row].winners), out)
            row += 1
    return int(g.hidden.decisions)


@compiled
def _seat(g: Game, seat: int, entry: int, hooks: Any, watch: int, callback: int) -> None:
    """Seat a strategy: its hooks, an empty hand, and the stream of this seat in this deal."""
    hidden, mine = g.hidden, g.seats[seat]
    copy_words(hidden.hooks[seat], 0, hooks, len(HOOKS))
    hidden.entry[seat] = entry
    hidden.watch[seat] = watch
    hidden.dirty[seat] = -1
    mine.seat = seat
    mine.callback = callback
    open_stream(mine.stream, hidden.seed, hidden.deal, PURPOSE_SEAT, seat)


@compiled
def _clear(g: Game, players: int) -> None:
    """Everything that a game counts starts at zero."""
    hidden = g.hidden
    hidden.status = 0
    hidden.error_seat = -1
    hidden.error_hook = -1
    hidden.error_answer = 0
    hidden.ending = 0
    hidden.end = 0
    hidden.deals = 0
    hidden.gifts_made = 0
    hidden.announced = 0
    hidden.proposed = 0
    hidden.caps = 0
    hidden.received = 0
    for number in range(hidden.run_out_turn.shape[0]):
        hidden.run_out_turn[number] = 0
        hidden.run_out_phase[number] = 0
    for seat in range(players):
        hidden.harvests[seat] = 0
        hidden.zero_harvests[seat] = 0
        hidden.trades[seat] = 0
        hidden.gifts_given[seat] = 0
        hidden.gifts_got[seat] = 0
        hidden.second_plants[seat] = 0
        hidden.offers_refused[seat] = 0
        hidden.offers_in_vain[seat] = 0
    hidden.log_size = 0
    touch(g)


@compiled
def _play(g: Game, take_turn: Any, reuse_pile: bool) -> None:
    """A refused answer ends its own game only; the hidden record says what happened."""
    try:
        play_game(g, take_turn, reuse_pile)
    except Exception:  # numba catches nothing finer; every raise sets the status before
        g.hidden.ending = 1
        if g.hidden.status == OK:
            g.hidden.status = ENGINE_FAULT


@compiled
def _write_game(g: Game, out: Any) -> None:
    hidden, table = g.hidden, g.table
    out.deal = hidden.deal
    out.status = hidden.status
    out.error_seat = hidden.error_seat
    out.error_hook = hidden.error_hook
    out.error_answer = hidden.error_answer
    out.turns = table.turn
    out.winners = winners(g) if hidden.status == 0 else 0
    out.deals = hidden.deals
    out.gifts = hidden.gifts_made
    out.announcements = hidden.announced
    out.proposals = hidden.proposed
    out.caps = hidden.caps
    out.run_outs = table.run_outs
    out.end = hidden.end
    for number in range(hidden.run_out_turn.shape[0]):
        out.run_out_turn[number] = hidden.run_out_turn[number]
        out.run_out_phase[number] = hidden.run_out_phase[number]


@compiled
def _write_seat(g: Game, seat: int, mask: int, out: Any) -> None:
    hidden = g.hidden
    out.deal = hidden.deal
    out.seat = seat
    out.entry = hidden.entry[seat]
    out.coins = g.table.coins[seat]
    out.win_units = win_units(mask, seat)
    out.hand_left = g.table.hand_size[seat]
    out.harvests = hidden.harvests[seat]
    out.zero_harvests = hidden.zero_harvests[seat]
    out.trades = hidden.trades[seat]
    out.gifts_given = hidden.gifts_given[seat]
    out.gifts_got = hidden.gifts_got[seat]
    out.second_plants = hidden.second_plants[seat]
    out.offers_refused = hidden.offers_refused[seat]
    out.offers_in_vain = hidden.offers_in_vain[seat]
