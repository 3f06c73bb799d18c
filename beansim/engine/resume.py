"""Playing on from the middle of a turn: a seat is being asked, and this is its answer.

The engine's turn is a chain of calls, so a position alone does not say where in the turn it stands; the hook
that is being asked does. From there on the functions of the turn itself do the rest. Nothing here is
reached from the engine that plays games from their deal, which therefore pays nothing for it.
"""

from __future__ import annotations

from typing import Any

from beansim.engine.fields import (
    buy_field,
    harvest,
    harvest_window,
    open_windows,
    plant,
    plant_from_step,
    plant_one_pending,
    purchase_window,
)
from beansim.engine.hooks import acts, refuse
from beansim.engine.market import (
    close_bid,
    close_proposal,
    count_announcement,
    end_market,
    open_market,
    proposals,
    trade_on,
)
from beansim.engine.state import (
    ACCEPT,
    BUY_FIELD,
    CHOOSE_BID,
    CHOOSE_HARVEST,
    EARLY,
    FORCED,
    FROM_HAND,
    HARVEST_EARLY,
    PLANT_NEXT,
    PLANT_SECOND,
    Game,
)
from beansim.engine.status import ENGINE_FAULT
from beansim.engine.turn import (
    draw_cards,
    end_game,
    finish_from_phase_2,
    finish_from_phase_3,
    finish_from_phase_4,
    finish_from_reveal,
    plant_from_hand,
    plant_second_card,
)
from beansim.strategy.compiling import compiled, out_of_line

RESUMABLE = (
    "plant_second",
    "choose_harvest",
    "harvest_early",
    "buy_field",
    "choose_bid",
    "accept",
    "plant_next",
)
"""Hooks from whose answers a game can be played on."""


@compiled
def play_on(
    g: Game, take_turn: Any, hook: int, seat: int, argument: int, answer: int, second: int, turns: int
) -> None:
    """Play on from a seat's answer to the end of the game, or of so many turns after this one.

    `second` is 1 where the active seat is planting its second card (`choose_harvest` in phase 1). The answer
    must be legal; it is the caller's. A refused answer of anybody later raises.
    """
    table, hidden = g.table, g.hidden
    open_market(g)
    last = table.turn + turns
    finish_turn(g, hook, seat, argument, answer, second)
    while not hidden.ending and table.turn < last:
        take_turn(g)
    if hidden.ending:
        end_game(g)


@out_of_line
def finish_turn(g: Game, hook: int, seat: int, argument: int, answer: int, second: int) -> None:
    """The rest of this turn after an answer."""
    if hook == PLANT_SECOND:
        _after_plant_second(g, seat, argument, answer)
    elif hook == CHOOSE_HARVEST:
        _after_choose_harvest(g, seat, argument, answer, second)
    elif hook == PLANT_NEXT:
        plant_one_pending(g, seat, answer)
        _after_pending(g, seat)
    elif hook == CHOOSE_BID:
        _after_choose_bid(g, answer)
    elif hook == ACCEPT:
        _after_accept(g, argument, answer)
    elif hook == HARVEST_EARLY:
        _after_harvest_early(g, seat, answer)
    elif hook == BUY_FIELD:
        if answer:
            buy_field(g, seat)
        _after_windows(g, seat)
    else:
        refuse(g, seat, hook, answer, ENGINE_FAULT)


@compiled
def _after_plant_second(g: Game, seat: int, kind: int, answer: int) -> None:
    if answer:
        g.hidden.second_plants[seat] += 1
        plant(g, seat, kind, FROM_HAND)
    finish_from_phase_2(g)


@compiled
def _after_choose_harvest(g: Game, seat: int, kind: int, field: int, second: int) -> None:
    """The field makes room for a card from the hand (phase 1) or for a pending one (phase 3)."""
    harvest(g, seat, field, FORCED)
    if g.table.phase != 1:
        plant_one_pending(g, seat, kind)
        _after_pending(g, seat)
        return
    plant(g, seat, kind, FROM_HAND)
    if not second:
        plant_second_card(g)
    finish_from_phase_2(g)


@compiled
def _after_pending(g: Game, seat: int) -> None:
    """A seat has planted one of its pending cards: its others, then the seats after it."""
    plant_from_step(g, _steps_to(g, seat))
    g.hidden.received = 0
    finish_from_phase_4(g)


@compiled
def _after_choose_bid(g: Game, bidder: int) -> None:
    if bidder >= 0:
        close_bid(g, bidder)
    count_announcement(g, bidder >= 0)
    _trade_on(g)


@compiled
def _after_accept(g: Game, proposer: int, answer: int) -> None:
    if answer:
        close_proposal(g, proposer)
    if answer or proposals(g, _steps_to(g, proposer) + 1):
        _trade_on(g)
    else:
        end_market(g)
        finish_from_phase_3(g)


@compiled
def _trade_on(g: Game) -> None:
    trade_on(g)
    finish_from_phase_3(g)


@compiled
def _after_harvest_early(g: Game, seat: int, field: int) -> None:
    """A harvest, and the seat is asked again, or none; then the seat's purchase window."""
    if field >= 0:
        harvest(g, seat, field, EARLY)
        if acts(g, seat, HARVEST_EARLY):
            harvest_window(g, seat)
    purchase_window(g, seat)
    _after_windows(g, seat)


@compiled
def _after_windows(g: Game, seat: int) -> None:
    """The windows of a seat are over: those of the seats after it, then what they stood before."""
    open_windows(g, _steps_to(g, seat) + 1)
    phase = g.table.phase
    if phase == 1:
        plant_from_hand(g)
        finish_from_phase_2(g)
    elif phase == 2 and not g.hidden.received:
        finish_from_reveal(g)
    elif phase == 2:  # a deal was closed: cards lie aside
        count_announcement(g, True)
        _trade_on(g)
    elif phase == 3:
        _after_pending(g, g.table.active)
    else:
        draw_cards(g)


@compiled
def _steps_to(g: Game, seat: int) -> int:
    """Steps clockwise from the active seat."""
    steps = seat - g.table.active
    return steps + g.table.players if steps < 0 else steps
