"""The market of phase 2 (DESIGN, market; RULES 1.2 phase 2): announcements, bids, proposals, deals."""

from __future__ import annotations

from typing import Any

from beansim.engine import rows
from beansim.engine.events import TRADE, TRADE_CARD, note
from beansim.engine.fields import from_hand, hand_card, set_aside, take_revealed, windows
from beansim.engine.hooks import acts, ask, ask_yes_no, clockwise, refuse
from beansim.engine.state import (
    ACCEPT,
    ANNOUNCE,
    BID,
    CHOOSE_BID,
    FROM_HAND,
    FROM_REVEALED,
    GIVE_COPY,
    PROPOSE,
    Game,
)
from beansim.engine.status import (
    BAD_ANNOUNCE,
    BAD_BID_ANSWER,
    BAD_COPY,
    BAD_SEAT,
    BAD_TAKE,
    BAD_WISH,
    NO_GIFTS,
    NO_WISH,
    NOTHING_FOR_NOTHING,
    PAYS_MISSING,
    PAYS_NOT_WISHED,
    PUTS_UP_MISSING,
    TAKES_NOT_PUT_UP,
)
from beansim.rules import MAX_KINDS
from beansim.strategy.base import CLOSE, OFFER, PASS
from beansim.strategy.bits import lowest
from beansim.strategy.compiling import compiled, in_line


@compiled
def open_market(g: Game) -> None:
    """There is a market in this game where anybody at the table ever offers anything."""
    hidden = g.hidden
    hidden.market_open = 0
    for seat in range(g.table.players):
        if acts(g, seat, ANNOUNCE) or acts(g, seat, PROPOSE):
            hidden.market_open = hidden.trading


@compiled
def market(g: Game) -> None:
    """Announcements, then proposals; after each closed deal again from the start (DESIGN, market).

    So it ends when the active seat stopped and every other seat passed or was refused since the
    last deal.
    """
    hidden = g.hidden
    hidden.turn_announced = 0
    hidden.turn_proposed = 0
    hidden.capped = 0
    g.table.announcements = 0
    trade_on(g)


@compiled
def trade_on(g: Game) -> None:
    """Announcements and proposals until the market ends."""
    while _announcements(g) and proposals(g, 1):
        pass
    end_market(g)


@compiled
def end_market(g: Game) -> None:
    """Count a cap that bit, and take the last announcement off the table."""
    g.hidden.caps += g.hidden.capped
    _clear_announcement(g.table)


@compiled
def _clear_announcement(table: Any) -> None:
    rows.clear(table.put_up)
    rows.clear(table.wished)
    table.put_up_mask = 0
    table.wished_mask = 0


# --- announcements ---


@compiled
def _announcements(g: Game) -> bool:
    """Steps 1 to 3 until the active seat stops; False when it closed the market."""
    hidden, active = g.hidden, g.table.active
    if not acts(g, active, ANNOUNCE):
        return True
    while True:
        if hidden.turn_announced >= hidden.announcement_cap:
            hidden.capped = 1
            return True
        answer = _announce(g, active)
        if answer != OFFER:
            return answer == PASS
        hidden.announced += 1
        hidden.turn_announced += 1
        count_announcement(g, _gather_bids(g, active) and _close_bid(g, active))


@compiled
def count_announcement(g: Game, closed: bool) -> None:
    """Announcements are counted anew after each closed deal."""
    if closed:
        g.table.announcements = 0
    else:
        g.table.announcements += 1


@compiled
def _clear_offer(mine: Any) -> None:
    """An empty offer for a hook to write."""
    rows.clear(mine.give)
    rows.clear(mine["take"])


@compiled
def _read_offer(mine: Any) -> None:
    """What the hook wrote: the masks of the kinds that it offers."""
    mine.give_mask = rows.filled(mine.give)
    mine.take_mask = rows.filled(mine["take"])


@compiled
def _announce(g: Game, active: int) -> int:
    """Ask for an announcement, check it and publish it on the table."""
    table, mine = g.table, g.seats[active]
    _clear_offer(mine)
    rows.clear(mine.wish)
    mine.wish_nothing = 0
    answer = ask(g, active, ANNOUNCE, 0)
    if answer != OFFER:
        if answer != PASS and answer != CLOSE:
            refuse(g, active, ANNOUNCE, answer, BAD_ANNOUNCE)
        return answer
    _check_announcement(g, active)
    rows.copy(table.put_up, mine.give)
    rows.copy(table.wished, mine.wish)
    table.put_up_mask = mine.give_mask
    table.wished_mask = mine.wish_mask
    table.wish_nothing = mine.wish_nothing
    return answer


