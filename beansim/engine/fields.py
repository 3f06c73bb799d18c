"""Hands, planting, harvesting, protection, and fields bought or earned (RULES 1.2, 2.1, 2.2)."""

from __future__ import annotations

from typing import Any

from beansim.engine import rows
from beansim.engine.deck import discard
from beansim.engine.events import CARD, DRAW, FIELD, HARVEST, PLANT, note
from beansim.engine.hooks import (
    acts,
    ask,
    ask_field,
    ask_yes_no,
    check_field,
    clockwise,
    refuse,
    touch,
    touch_coined,
    touch_fields,
    touch_hand,
)
from beansim.engine.state import (
    BUY_FIELD,
    CHOOSE_FIELD,
    CHOOSE_HARVEST,
    EARLY,
    EMPTY,
    FINAL,
    FORCED,
    FROM_HAND,
    FROM_RECEIVED,
    FROM_REVEALED,
    HAND_PLACES,
    HARVEST_EARLY,
    PLANT_NEXT,
    Game,
)
from beansim.engine.status import BAD_FIELD, BAD_HARVEST, BAD_KIND
from beansim.strategy.bits import lowest, several
from beansim.strategy.compiling import compiled, in_line, out_of_line

BOUGHT, FIELD_BEAN = 0, 1


# --- hands ---


@compiled
def to_hand(g: Game, seat: int, kind: int) -> None:
    """Put a card at the back of a hand."""
    mine = g.seats[seat]
    mine.hand[_back(mine, 1)] = kind
    mine.held[kind] += 1
    mine.held_mask |= 1 << int(kind)
    _longer(g, seat, 1)


@in_line
def draw_to_hand(g: Game, seat: int, cards: int) -> None:
    """Draw cards, of which the pile has more, to the back of a hand: as one by one, but quicker."""
    table, hidden, mine = g.table, g.hidden, g.seats[seat]
    first, end, mask = hidden.next_card, _back(mine, cards), mine.held_mask
    for number in range(cards):
        kind = hidden.pile[first + number]
        mine.hand[end + number] = kind
        mine.held[kind] += 1
        mask |= 1 << int(kind)
        note(g, DRAW, seat, kind)
    mine.held_mask = mask
    hidden.next_card = first + cards
    table.pile -= cards
    _longer(g, seat, cards)


@compiled
def _back(mine: Any, cards: int) -> int:
    """Where the next cards of a hand lie, for which there is room then."""
    end = mine.hand_front + mine.hand_count
    return _to_start(mine) if end + cards > HAND_PLACES else end


@compiled
def _longer(g: Game, seat: int, cards: int) -> None:
    g.seats[seat].hand_count += cards
    g.table.hand_size[seat] += cards
    touch_hand(g, seat)


@out_of_line
def _to_start(mine: Any) -> int:
    """Move a hand to the start of its places; where it ends then."""
    for place in range(mine.hand_count):
        mine.hand[place] = mine.hand[mine.hand_front + place]
    mine.hand_front = 0
    return mine.hand_count


@compiled
def hand_card(mine: Any, position: int) -> int:
    """Kind of the card at a position of a hand; 0 is the front card."""
    return mine.hand[mine.hand_front + position]


@compiled
def from_hand(g: Game, seat: int, position: int) -> int:
    """Take the card at a position out of a hand, the order of the others kept; it is seen now."""
    mine = g.seats[seat]
    hand, front = mine.hand, mine.hand_front
    kind = hand[front + position]
    rows.close_gap(hand, front, position)
    mine.hand_front = front + 1
    mine.hand_count -= 1
    mine.held[kind] -= 1
    mine.held_mask ^= int(mine.held[kind] == 0) << int(kind)  # no branch: nobody can foresee it
    g.table.hand_size[seat] -= 1
    g.table.seen[kind] += 1
    touch_hand(g, seat)
    return kind


@compiled
def take_revealed(g: Game, kind: int) -> None:
    """A revealed card is planted or given away."""
    table = g.table
    table.revealed[kind] -= 1
    table.revealed_mask ^= int(table.revealed[kind] == 0) << int(kind)
    touch(g)


@compiled
def set_aside(g: Game, seat: int, kind: int) -> None:
    """A card received in a deal lies beside the fields until phase 3."""
    g.table.aside[seat, kind] += 1
    g.table.aside_mask[seat] |= 1 << int(kind)
    g.hidden.received |= 1 << seat
    touch_fields(g, seat)


