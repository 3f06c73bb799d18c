"""The draw pile and the discard pile: shuffles, draws, run-outs (RULES 1.2, A1, A2, A4)."""

from __future__ import annotations

from typing import Any

from beansim.engine import rows
from beansim.engine.events import CARD, EXHAUSTED, SHUFFLE, note
from beansim.engine.hooks import touch
from beansim.engine.state import END_EXHAUSTED, END_NO_DISCARDS, Game
from beansim.strategy.compiling import compiled, out_of_line
from beansim.strategy.streams import LOW_HALF, PURPOSE_SHUFFLE, bounded, draw_ahead, open_stream, skip


@out_of_line
def _shuffle_pile(g: Game, size: int) -> None:
    """Fisher and Yates on the first `size` cards of the pile, with the shuffle's own stream.

    The numbers are those of `shuffle`, all drawn beforehand.
    """
    hidden = g.hidden
    stream, pile, numbers = hidden.stream, hidden.pile, hidden.numbers
    open_stream(stream, hidden.seed, hidden.deal, PURPOSE_SHUFFLE, hidden.shuffles)
    draw_ahead(stream, numbers, size - 1)
    for last in range(size - 1, 0, -1):
        product = int(numbers[size - 1 - last]) * (last + 1)
        if product & LOW_HALF <= last:  # once in a million shuffles: a number may have to be drawn again
            skip(stream, size - 1 - last)
            shuffle(g, last + 1)
            return
        _swap(pile, product >> 32, last)


@out_of_line
def shuffle(g: Game, size: int) -> None:
    """Fisher and Yates on the first `size` cards of the pile, with the next numbers of its stream."""
    for last in range(size - 1, 0, -1):
        _swap(g.hidden.pile, bounded(g.hidden.stream, last + 1), last)


@compiled
def _swap(pile: Any, one: int, other: int) -> None:
    card = pile[one]
    pile[one] = pile[other]
    pile[other] = card


@out_of_line
def _start_pile(g: Game, size: int) -> None:
    g.hidden.next_card = 0
    g.table.pile = size
    touch(g)
    if g.hidden.logging:
        note(g, SHUFFLE, g.hidden.shuffles, size)
        for position in range(size):
            note(g, CARD, g.hidden.pile[position])


@compiled
def first_pile(g: Game, reuse: bool) -> None:
    """The first draw pile: the whole deck shuffled, or again as for the deal's first game."""
    hidden = g.hidden
    size = hidden.deck_size
    hidden.shuffles = 1
    if reuse or hidden.given_deck:
        rows.copy_pile(hidden.pile, hidden.fresh)
    else:
        position = 0
        for kind in range(g.table.kinds):
            for _ in range(g.table.count[kind]):
                hidden.pile[position] = kind
                position += 1
        _shuffle_pile(g, size)
        rows.copy_pile(hidden.fresh, hidden.pile)
    _start_pile(g, size)


@out_of_line
def _reshuffle(g: Game) -> bool:
    """Shuffle the discard pile into a new draw pile; False (A4) where there are no discards."""
    hidden, table = g.hidden, g.table
    size = table.discards
    if size == 0:
        if not hidden.play_on:
            hidden.ending = 1
            hidden.end = END_NO_DISCARDS
        return False
    hidden.shuffles += 1
    rows.copy_pile(hidden.pile, hidden.discard)
    _forget_discards(table)
    table.discards = 0
    table.top_discard = -1
    _shuffle_pile(g, size)
    _start_pile(g, size)
    return True


@compiled
def _forget_discards(table: Any) -> None:
    """Face up are the revealed cards and the fields now; nothing lies aside while cards are drawn."""
    rows.copy(table.seen, table.revealed)
    for seat in range(table.players):
        for field in range(table.fields[seat]):
            kind = table.field_kind[seat, field]
            if kind >= 0:
                table.seen[kind] += table.field_cards[seat, field]


@out_of_line
def _count_run_out(g: Game) -> None:
    hidden, table = g.hidden, g.table
    hidden.run_out_turn[table.run_outs] = table.turn
    hidden.run_out_phase[table.run_outs] = table.phase
    table.run_outs += 1
    touch(g)
    note(g, EXHAUSTED, table.run_outs)
    if table.run_outs >= table.last_run_out:
        hidden.ending = 1
        hidden.end = END_EXHAUSTED


@out_of_line
def _replenish(g: Game) -> bool:
    """A card is needed and the pile is empty; True when there is a card again."""
    hidden = g.hidden
    if hidden.exhaust_needed or (hidden.play_on and g.table.discards == 0):
        _count_run_out(g)
        if hidden.ending:
            return False
    return _reshuffle(g)


@compiled
def next_card(g: Game) -> int:
    """Take the next card off the pile; -1 when none can be had. Call `settle` after using it."""
    if g.table.pile == 0 and not _replenish(g):
        return -1
    card = g.hidden.pile[g.hidden.next_card]
    g.hidden.next_card += 1
    g.table.pile -= 1
    return card


@compiled
def settle(g: Game) -> None:
    """After a card was drawn: count a run-out where the pile is empty now (A1, A2)."""
    if g.table.pile == 0 and not g.hidden.exhaust_needed:
        _run_out(g)


@out_of_line
def _run_out(g: Game) -> None:
    _count_run_out(g)
    # no discards (A4) is judged now, however late the shuffle
    if not g.hidden.ending and (g.table.discards == 0 or not g.hidden.reshuffle_late):
        _reshuffle(g)


@compiled
def discard(g: Game, kind: int, cards: int) -> None:
    """Put cards of one kind face up on the discard pile."""
    table, pile = g.table, g.hidden.discard
    size = table.discards
    rows.lay(pile, size, kind)  # also where it is none: that costs less than asking
    for position in range(size + rows.MAX_KINDS, size + cards, rows.MAX_KINDS):
        rows.lay(pile, position, kind)
    table.top_discard = kind if cards else table.top_discard
    table.discards = size + cards
