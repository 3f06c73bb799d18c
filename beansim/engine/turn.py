"""One game: the deal, the four phases of a turn, the end (RULES 1.2)."""

from __future__ import annotations

from beansim.engine.deck import first_pile, next_card, settle
from beansim.engine.events import DRAW, END, REVEAL, TURN, note
from beansim.engine.fields import final_harvests, plant, plant_pending, to_hand, windows
from beansim.engine.hooks import acts, ask_yes_no, touch
from beansim.engine.market import market
from beansim.engine.state import FROM_HAND, PLANT_SECOND, WIN_UNITS, Game
from beansim.strategy.compiling import compiled

AT_END = 5
"""Phase number after the last turn."""


@compiled
def play_game(g: Game, reuse_pile: bool) -> None:
    """Play one prepared game to its end; a refused answer raises."""
    first_pile(g, reuse_pile)
    _deal(g)
    while not g.hidden.ending:
        _turn(g)
    g.table.phase = AT_END
    final_harvests(g)
    note(g, END, g.hidden.end)


@compiled
def _deal(g: Game) -> None:
    """Consecutive cards to each seat, from the start seat on."""
    table = g.table
    for step in range(table.players):
        seat = (table.start + step) % table.players
        for _ in range(g.hidden.hands[step]):
            kind = next_card(g)
            to_hand(g, seat, kind)
            note(g, DRAW, seat, kind)


@compiled
def _begin_phase(g: Game, phase: int) -> None:
    g.table.phase = phase
    touch(g)
    windows(g)


@compiled
def _turn(g: Game) -> None:
    table, hidden = g.table, g.hidden
    table.active = (table.start + table.turn) % table.players
    table.turn += 1
    table.phase = 1
    note(g, TURN, table.active)
    _begin_phase(g, 1)
    _plant_from_hand(g)
    _begin_phase(g, 2)
    _reveal(g)
    if hidden.trading:
        market(g)
    _begin_phase(g, 3)
    for step in range(table.players):
        plant_pending(g, (table.active + step) % table.players)
    if not hidden.ending:
        _begin_phase(g, 4)
        _draw(g)


@compiled
def _plant_from_hand(g: Game) -> None:
    """Phase 1: the front card, then the new front card if the seat likes; never a third."""
    seat = g.table.active
    mine = g.seats[seat]
    if mine.hand_count == 0:
        return
    plant(g, seat, mine.hand[0], FROM_HAND)
    if mine.hand_count == 0:
        return
    if acts(g, seat, PLANT_SECOND) and ask_yes_no(g, seat, PLANT_SECOND, mine.hand[0]):
        g.hidden.second_plants[seat] += 1
        plant(g, seat, mine.hand[0], FROM_HAND)


@compiled
def _reveal(g: Game) -> None:
    """Phase 2 begins: cards turned up one by one, fewer where the last run-out comes."""
    table = g.table
    for _ in range(table.reveal):
        if g.hidden.ending:
            return
        kind = next_card(g)
        if kind < 0:
            return
        table.revealed[kind] += 1
        table.revealed_mask |= 1 << int(kind)
        table.seen[kind] += 1
        touch(g)
        note(g, REVEAL, table.active, kind)
        settle(g)


@compiled
def _draw(g: Game) -> None:
    """Phase 4: the active seat draws, or every seat, the active one first; the last run-out stops it."""
    table = g.table
    seats = table.players if table.everyone_draws else 1
    for step in range(seats):
        seat = (table.active + step) % table.players
        for _ in range(table.draw):
            kind = next_card(g)
            if kind < 0:
                return
            to_hand(g, seat, kind)
            note(g, DRAW, seat, kind)
            settle(g)
            if g.hidden.ending:
                return


@compiled
def winners(g: Game) -> int:
    """Bit mask of the winning seats (A13)."""
    table = g.table
    mask, best, best_hand = 0, -1, -1
    for step in range(table.players):
        seat = (table.start + step) % table.players
        coins = int(table.coins[seat])
        hand = int(table.hand_size[seat]) if g.hidden.tie_hand else step
        if coins > best or (coins == best and hand > best_hand):
            mask, best, best_hand = 1 << seat, coins, hand
        elif coins == best and hand == best_hand:
            mask |= 1 << seat
    return mask


@compiled
def win_units(mask: int, seat: int) -> int:
    """Win share of a seat in units of 1/420."""
    if not mask >> seat & 1:
        return 0
    count = 0
    for other in range(7):
        count += mask >> other & 1
    return WIN_UNITS // count