# --- harvesting ---


@compiled
def harvestable(g: Game, seat: int) -> int:
    """Mask of the fields that may be harvested: single cards wait for larger fields (A5)."""
    cards = g.table.field_cards[seat]
    large = rows.above(cards, 1)
    if large:
        return large
    if g.hidden.protect_all_single and rows.equal(g.table.field_kind[seat], EMPTY):
        return 0
    return rows.above(cards, 0)


@in_line
def harvest(g: Game, seat: int, field: int, why: int) -> None:
    """Harvest a whole field: coins by the beanometer, the rest onto the discard pile."""
    table, hidden = g.table, g.hidden
    kind = table.field_kind[seat, field]
    cards = table.field_cards[seat, field]
    coins = table.pay[cards, kind]
    table.field_kind[seat, field] = EMPTY
    table.field_cards[seat, field] = 0
    discard(g, kind, cards - coins)
    _earn(g, seat, kind, coins)
    hidden.zero_harvests[seat] += coins == 0
    hidden.harvests[seat] += 1
    g.tally.harvests[hidden.entry[seat], kind, cards, why] += 1
    touch_fields(g, seat)
    note(g, HARVEST, seat, field, kind, cards, coins, why)
    if cards == table.field_at[kind] and why != FINAL and table.fields[seat] < table.max_fields:
        _one_field_more(g, seat)
        note(g, FIELD, seat, FIELD_BEAN, 0)


@compiled
def _earn(g: Game, seat: int, kind: int, coins: int) -> None:
    """Coins are cards of the harvested kind; they leave play, top of the stack last (RULES 2.2)."""
    table = g.table
    earned = g.hidden.earned[seat]
    stack = table.coins[seat]
    rows.lay(earned, stack, kind)
    table.coins[seat] = stack + coins
    table.seen[kind] -= coins
    coined = table.coined[kind]
    table.coined[kind] = coined + coins
    touch_coined(g, kind, coined)


@out_of_line
def _one_field_more(g: Game, seat: int) -> None:
    table = g.table
    table.field_kind[seat, table.fields[seat]] = EMPTY
    table.fields[seat] += 1
    touch_fields(g, seat)


@in_line
def make_room(g: Game, seat: int, kind: int) -> int:
    """Harvest a field because a card of this kind must be planted and no field takes it.

    Returns the mask of the fields that take it now.
    """
    allowed = harvestable(g, seat)
    field = lowest(allowed)
    if several(allowed):
        field = ask_field(g, seat, CHOOSE_HARVEST, kind, allowed, BAD_HARVEST)
    fields = g.table.fields[seat]
    harvest(g, seat, field, FORCED)
    return 1 << field if g.table.fields[seat] == fields else plantable(g, seat, kind)


@in_line
def windows(g: Game) -> None:
    """The moments at which any seat may harvest or buy a field, the active seat first (A6)."""
    if g.hidden.any_early:
        open_windows(g, 0)


@out_of_line
def open_windows(g: Game, first: int) -> None:
    """The windows of the seats from `first` steps clockwise on."""
    table = g.table
    for step in range(first, table.players):
        seat = clockwise(g, table.active, step)
        if step < g.hidden.harvesters and acts(g, seat, HARVEST_EARLY):
            harvest_window(g, seat)
        purchase_window(g, seat)


@compiled
def harvest_window(g: Game, seat: int) -> None:
    """A seat may harvest one field after the other."""
    allowed = harvestable(g, seat)
    while allowed:
        rows.mark(g.seats[seat].allowed, allowed)
        field = ask(g, seat, HARVEST_EARLY, 0)
        if field == -1:
            return
        check_field(g, seat, HARVEST_EARLY, field, allowed, BAD_HARVEST)
        harvest(g, seat, field, EARLY)
        allowed = harvestable(g, seat)


@compiled
def purchase_window(g: Game, seat: int) -> None:
    """A seat may buy a field, where the rule set sells one (RULES 2.2)."""
    if g.table.field_price and acts(g, seat, BUY_FIELD):
        _offer_field(g, seat)


