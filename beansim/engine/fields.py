"""Hands, planting, harvesting, protection, and fields bought or earned (RULES 1.2, 2.1, 2.2)."""

from __future__ import annotations

from beansim.engine import counts
from beansim.engine.deck import discard
from beansim.engine.events import CARD, FIELD, HARVEST, PLANT, note
from beansim.engine.hooks import (
    acts,
    ask,
    ask_field,
    ask_yes_no,
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
    FINAL,
    FORCED,
    FROM_HAND,
    FROM_RECEIVED,
    FROM_REVEALED,
    HARVEST_EARLY,
    PLANT_NEXT,
    Game,
)
from beansim.engine.status import BAD_FIELD, BAD_HARVEST, BAD_KIND
from beansim.strategy.bits import lowest
from beansim.strategy.compiling import compiled

BOUGHT, FIELD_BEAN = 0, 1


# --- hands ---


@compiled
def to_hand(g: Game, seat: int, kind: int) -> None:
    """Put a card at the back of a hand."""
    mine = g.seats[seat]
    mine.hand[mine.hand_count] = kind
    mine.hand_count += 1
    mine.held[kind] += 1
    mine.held_mask |= 1 << int(kind)
    g.table.hand_size[seat] += 1
    touch_hand(g, seat)


@compiled
def from_hand(g: Game, seat: int, position: int) -> int:
    """Take the card at a position out of a hand, the order of the others kept; it is seen now."""
    mine = g.seats[seat]
    hand = mine.hand
    kind = hand[position]
    count = mine.hand_count - 1
    for place in range(position, count):
        hand[place] = hand[place + 1]
    mine.hand_count = count
    mine.held[kind] -= 1
    if mine.held[kind] == 0:
        mine.held_mask ^= 1 << int(kind)
    g.table.hand_size[seat] -= 1
    g.table.seen[kind] += 1
    touch_hand(g, seat)
    return kind


@compiled
def take_revealed(g: Game, kind: int) -> None:
    """A revealed card is planted or given away."""
    table = g.table
    table.revealed[kind] -= 1
    if table.revealed[kind] == 0:
        table.revealed_mask ^= 1 << int(kind)
    touch(g)


@compiled
def set_aside(g: Game, seat: int, kind: int) -> None:
    """A card received in a deal lies beside the fields until phase 3."""
    g.table.aside[seat, kind] += 1
    g.hidden.aside_cards[seat] += 1
    touch_fields(g, seat)


# --- harvesting ---


@compiled
def may_harvest(g: Game, seat: int, field: int) -> bool:
    """Bean protection (A5): a single card waits while a larger field can be harvested."""
    table = g.table
    cards = table.field_cards[seat, field]
    if cards != 1:
        return cards > 0
    for other in range(table.fields[seat]):
        if other != field:
            size = table.field_cards[seat, other]
            if size > 1 or (g.hidden.protect_all_single and size == 0):
                return False
    return True


@compiled
def _allow_harvests(g: Game, seat: int) -> tuple[int, int]:
    """Mark the fields that may be harvested; how many, and the last of them."""
    allowed = g.seats[seat].allowed
    count, last = 0, -1
    for field in range(g.table.fields[seat]):
        allowed[field] = may_harvest(g, seat, field)
        if allowed[field]:
            count += 1
            last = field
    return count, last


@compiled
def harvest(g: Game, seat: int, field: int, why: int) -> None:
    """Harvest a whole field: coins by the beanometer, the rest onto the discard pile."""
    table, hidden = g.table, g.hidden
    kind = table.field_kind[seat, field]
    cards = table.field_cards[seat, field]
    coins = table.pay[kind, cards]
    table.field_kind[seat, field] = -1
    table.field_cards[seat, field] = 0
    discard(g, kind, cards - coins)
    if coins:
        _earn(g, seat, kind, coins)
    else:
        hidden.zero_harvests[seat] += 1
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
    for place in range(stack, stack + coins):
        earned[place] = kind
    table.coins[seat] = stack + coins
    table.seen[kind] -= coins
    table.coined[kind] += coins
    touch_coined(g)


@compiled
def _one_field_more(g: Game, seat: int) -> None:
    table = g.table
    table.field_kind[seat, table.fields[seat]] = -1
    table.field_cards[seat, table.fields[seat]] = 0
    table.fields[seat] += 1
    touch_fields(g, seat)


@compiled
def make_room(g: Game, seat: int, kind: int) -> None:
    """Harvest a field because a card of this kind must be planted and no field takes it."""
    count, field = _allow_harvests(g, seat)
    if count > 1:
        field = ask_field(g, seat, CHOOSE_HARVEST, kind, BAD_HARVEST)
    harvest(g, seat, field, FORCED)


