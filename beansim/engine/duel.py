"""The turn of the two-player Duel (RULES 2.5): the offer, the hand, cards turned up, the draw.

It takes the place of `turn.standard_turn` in a root of its own, compiled when a Duel is first played.
"""

from __future__ import annotations

from beansim.engine.deck import discard
from beansim.engine.events import CARD, DISCARD, LEAVE, MATCH, note
from beansim.engine.fields import from_hand, plant, take_revealed, windows
from beansim.engine.hooks import acts, ask, ask_yes_no, refuse, touch
from beansim.engine.state import (
    CHOOSE_OFFERED,
    DISCARD_HAND,
    FROM_HAND,
    FROM_OFFER,
    FROM_REVEALED,
    PLANT_OFFERED,
    PLANT_TURNED,
    Game,
)
from beansim.engine.status import BAD_DISCARD, BAD_OFFERED
from beansim.engine.turn import begin_phase, begin_turn, draw_cards, plant_from_hand, turn_up
from beansim.strategy.bits import lowest, several
from beansim.strategy.compiling import compiled


@compiled
def duel_turn(g: Game) -> None:
    """The four steps of RULES 2.5, counted as phases."""
    hidden = g.hidden
    begin_turn(g)
    while g.table.revealed_mask:
        _handle_offered(g)
    begin_phase(g, 2)
    plant_from_hand(g)
    _discard_from_hand(g)
    begin_phase(g, 3)
    turn_up(g)
    if hidden.match_discards:
        _match_discards(g)
    windows(g)
    _plant_turned(g)
    if not hidden.ending:
        begin_phase(g, 4)
        draw_cards(g)


@compiled
def _handle_offered(g: Game) -> None:
    """Step 1: one card of the offer is planted or discarded, in the order that the seat likes."""
    table, seat = g.table, g.table.active
    kind = lowest(table.revealed_mask)
    if several(table.revealed_mask) and acts(g, seat, CHOOSE_OFFERED):
        kind = ask(g, seat, CHOOSE_OFFERED, 0)
        if kind < 0 or kind >= table.kinds or not table.revealed[kind]:
            refuse(g, seat, CHOOSE_OFFERED, kind, BAD_OFFERED)
    if acts(g, seat, PLANT_OFFERED) and ask_yes_no(g, seat, PLANT_OFFERED, kind):
        plant(g, seat, kind, FROM_OFFER)
    else:
        take_revealed(g, kind)
        discard(g, kind, 1)
        note(g, DISCARD, seat, kind, FROM_OFFER, 0)


@compiled
def _discard_from_hand(g: Game) -> None:
    """Step 2 ends: one card from anywhere in the hand may be discarded."""
    seat = g.table.active
    mine = g.seats[seat]
    if mine.hand_count == 0 or not acts(g, seat, DISCARD_HAND):
        return
    position = ask(g, seat, DISCARD_HAND, 0)
    if position == -1:
        return
    if position < 0 or position >= mine.hand_count:
        refuse(g, seat, DISCARD_HAND, position, BAD_DISCARD)
    kind = from_hand(g, seat, position)
    discard(g, kind, 1)
    note(g, DISCARD, seat, kind, FROM_HAND, position)


@compiled
def _match_discards(g: Game) -> None:
    """Step 3: top discards of a kind that was just turned up come along, one after the other."""
    table = g.table
    turned = table.revealed_mask
    while table.discards and turned >> table.top_discard & 1:
        kind = table.top_discard
        table.discards -= 1
        table.top_discard = g.hidden.discard[table.discards - 1] if table.discards else -1
        table.revealed[kind] += 1
        touch(g)
        note(g, MATCH, table.active, kind)


@compiled
def _plant_turned(g: Game) -> None:
    """Step 3 ends: any cards turned up are planted, the others stay on offer."""
    table, seat = g.table, g.table.active
    while table.revealed_mask and acts(g, seat, PLANT_TURNED):
        kind = ask(g, seat, PLANT_TURNED, 0)
        if kind == -1:
            break
        if kind < 0 or kind >= table.kinds or not table.revealed[kind]:
            refuse(g, seat, PLANT_TURNED, kind, BAD_OFFERED)
        plant(g, seat, kind, FROM_REVEALED)
    if table.revealed_mask and g.hidden.logging:
        _note_offer(g)


@compiled
def _note_offer(g: Game) -> None:
    table = g.table
    cards = 0
    for kind in range(table.kinds):
        cards += table.revealed[kind]
    note(g, LEAVE, table.active, cards)
    for kind in range(table.kinds):
        for _ in range(table.revealed[kind]):
            note(g, CARD, kind)
