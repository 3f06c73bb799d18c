"""The engine's records: the one hidden from every hook, the tallies, and the block that holds all."""

from __future__ import annotations

from typing import Any

import numpy as np

from beansim.rules import MAX_KINDS, MAX_PLAYERS
from beansim.rules.options import MAX_RUN_OUTS
from beansim.strategy.base import HOOKS
from beansim.strategy.records import CACHE_LINE, CARD_COUNTS, SEAT_DTYPE, TABLE_DTYPE
from beansim.strategy.streams import STREAM_WORDS

(
    APPRAISE,
    PLANT_SECOND,
    CHOOSE_FIELD,
    CHOOSE_HARVEST,
    HARVEST_EARLY,
    BUY_FIELD,
    ANNOUNCE,
    BID,
    CHOOSE_BID,
    PROPOSE,
    ACCEPT,
    GIVE_COPY,
    PLANT_NEXT,
    CHOOSE_OFFERED,
    PLANT_OFFERED,
    DISCARD_HAND,
    PLANT_TURNED,
) = range(len(HOOKS))
"""Hook numbers, in the order of `HOOKS`."""

SILENT = 0
"""In the address table: this hook never acts."""
FOREIGN = -1
"""In the address table: this hook is called back in Python."""

WATCH_FIELDS, WATCH_HAND, WATCH_COINED, WATCH_TABLE, WATCH_STEPS = 1, 2, 4, 8, 16

FORCED, EARLY, FINAL = 0, 1, 2
"""Why a field is harvested."""

FROM_HAND, FROM_REVEALED, FROM_RECEIVED, FROM_OFFER = 0, 1, 2, 3
"""Where a planted, given or discarded card comes from."""

EMPTY = -1
"""In `field_kind`: nothing grows here."""
NO_FIELD = -2
"""In `field_kind`: the seat does not have so many fields."""

END_EXHAUSTED, END_NO_DISCARDS = 0, 1
MAX_PILE = 256
HAND_PLACES = int(SEAT_DTYPE["hand"].shape[0])
"""Places for a hand, which moves back by one with each card that leaves."""
WIN_UNITS = 420
"""A whole win, so that a share of any number of winners up to 7 is a whole number."""

_SEATS = (MAX_PLAYERS,)

HIDDEN_DTYPE = np.dtype(
    [
        ("pile", "i1", (MAX_PILE,)),
        ("discard", "i1", (MAX_PILE,)),
        ("fresh", "i1", (MAX_PILE,)),
        ("earned", "i1", (MAX_PLAYERS, MAX_PILE)),
        ("stream", "u8", (STREAM_WORDS,)),
        ("numbers", "u4", (MAX_PILE,)),
        ("hooks", "i8", (MAX_PLAYERS, len(HOOKS))),
        ("entry", "i8", _SEATS),
        ("watch", "i8", _SEATS),
        ("dirty", "i1", (8,)),
        ("table_dirty", "i1", (8,)),
        ("always_appraise", "i8"),
        ("any_early", "i8"),
        ("decisions", "i8"),
        ("seed", "i8"),
        ("deal", "i8"),
        ("next_card", "i8"),
        ("shuffles", "i8"),
        ("ending", "i8"),
        ("end", "i8"),
        ("received", "i8"),
        ("deck_size", "i8"),
        ("given_deck", "i8"),
        # rule options as numbers
        ("hands", "i8", _SEATS),
        ("exhaust_needed", "i8"),
        ("reshuffle_late", "i8"),
        ("play_on", "i8"),
        ("protect_all_single", "i8"),
        ("harvesters", "i8"),
        ("same_kind_twice", "i8"),
        ("front_most", "i8"),
        ("trading", "i8"),
        ("market_open", "i8"),
        ("proposals", "i8"),
        ("tie_hand", "i8"),
        ("payment_box", "i8"),
        ("match_discards", "i8"),
        ("token_at", "i8"),
        ("token_draw", "i8"),
        ("announcement_cap", "i8"),
        ("proposal_cap", "i8"),
        # what this game did
        ("status", "i8"),
        ("error_seat", "i8"),
        ("error_hook", "i8"),
        ("error_answer", "i8"),
        ("deals", "i8"),
        ("gifts_made", "i8"),
        ("announced", "i8"),
        ("proposed", "i8"),
        ("turn_announced", "i8"),
        ("turn_proposed", "i8"),
        ("capped", "i8"),
        ("caps", "i8"),
        ("run_out_turn", "i2", (MAX_RUN_OUTS,)),
        ("run_out_phase", "i1", (MAX_RUN_OUTS,)),
        ("harvests", "i2", _SEATS),
        ("zero_harvests", "i2", _SEATS),
        ("trades", "i2", _SEATS),
        ("gifts_given", "i2", _SEATS),
        ("gifts_got", "i2", _SEATS),
        ("second_plants", "i2", _SEATS),
        ("offers_refused", "i4", _SEATS),
        ("offers_in_vain", "i4", _SEATS),
        ("logging", "i8"),
        ("log_size", "i8"),
        ("log_rows", "i8"),
        ("log_address", "i8"),
    ],
    align=True,
)
"""What no hook sees: the order of the pile, addresses, rule options, tallies of the game."""


