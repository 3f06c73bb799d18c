"""The compiled root of a look-ahead: hidden cards dealt anew, answers tried, games played on.

A root of its own, as the Duel's turn is one: it is compiled when a strategy first looks ahead, and costs
the engine that plays games from their deal nothing.
"""

from __future__ import annotations

from typing import Any

from numba import types

from beansim.engine.deck import shuffle
from beansim.engine.hooks import touch
from beansim.engine.kernel import GAME_BLOCK
from beansim.engine.resume import play_on
from beansim.engine.rows import copy_words
from beansim.engine.state import GAME_DTYPE, TALLY_WORD, WIN_UNITS, Game
from beansim.engine.status import ENGINE_FAULT, OK
from beansim.engine.turn import win_units, winners
from beansim.strategy.compiling import compiled
from beansim.strategy.native import records_cast
from beansim.strategy.streams import PURPOSE_PLAYOUT, PURPOSE_SEAT, bounded, open_stream

_block = records_cast(GAME_BLOCK, GAME_DTYPE)

_WORDS = types.uint64[:, ::1]
_NUMBERS = types.int64[::1]
TRY_SIGNATURE = types.int64(
    _WORDS, _NUMBERS, types.int64[:, ::1], _NUMBERS, _NUMBERS, types.float64[:, :, ::1], types.int64
)
"""Signature of `try_answers`."""


@compiled
def try_answers(
    take_turn: Any, words: Any, unseen: Any, shown: Any, asked: Any, answers: Any, out: Any, first: int
) -> int:
    """Play on from every answer with every sample of the hidden cards; returns the games played.

    Args:
        words: two blocks: the first to play on, the second the position as its seat sees it.
        unseen: int64 [kinds], cards that the seat cannot see.
        shown: int64 [players, kinds], those of them that lie in a known hand.
        asked: hook, seat, argument, 1 for a second card, turns to play after this one.
        answers: int64 [answers], all legal.
        out: float64 [answers, samples, 2]: win share and coins ahead of the best other seat; NaN where
            a game ended with an error.
        first: number of the first sample; a sample is the same cards and the same luck for every answer.
    """
    g = _block(words)[0]
    for sample in range(out.shape[1]):
        for number in range(answers.shape[0]):
            copy_words(words[0], 0, words[1], TALLY_WORD)
            _deal_unseen(g, unseen, shown, asked[1], first + sample)
            _play(g, take_turn, asked, answers[number])
            _judge(g, asked[1], out[number, sample])
    return int(out.shape[0] * out.shape[1])


@compiled
def _play(g: Game, take_turn: Any, asked: Any, answer: int) -> None:
    """A refused answer ends its own game only, as in the kernel."""
    try:
        play_on(g, take_turn, asked[0], asked[1], asked[2], answer, asked[3], asked[4])
    except Exception:  # numba catches nothing finer; every raise sets the status before
        if g.hidden.status == OK:
            g.hidden.status = ENGINE_FAULT


# --- hidden cards ---


@compiled
def _deal_unseen(g: Game, unseen: Any, shown: Any, seat: int, sample: int) -> None:
    """Deal the unseen cards to the other hands and the pile, and give all that comes its luck."""
    hidden, table = g.hidden, g.table
    hidden.deal = sample
    open_stream(hidden.stream, hidden.seed, sample, PURPOSE_PLAYOUT, 0)
    left = _shuffle_unseen(g, unseen, shown)
    for other in range(table.players):
        open_stream(g.seats[other].stream, hidden.seed, sample, PURPOSE_SEAT, other)
        if other != seat:
            left = _deal_hand(g, other, shown[other], left)
    hidden.next_card = 0
    touch(g)


@compiled
def _shuffle_unseen(g: Game, unseen: Any, shown: Any) -> int:
    """Put the cards that may lie anywhere into the pile's places, shuffled; their number."""
    hidden = g.hidden
    size = 0
    for kind in range(unseen.shape[0]):
        cards = unseen[kind]
        for other in range(shown.shape[0]):
            cards -= shown[other, kind]
        for _ in range(cards):
            hidden.pile[size] = kind
            size += 1
    shuffle(g, size)
    return size


@compiled
def _deal_hand(g: Game, seat: int, shown: Any, left: int) -> int:
    """Fill a hand: the cards known to be in it at random places, the rest from the end of the pile."""
    mine = g.seats[seat]
    size = 0
    for kind in range(shown.shape[0]):
        for _ in range(shown[kind]):
            mine.hand[size] = kind
            size += 1
    known = size
    while size < g.table.hand_size[seat]:
        left -= 1
        mine.hand[size] = g.hidden.pile[left]
        size += 1
    for place in range(known):  # the others are in random order already
        chosen = place + bounded(g.hidden.stream, size - place)
        card = mine.hand[chosen]
        mine.hand[chosen] = mine.hand[place]
        mine.hand[place] = card
    _count_hand(mine, size)
    return left


@compiled
def _count_hand(mine: Any, size: int) -> None:
    """Counts and mask by kind that follow from the cards of a hand that begins at its first place."""
    mine.hand_front = 0
    mine.hand_count = size
    for place in range(size):
        kind = mine.hand[place]
        mine.held[kind] += 1
        mine.held_mask |= 1 << int(kind)


# --- what a game came to ---


@compiled
def _judge(g: Game, seat: int, out: Any) -> None:
    """Win share and lead of a seat, by estimated coins where the game was cut."""
    if g.hidden.status != OK:
        out[0] = out[1] = float("nan")
        return
    own = _coins(g, seat)
    best, level = -1.0, 0
    for other in range(g.table.players):
        if other != seat:
            coins = _coins(g, other)
            if coins > best:
                best, level = coins, 1
            elif coins == best:
                level += 1
    out[1] = own - best
    if g.hidden.ending:
        out[0] = win_units(winners(g), seat) / WIN_UNITS
    elif own > best:
        out[0] = 1.0
    else:
        out[0] = 1.0 / (level + 1) if own == best else 0.0


@compiled
def _coins(g: Game, seat: int) -> float:
    """Coins of a seat, and of what grows in its fields, a step of the beanometer in proportion."""
    table = g.table
    coins = float(table.coins[seat])
    for field in range(table.fields[seat]):
        kind, cards = table.field_kind[seat, field], table.field_cards[seat, field]
        if kind >= 0:
            unpaid, missing = int(table.unpaid[cards, kind]), int(table.missing[cards, kind])
            coins += table.pay[cards, kind]
            if missing:
                coins += table.slope[cards, kind] * missing * unpaid / (unpaid + missing)
    return coins


# --- a position with nothing hidden from it ---


RESUME_SIGNATURE = types.int64(_WORDS, _NUMBERS, types.int64)
"""Signature of `resume`."""


@compiled
def resume(take_turn: Any, words: Any, asked: Any, answer: int) -> int:
    """Play on in a whole block, hidden cards as they are; `asked` as in `try_answers`. The status."""
    g = _block(words)[0]
    _play(g, take_turn, asked, answer)
    return int(g.hidden.status)