@compiled
def _check_announcement(g: Game, active: int) -> None:
    mine = g.seats[active]
    _read_offer(mine)
    mine.wish_mask = rows.filled(mine.wish)
    gives, wishes = mine.give_mask, mine.wish_mask
    if rows.short_of_both(mine.held, g.table.revealed, mine.give):
        refuse(g, active, ANNOUNCE, OFFER, PUTS_UP_MISSING)
    if mine.wish_nothing < 0 or mine.wish_nothing > 1 or rows.not_flags(mine.wish):
        refuse(g, active, ANNOUNCE, OFFER, BAD_WISH)
    if not wishes and not mine.wish_nothing:
        refuse(g, active, ANNOUNCE, OFFER, NO_WISH)
    if not gives and not wishes:
        refuse(g, active, ANNOUNCE, OFFER, NOTHING_FOR_NOTHING)
    if not g.table.gifts and (mine.wish_nothing or not gives):
        refuse(g, active, ANNOUNCE, OFFER, NO_GIFTS)


@compiled
def _check_sides(g: Game, seat: int, hook: int, one: int, other: int) -> None:
    """A deal has a card on one side at least (A19), on both where gifts are off (A10)."""
    if not one and not other:
        refuse(g, seat, hook, OFFER, NOTHING_FOR_NOTHING)
    if not g.table.gifts and not (one and other):
        refuse(g, seat, hook, OFFER, NO_GIFTS)


@compiled
def _gather_bids(g: Game, active: int) -> bool:
    """Ask every seat that could pay, sealed; publish the bids when all are in."""
    table = g.table
    bidders = 0
    rows.withdraw(table.has_bid)
    left = _able_to_pay(g, active)
    while left:
        seat = clockwise(g, active, lowest(left))
        left &= left - 1
        bidders |= int(_bid(g, seat)) << seat
    if bidders:
        _publish_bids(g, bidders)
    return bidders != 0


@compiled
def _able_to_pay(g: Game, active: int) -> int:
    """Bit mask of the steps clockwise to the seats that could pay and ever bid."""
    table = g.table
    able = 0
    for step in range(1, table.players):
        seat = clockwise(g, active, step)
        wished = table.wish_nothing | (g.seats[seat].held_mask & table.wished_mask)
        able |= (int(wished != 0) & int(acts(g, seat, BID))) << step
    return able


@compiled
def _bid(g: Game, seat: int) -> bool:
    mine = g.seats[seat]
    _clear_offer(mine)
    answer = ask(g, seat, BID, 0)
    if answer == PASS:
        return False
    if answer != OFFER:
        refuse(g, seat, BID, answer, BAD_BID_ANSWER)
    _check_bid(g, seat)
    return True


@compiled
def _check_bid(g: Game, seat: int) -> None:
    table, mine = g.table, g.seats[seat]
    _read_offer(mine)
    pays, takes = mine.give_mask, mine.take_mask
    if rows.short(table.put_up, mine["take"]):
        refuse(g, seat, BID, OFFER, TAKES_NOT_PUT_UP)
    if rows.short(mine.held, mine.give):
        refuse(g, seat, BID, OFFER, PAYS_MISSING)
    _check_sides(g, seat, BID, pays, takes)
    if pays & ~table.wished_mask or (not pays and not table.wish_nothing):
        refuse(g, seat, BID, OFFER, PAYS_NOT_WISHED)


@compiled
def _publish_bids(g: Game, bidders: int) -> None:
    """Only now: while others still bid, a bid must not be seen (DESIGN, market)."""
    table = g.table
    while bidders:
        seat = lowest(bidders)
        bidders &= bidders - 1
        table.has_bid[seat] = 1
        _count_refusal(g, table.active, seat, 1)
        mine = g.seats[seat]
        table.bid_give_mask[seat] = mine.give_mask
        table.bid_take_mask[seat] = mine.take_mask
        rows.copy(table.bid_give[seat], mine.give)
        rows.copy(table.bid_take[seat], mine["take"])


@compiled
def _close_bid(g: Game, active: int) -> bool:
    table = g.table
    seat = ask(g, active, CHOOSE_BID, 0) if acts(g, active, CHOOSE_BID) else -1
    if seat == -1:
        return False
    if seat < 0 or seat >= table.players or seat == active or not table.has_bid[seat]:
        refuse(g, active, CHOOSE_BID, seat, BAD_SEAT)
    # All bids were counted as refused when they were published; this one is not.
    _count_refusal(g, active, seat, -1)
    close_bid(g, seat)
    return True


@compiled
def close_bid(g: Game, seat: int) -> None:
    """Close the published bid of a seat."""
    table = g.table
    given, got = table.bid_take_mask[seat], table.bid_give_mask[seat]
    _close(g, table.active, seat, table.bid_take[seat], table.bid_give[seat], given, got)


# --- proposals ---


@compiled
def proposals(g: Game, first: int) -> bool:
    """Step 4: the other seats, from `first` steps clockwise on, propose until one deal is closed."""
    table, hidden, active = g.table, g.hidden, g.table.active
    if not hidden.proposals or not acts(g, active, ACCEPT):
        return False
    for step in range(first, table.players):
        seat = clockwise(g, active, step)
        if acts(g, seat, PROPOSE):
            if hidden.turn_proposed >= hidden.proposal_cap:
                hidden.capped = 1
                return False
            if _propose(g, active, seat):
                return True
    return False