GAMES_DTYPE = np.dtype(
    [
        ("deal", "i8"),
        ("arm", "i4"),
        ("seating", "i4"),
        ("status", "i2"),
        ("error_seat", "i1"),
        ("error_hook", "i1"),
        ("error_answer", "i8"),
        ("turns", "i2"),
        ("winners", "i2"),
        ("deals", "i2"),
        ("gifts", "i2"),
        ("announcements", "i4"),
        ("proposals", "i4"),
        ("caps", "i2"),
        ("run_outs", "i1"),
        ("end", "i1"),
        ("run_out_turn", "i2", (MAX_RUN_OUTS,)),
        ("run_out_phase", "i1", (MAX_RUN_OUTS,)),
    ],
    align=True,
)
"""One row per game (docs/architecture.md)."""

SEATS_DTYPE = np.dtype(
    [
        ("deal", "i8"),
        ("arm", "i4"),
        ("seating", "i4"),
        ("seat", "i1"),
        ("entry", "i1"),
        ("coins", "i2"),
        ("win_units", "i2"),
        ("hand_left", "i2"),
        ("harvests", "i2"),
        ("zero_harvests", "i2"),
        ("trades", "i2"),
        ("gifts_given", "i2"),
        ("gifts_got", "i2"),
        ("second_plants", "i2"),
        ("offers_refused", "i4"),
        ("offers_in_vain", "i4"),
    ],
    align=True,
)
"""One row per game and seat (docs/architecture.md)."""


TALLY_DTYPE = np.dtype(
    [
        ("harvests", "i8", (MAX_PLAYERS, MAX_KINDS, CARD_COUNTS, 3)),
        ("trades", "i8", (MAX_KINDS + 1, MAX_KINDS + 1)),
    ],
    align=True,
)
"""Counts over all games of a batch: harvests [entry, kind, cards, why], trades [given, got]."""


def _game_dtype() -> np.dtype[np.void]:
    parts = [
        ("table", TABLE_DTYPE, 1),
        ("seats", SEAT_DTYPE, MAX_PLAYERS),
        ("hidden", HIDDEN_DTYPE, 1),
        ("tally", TALLY_DTYPE, 1),
    ]
    names, formats, offsets, end = [], [], [], 0
    for name, dtype, count in parts:
        names.append(name)
        formats.append(dtype if count == 1 else np.dtype((dtype, (count,))))
        offsets.append(end)
        end = -(-(end + dtype.itemsize * count) // CACHE_LINE) * CACHE_LINE
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": end})


GAME_DTYPE = _game_dtype()
"""All that the engine works on, in one block: its functions pass one pointer on.

`g.table` (what hooks see), `g.seats[seat]`, `g.hidden`, `g.tally`. A bundle of separate arrays would
travel as some forty arguments in every call, which was five times slower.
"""


def new_blocks(count: int) -> np.ndarray[Any, Any]:
    """Blocks of GAME_DTYPE, all zero, that begin on cache lines."""
    memory = np.zeros(count * GAME_DTYPE.itemsize + CACHE_LINE, np.uint8)
    first = -memory.ctypes.data % CACHE_LINE
    return memory[first : first + count * GAME_DTYPE.itemsize].view(GAME_DTYPE)


TABLE_WORD = 0
SEATS_WORD = int(GAME_DTYPE.fields["seats"][1]) // 8  # type: ignore[index]
SEAT_WORDS = SEAT_DTYPE.itemsize // 8
TALLY_WORD = int(GAME_DTYPE.fields["tally"][1]) // 8  # type: ignore[index]
"""Where the records lie in the block, in 64-bit words."""

Game = Any
"""Type of `g` in the engine's functions: the record of GAME_DTYPE."""