@compiled
def windows(g: Game) -> None:
    """The moments at which any seat may harvest or buy a field, the active seat first (A6)."""
    if not g.hidden.any_early:
        return
    table = g.table
    for step in range(table.players):
        seat = (table.active + step) % table.players
        if step < g.hidden.harvesters and acts(g, seat, HARVEST_EARLY):
            _harvest_window(g, seat)
        if table.field_price and acts(g, seat, BUY_FIELD):
            _purchase_window(g, seat)


@compiled
def _harvest_window(g: Game, seat: int) -> None:
    count, _ = _allow_harvests(g, seat)
    while count:
        field = ask(g, seat, HARVEST_EARLY, 0)
        if field == -1:
            return
        if field < 0 or field >= g.table.fields[seat] or not g.seats[seat].allowed[field]:
            refuse(g, seat, HARVEST_EARLY, field, BAD_HARVEST)
        harvest(g, seat, field, EARLY)
        count, _ = _allow_harvests(g, seat)


@compiled
def _purchase_window(g: Game, seat: int) -> None:
    """A field may be bought up to the most that a seat can have (RULES 2.2)."""
    table = g.table
    if table.fields[seat] >= table.max_fields or table.coins[seat] < table.field_price:
        return
    if ask_yes_no(g, seat, BUY_FIELD, 0):
        _buy(g, seat)


@compiled
def _buy(g: Game, seat: int) -> None:
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
    touch_coined(g)
    _one_field_more(g, seat)


# --- planting ---


@compiled
def _allow_planting(g: Game, seat: int, kind: int) -> tuple[int, int]:
    """Mark the fields that take a card of this kind; how many, and the last of them (A7)."""
    table = g.table
    allowed = g.seats[seat].allowed
    count, last, matching = 0, -1, -1
    for field in range(table.fields[seat]):
        grown = table.field_kind[seat, field]
        allowed[field] = grown < 0 or grown == kind
        if grown == kind:
            matching = field
        if allowed[field]:
            count += 1
            last = field
    if matching >= 0 and not g.hidden.same_kind_twice:
        return 1, matching
    return count, last


@compiled
def plant(g: Game, seat: int, kind: int, origin: int) -> None:
    """Plant one card, harvesting first where no field takes it."""
    count, field = _allow_planting(g, seat, kind)
    if count == 0:
        make_room(g, seat, kind)
        count, field = _allow_planting(g, seat, kind)
    if count > 1:
        field = ask_field(g, seat, CHOOSE_FIELD, kind, BAD_FIELD)
    _put(g, seat, kind, field, origin)


@compiled
def _put(g: Game, seat: int, kind: int, field: int, origin: int) -> None:
    table = g.table
    if origin == FROM_HAND:
        from_hand(g, seat, 0)
    elif origin == FROM_RECEIVED:
        table.aside[seat, kind] -= 1
        g.hidden.aside_cards[seat] -= 1
    else:
        take_revealed(g, kind)
    table.field_kind[seat, field] = kind
    table.field_cards[seat, field] += 1
    touch_fields(g, seat)
    note(g, PLANT, seat, kind, field, origin)


@compiled
def plant_pending(g: Game, seat: int) -> None:
    """Phase 3 of one seat: everything received, and kept by the active seat, is planted."""
    table = g.table
    hidden = g.hidden
    own_turn = seat == table.active
    while hidden.aside_cards[seat] or (own_turn and table.revealed_mask):
        pending = counts.filled(table.aside[seat], (1 << table.kinds) - 1) if hidden.aside_cards[seat] else 0
        if own_turn:
            pending |= table.revealed_mask
        kind = lowest(pending)
        if pending & (pending - 1):  # more than one kind
            kind = ask(g, seat, PLANT_NEXT, 0)
            if kind < 0 or kind >= table.kinds:
                refuse(g, seat, PLANT_NEXT, kind, BAD_KIND)
        if table.aside[seat, kind]:
            plant(g, seat, kind, FROM_RECEIVED)
        elif own_turn and table.revealed[kind]:
            plant(g, seat, kind, FROM_REVEALED)
        else:
            refuse(g, seat, PLANT_NEXT, kind, BAD_KIND)


@compiled
def final_harvests(g: Game) -> None:
    """All fields of all seats from the start seat on; protection does not count (A15)."""
    table = g.table
    touch(g)
    for step in range(table.players):
        seat = (table.start + step) % table.players
        for field in range(table.fields[seat]):
            if table.field_cards[seat, field]:
                harvest(g, seat, field, FINAL)