@compiled
def _propose(g: Game, active: int, seat: int) -> bool:
    """One proposal; True when the active seat closed it."""
    table, hidden, mine = g.table, g.hidden, g.seats[seat]
    _clear_offer(mine)
    answer = ask(g, seat, PROPOSE, 0)
    if answer == PASS:
        return False
    if answer != OFFER:
        refuse(g, seat, PROPOSE, answer, BAD_BID_ANSWER)
    _check_proposal(g, seat)
    hidden.proposed += 1
    hidden.turn_proposed += 1
    # a wish that cannot be met just fails, unexplained
    if rows.short_of_both(g.seats[active].held, table.revealed, mine["take"]):
        hidden.offers_in_vain[seat] += 1
        return False
    rows.copy(table.offer_give, mine.give)
    rows.copy(table.offer_take, mine["take"])
    table.offer_give_mask = mine.give_mask
    table.offer_take_mask = mine.take_mask
    answer = ask_yes_no(g, active, ACCEPT, seat)
    if answer:
        close_proposal(g, seat)
    else:
        _count_refusal(g, active, seat, 1)
    return answer == 1


@compiled
def close_proposal(g: Game, seat: int) -> None:
    """Close the proposal of a seat that lies on the table."""
    table = g.table
    given, got = table.offer_take_mask, table.offer_give_mask
    _close(g, table.active, seat, table.offer_take, table.offer_give, given, got)
    table.announcements = 0


@compiled
def _check_proposal(g: Game, seat: int) -> None:
    mine = g.seats[seat]
    _read_offer(mine)
    gives, takes = mine.give_mask, mine.take_mask
    if rows.short(mine.held, mine.give):
        refuse(g, seat, PROPOSE, OFFER, PAYS_MISSING)
    if rows.negative(mine["take"]):
        refuse(g, seat, PROPOSE, OFFER, BAD_TAKE)
    _check_sides(g, seat, PROPOSE, gives, takes)


# --- closing a deal ---


@compiled
def _close(g: Game, active: int, partner: int, gives: Any, gets: Any, given: int, got: int) -> None:
    """Set the cards of both sides aside; rows and their masks as the active seat sees them."""
    hidden = g.hidden
    if hidden.logging:
        note(g, TRADE, active, partner, rows.total(gives), rows.total(gets))
    hidden.deals += 1
    hidden.trades[active] += 1
    hidden.trades[partner] += 1
    if got == 0:
        _count_gift(g, active, partner)
    elif given == 0:
        _count_gift(g, partner, active)
    _tally(g, given, got)
    while given:
        kind = lowest(given)
        given &= given - 1
        for _ in range(gives[kind]):
            _give(g, active, kind)
            set_aside(g, partner, kind)
    while got:
        kind = lowest(got)
        got &= got - 1
        for _ in range(gets[kind]):
            _give_from_hand(g, partner, kind, 1)
            set_aside(g, active, kind)
    windows(g)


@compiled
def _count_gift(g: Game, giver: int, taker: int) -> None:
    g.hidden.gifts_made += 1
    g.hidden.gifts_given[giver] += 1
    g.hidden.gifts_got[taker] += 1


@compiled
def _count_refusal(g: Game, active: int, seat: int, number: int) -> None:
    """A bid or a proposal of `seat` that the active seat does not take."""
    g.hidden.offers_refused[active] += number
    g.hidden.offers_in_vain[seat] += number


@compiled
def _tally(g: Game, given: int, got: int) -> None:
    """Count each pair of kinds that met in this deal; the last index stands for nothing."""
    tally = g.tally.trades
    nothing = 1 << MAX_KINDS
    left = given or nothing
    while left:
        row = tally[lowest(left)]
        left &= left - 1
        right = got or nothing
        while right:
            row[lowest(right)] += 1
            right &= right - 1


@in_line
def _give(g: Game, active: int, kind: int) -> None:
    """One card of the active seat leaves: its choice among the revealed card and hand copies."""
    table = g.table
    if table.revealed[kind] == 0:
        _give_from_hand(g, active, kind, 0)
        return
    if g.seats[active].held[kind] and not g.hidden.front_most and acts(g, active, GIVE_COPY):
        position = ask(g, active, GIVE_COPY, kind)
        if position != -1:
            _leave_hand(g, active, kind, position, 0)
            return
    take_revealed(g, kind)
    note(g, TRADE_CARD, 0, kind, FROM_REVEALED, 0)


@in_line
def _give_from_hand(g: Game, seat: int, kind: int, side: int) -> None:
    """One hand card leaves: the owner's choice among several copies, else the front-most (A8)."""
    mine = g.seats[seat]
    if mine.held[kind] > 1 and not g.hidden.front_most and acts(g, seat, GIVE_COPY):
        _leave_hand(g, seat, kind, ask(g, seat, GIVE_COPY, kind), side)
        return
    _leave_hand(g, seat, kind, rows.find(mine.hand, mine.hand_front, kind), side)


@in_line
def _leave_hand(g: Game, seat: int, kind: int, position: int, side: int) -> None:
    mine = g.seats[seat]
    if position < 0 or position >= mine.hand_count or hand_card(mine, position) != kind:
        refuse(g, seat, GIVE_COPY, position, BAD_COPY)
    from_hand(g, seat, position)
    note(g, TRADE_CARD, side, kind, FROM_HAND, position)