@out_of_line
def _offer_field(g: Game, seat: int) -> None:
    """A field may be bought up to the most that a seat can have."""
    table = g.table
    if table.fields[seat] >= table.max_fields or table.coins[seat] < table.field_price:
        return
    if ask_yes_no(g, seat, BUY_FIELD, 0):
        buy_field(g, seat)


@out_of_line
def buy_field(g: Game, seat: int) -> None:
    """The topmost coins of the earnings go back to the discard pile, or out of the game."""
    table, hidden = g.table, g.hidden
    note(g, FIELD, seat, BOUGHT, table.field_price)
    for _ in range(table.field_price):
        table.coins[seat] -= 1
        kind = hidden.earned[seat, table.coins[seat]]
        note(g, CARD, kind)
        if not hidden.payment_box:
            discard(g, kind, 1)
            table.coined[kind] -= 1
            table.seen[kind] += 1
            touch_coined(g, kind, table.coined[kind] + 1)
    _one_field_more(g, seat)


# --- planting ---


@compiled
def plantable(g: Game, seat: int, kind: int) -> int:
    """Mask of the fields that take a card of this kind (A7)."""
    grown = g.table.field_kind[seat]
    matching = rows.equal(grown, kind)
    if matching and not g.hidden.same_kind_twice:
        return matching
    return matching | rows.equal(grown, EMPTY)


@compiled
def plant(g: Game, seat: int, kind: int, origin: int) -> None:
    """Plant one card, harvesting first where no field takes it."""
    allowed = plantable(g, seat, kind)
    if not allowed:
        allowed = make_room(g, seat, kind)
    field = lowest(allowed)
    if several(allowed):
        field = ask_field(g, seat, CHOOSE_FIELD, kind, allowed, BAD_FIELD)
    _put(g, seat, kind, field, origin)


@compiled
def _put(g: Game, seat: int, kind: int, field: int, origin: int) -> None:
    table = g.table
    if origin == FROM_HAND:
        from_hand(g, seat, 0)
    elif origin == FROM_RECEIVED:
        table.aside[seat, kind] -= 1
        table.aside_mask[seat] ^= int(table.aside[seat, kind] == 0) << int(kind)
    else:
        take_revealed(g, kind)
    table.field_kind[seat, field] = kind
    table.field_cards[seat, field] += 1
    touch_fields(g, seat)
    note(g, PLANT, seat, kind, field, origin)


@compiled
def plant_all(g: Game) -> None:
    """Phase 3: everything received, and kept by the active seat, is planted, seat by seat."""
    active = g.table.active
    _plant_pending(g, active)
    if g.hidden.received & ~(1 << active):
        plant_from_step(g, 1)
    g.hidden.received = 0


@compiled
def plant_from_step(g: Game, first: int) -> None:
    """Phase 3 of the seats from `first` steps clockwise on."""
    for step in range(first, g.table.players):
        _plant_pending(g, clockwise(g, g.table.active, step))


@in_line
def _plant_pending(g: Game, seat: int) -> None:
    """Phase 3 of one seat."""
    table = g.table
    own_turn = seat == table.active
    while True:
        pending = table.aside_mask[seat]
        if own_turn:
            pending |= table.revealed_mask
        if not pending:
            return
        kind = lowest(pending)
        if several(pending):
            kind = ask(g, seat, PLANT_NEXT, 0)
            if kind < 0 or kind >= table.kinds:
                refuse(g, seat, PLANT_NEXT, kind, BAD_KIND)
        plant_one_pending(g, seat, kind)


@compiled
def plant_one_pending(g: Game, seat: int, kind: int) -> None:
    """Plant a card of this kind that the seat received, or as the active one kept."""
    table = g.table
    if table.aside[seat, kind]:
        plant(g, seat, kind, FROM_RECEIVED)
    elif seat == table.active and table.revealed[kind]:
        plant(g, seat, kind, FROM_REVEALED)
    else:
        refuse(g, seat, PLANT_NEXT, kind, BAD_KIND)


@compiled
def final_harvests(g: Game) -> None:
    """All fields of all seats from the start seat on; protection does not count (A15)."""
    table = g.table
    touch(g)
    for step in range(table.players):
        seat = clockwise(g, table.start, step)
        for field in range(table.fields[seat]):
            if table.field_cards[seat, field]:
                harvest(g, seat, field, FINAL)
