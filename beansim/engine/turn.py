"""One game: the deal, the four phases of a turn, the end (RULES 1.2)."""

from __future__ import annotations

from typing import Any

from beansim.engine.deck import first_pile, next_card, settle
from beansim.engine.events import DRAW, END, REVEAL, TOKEN, TURN, note
from beansim.engine.fields import draw_to_hand, final_harvests, hand_card, plant, plant_all, to_hand, windows
from beansim.engine.hooks import ask_yes_no, clockwise, touch
from beansim.engine.market import market
from beansim.engine.state import FROM_HAND, PLANT_SECOND, WIN_UNITS, Game
from beansim.strategy.compiling import compiled, out_of_line

AT_END = 5
"""Phase number after the last turn."""


@compiled
def play_game(g: Game, take_turn: Any, reuse_pile: bool) -> None:
    """Play one prepared game to its end, turn by turn with `take_turn`; a refused answer raises."""
    first_pile(g, reuse_pile)
    _deal(g)
    while not g.hidden.ending:
        take_turn(g)
    end_game(g)


@compiled
def end_game(g: Game) -> None:
    """The last turn is over: all fields are harvested."""
    g.table.phase = AT_END
    final_harvests(g)
    note(g, END, g.hidden.end)


@compiled
def _deal(g: Game) -> None:
    """Consecutive cards to each seat, from the start seat on."""
    table = g.table
    for step in range(table.players):
        seat = clockwise(g, table.start, step)
        draw_to_hand(g, seat, g.hidden.hands[step])


@compiled
def begin_phase(g: Game, phase: int) -> None:
    """A phase begins with the moments at which fields may be harvested or bought (A6)."""
    g.table.phase = phase
    touch(g)
    windows(g)


@compiled
def begin_turn(g: Game) -> None:
    """The next seat clockwise becomes the active one, in the first turn the start seat."""
    table = g.table
    table.active = table.start if table.turn == 0 else clockwise(g, table.active, 1)
    table.turn += 1
    table.phase = 1
    note(g, TURN, table.active)
    begin_phase(g, 1)


@compiled
def standard_turn(g: Game) -> None:
    """The four phases of RULES 1.2."""
    begin_turn(g)
    plant_from_hand(g)
    finish_from_phase_2(g)


@compiled
def finish_from_phase_2(g: Game) -> None:
    """The turn from its second phase on."""
    begin_phase(g, 2)
    finish_from_reveal(g)


@compiled
def finish_from_reveal(g: Game) -> None:
    """The turn from the cards turned up on."""
    turn_up(g)
    if g.hidden.market_open:
        market(g)
    finish_from_phase_3(g)


@compiled
def finish_from_phase_3(g: Game) -> None:
    """The turn from its third phase on."""
    begin_phase(g, 3)
    plant_all(g)
    finish_from_phase_4(g)


@compiled
def finish_from_phase_4(g: Game) -> None:
    """The fourth phase, unless the last run-out has come."""
    if not g.hidden.ending:
        begin_phase(g, 4)
        draw_cards(g)


@compiled
def plant_from_hand(g: Game) -> None:
    """Phase 1: the front card, then the new front card if the seat likes; never a third."""
    seat = g.table.active
    mine = g.seats[seat]
    if mine.hand_count == 0:
        return
    plant(g, seat, hand_card(mine, 0), FROM_HAND)
    plant_second_card(g)


@compiled
def plant_second_card(g: Game) -> None:
    """The front card was planted: now the new one, if there is one and the seat likes."""
    seat = g.table.active
    mine = g.seats[seat]
    if mine.hand_count == 0:
        return
    if ask_yes_no(g, seat, PLANT_SECOND, hand_card(mine, 0)):
        g.hidden.second_plants[seat] += 1
        plant(g, seat, hand_card(mine, 0), FROM_HAND)


@compiled
def turn_up(g: Game) -> None:
    """Phase 2 begins: cards turned up, fewer where the last run-out comes."""
    table, hidden = g.table, g.hidden
    if table.pile <= table.reveal:
        _turn_up_one_by_one(g)
        return
    first = hidden.next_card
    for number in range(table.reveal):
        _reveal(g, hidden.pile[first + number])
    hidden.next_card = first + table.reveal
    table.pile -= table.reveal


@out_of_line
def _turn_up_one_by_one(g: Game) -> None:
    """Turn cards up while the pile may run out."""
    for _ in range(g.table.reveal):
        if g.hidden.ending:
            return
        kind = next_card(g)
        if kind < 0:
            return
        _reveal(g, kind)
        settle(g)


@compiled
def _reveal(g: Game, kind: int) -> None:
    table = g.table
    table.revealed[kind] += 1
    table.revealed_mask |= 1 << int(kind)
    table.seen[kind] += 1
    touch(g)
    note(g, REVEAL, table.active, kind)


@compiled
def draw_cards(g: Game) -> None:
    """Phase 4: the active seat draws, or every seat, the active one first; the last run-out stops it."""
    table = g.table
    if g.hidden.token_at:
        _take_token(g)
    seats = table.players if table.everyone_draws else 1
    for step in range(seats):
        seat = clockwise(g, table.active, step)
        cards = g.hidden.token_draw if seat == table.token else table.draw
        if table.pile > cards:
            draw_to_hand(g, seat, cards)
        elif not _draw_one_by_one(g, seat, cards):
            return


@out_of_line
def _draw_one_by_one(g: Game, seat: int, cards: int) -> bool:
    """Draw cards to a hand while the pile may run out; False after the last run-out."""
    for _ in range(cards):
        kind = next_card(g)
        if kind < 0:
            return False
        to_hand(g, seat, kind)
        note(g, DRAW, seat, kind)
        settle(g)
        if g.hidden.ending:
            return False
    return True


@compiled
def _take_token(g: Game) -> None:
    """House rule (RULES 3): the active seat takes the draw token with enough cards in its fields."""
    table, active = g.table, g.table.active
    cards = _planted(g, active)
    if table.token == active or cards < g.hidden.token_at:
        return
    if table.token < 0 or cards > _planted(g, table.token):
        table.token = active
        touch(g)
        note(g, TOKEN, active)


@compiled
def _planted(g: Game, seat: int) -> int:
    cards = 0
    for field in range(g.table.fields[seat]):
        cards += g.table.field_cards[seat, field]
    return cards


@compiled
def winners(g: Game) -> int:
    """Bit mask of the winning seats (A13)."""
    table = g.table
    mask, best, best_hand = 0, -1, -1
    for step in range(table.players):
        seat = clockwise(g, table.start, step)
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
