"""`Strategy`: the base class, whose hooks all follow from `appraise`.

`appraise` says what one more card of each kind is worth to this seat, in coins; a card worth
less than nothing is a burden. The other hooks plant, harvest and trade by these worths
(DESIGN, strategy). A strategy overrides `appraise`, single hooks, or the small methods they use.
"""

from __future__ import annotations

from beansim.rules import MAX_KINDS
from beansim.strategy.base import NONE, OFFER, PASS, Seat, Table, hook, memory, silent
from beansim.strategy.bits import above, add, lowest, mark

ALL_KINDS = (1 << MAX_KINDS) - 1


class Strategy(Seat):
    """Plants, harvests and trades by what `appraise` says a card is worth.

    The default appraisal is the slope of the own fields' beanometers.
    """

    asked_swap = memory(0)
    asked_gift = memory(0)

    # --- planting and harvesting ---

    @hook
    def appraise(self, table: Table) -> None:
        """Write self.worth (coins for one more card, by kind) and self.loss (by field)."""
        room = 0.0
        for field in range(table.fields[self.seat]):
            if table.field_kind[self.seat, field] < 0:
                room = 1.0
        for kind in range(len(self.worth)):  # without a condition LLVM looks at several kinds at once
            self.worth[kind] = room * table.slope[kind, 0] - (1.0 - room)
        received = table.aside_mask[self.seat]
        while received:
            kind = lowest(received)
            received &= received - 1
            self.worth[kind] = table.slope[kind, table.aside[self.seat, kind]]
        for field in range(table.fields[self.seat]):
            kind = table.field_kind[self.seat, field]
            self.loss[field] = 0.0
            if kind >= 0:
                cards = table.field_cards[self.seat, field] + table.aside[self.seat, kind]
                self.worth[kind] = table.slope[kind, cards]
                self.loss[field] = cards * table.slope[kind, 0] - table.pay[kind, cards]

    @hook
    def plant_second(self, table: Table, kind: int) -> bool:
        """Plant the new front card, of this kind, too?"""
        return self.worth[kind] >= 0.0

    @hook
    def choose_field(self, table: Table, kind: int) -> int:
        """Which of the allowed fields (empty or matching) takes a card of this kind."""
        for field in range(table.fields[self.seat]):
            if self.allowed[field] and table.field_kind[self.seat, field] == kind:
                return field
        for field in range(table.fields[self.seat]):
            if self.allowed[field]:
                return field
        return NONE

    @hook
    def choose_harvest(self, table: Table, kind: int) -> int:
        """Which of the allowed fields makes room for a card of this kind."""
        best = NONE
        for field in range(table.fields[self.seat]):
            if self.allowed[field] and (best < 0 or self.loss[field] < self.loss[best]):
                best = field
        return best

    harvest_early = silent
    """Harvest an allowed field now though not forced? Answers the field or NONE."""

    buy_field = silent
    """Buy one more field now? Asked only where the rule set sells one and it can be paid."""

    @hook
    def plant_next(self, table: Table) -> int:
        """Which kind of the received and revealed cards is planted next: the one worth most."""
        return self.most_worth(self.pending(table))

    def pending(self, table: Table) -> int:
        """Bit mask of the kinds that this seat must plant in phase 3."""
        kept = table.revealed_mask if table.active == self.seat else 0
        return table.aside_mask[self.seat] | kept

    # --- the market: the active seat ---

    @hook
    def announce(self, table: Table) -> int:
        """Put cards up: first burdens against wanted kinds, then as a gift, then one swap."""
        step = table.announcements
        if self.put_up_burdens(table):
            wanted = self.wish_above(table, 0.0)
            if step == 0 and wanted:
                return OFFER
            if step == wanted and table.gifts:
                mark(self.wish, 0)
                self.wish_nothing = 1
                return OFFER
            step -= wanted + table.gifts
        return self.announce_swap(table) if step == 0 else PASS

    def least_gain(self, table: Table) -> float:
        """Coins that a deal must gain at least to be wanted; more than this, never just as much."""
        return 0.0

    def available(self, table: Table, kind: int) -> int:
        """Cards of a kind that the active seat can give: revealed ones and those in hand."""
        return self.held[kind] + table.revealed[kind]

    def put_up_burdens(self, table: Table) -> bool:
        """Put up every card worth less than nothing; False when there is none."""
        burdens = self.burden_mask & (self.held_mask | table.revealed_mask)
        add(self.give, self.held, burdens)
        add(self.give, table.revealed, burdens)
        return burdens != 0

    def wish_above(self, table: Table, least: float) -> bool:
        """Wish for every kind worth more than `least`; False when there is none."""
        wanted = above(self.worth, least)
        mark(self.wish, wanted)
        return wanted != 0

    def announce_swap(self, table: Table) -> int:
        """Put up one card of the least wanted kind at hand for any kind worth more."""
        cheapest = self.least_worth((self.held_mask | table.revealed_mask) & ~self.burden_mask)
        if cheapest < 0:
            return PASS
        mark(self.give, 1 << cheapest)
        return OFFER if self.wish_above(table, self.worth[cheapest]) else PASS

    @hook
    def choose_bid(self, table: Table) -> int:
        """The seat whose bid gains most, above zero; the first clockwise among equals."""
        best, best_gain = NONE, self.least_gain(table)
        for step in range(1, table.players):
            seat = self.seat + step
            seat = seat - table.players if seat >= table.players else seat
            if table.has_bid[seat]:
                gain = self.bid_gain(table, seat)
                if gain > best_gain:
                    best, best_gain = seat, gain
        return best

    def bid_gain(self, table: Table, seat: int) -> float:
        """Coins gained by closing the bid of `seat`: what it pays less what it takes."""
        gain = 0.0
        mask = table.bid_give_mask[seat] | table.bid_take_mask[seat]
        while mask:
            kind = lowest(mask)
            mask &= mask - 1
            gain += self.worth[kind] * (table.bid_give[seat, kind] - table.bid_take[seat, kind])
        return gain

    @hook
    def accept(self, table: Table, partner: int) -> bool:
        """Accept the concrete proposal of `partner`?"""
        return self.offer_gain(table) > self.least_gain(table)

    def offer_gain(self, table: Table) -> float:
        """Coins gained by accepting the proposal under decision."""
        gain = 0.0
        mask = table.offer_give_mask | table.offer_take_mask
        while mask:
            kind = lowest(mask)
            mask &= mask - 1
            gain += self.worth[kind] * (table.offer_give[kind] - table.offer_take[kind])
        return gain

    # --- the market: the other seats ---

    @hook
    def bid(self, table: Table) -> int:
        """Take the cards that are worth something; pay the wished kind that costs least."""
        wanted = table.put_up_mask & ~self.burden_mask
        if not wanted and (table.wish_nothing or not table.gifts):
            return PASS
        gain = self.take_kinds(table, wanted)
        if table.wish_nothing:
            return OFFER
        price = self.least_worth(table.wished_mask & self.held_mask)
        if price < 0 or gain - self.worth[price] <= self.least_gain(table):
            return PASS
        mark(self.give, 1 << price)
        return OFFER

    def take_kinds(self, table: Table, mask: int) -> float:
        """Take all cards put up of the kinds of a bit mask; what they are worth."""
        add(self.take, table.put_up, mask)
        gain = 0.0
        while mask:
            kind = lowest(mask)
            mask &= mask - 1
            gain += self.worth[kind] * table.put_up[kind]
        return gain

    @hook
    def propose(self, table: Table) -> int:
        """Offer a burden for a revealed kind that this seat grows, then as a gift; never the same twice.

        The burden is one that the active seat has a field for, if there is one; no other is given
        away. What the active seat grows itself is not asked for.
        """
        burdens = self.held_mask & self.burden_mask
        if not burdens:
            return PASS
        grown = self.grown_mask(table, table.active)
        welcome = burdens & grown
        burden = self.least_worth(welcome if welcome else burdens)
        want = self.most_worth(table.revealed_mask & ~grown)
        if want >= 0 and self.worth[want] > 0.0 and self.is_new(table, burden, want):
            mark(self.give, 1 << burden)
            mark(self.take, 1 << want)
            return OFFER
        if welcome and table.gifts and self.is_new(table, burden, NONE):
            mark(self.give, 1 << burden)
            return OFFER
        return PASS

    def grown_mask(self, table: Table, seat: int) -> int:
        """Bit mask of the kinds that a seat has a field for: all where one is empty."""
        mask = table.aside_mask[seat]
        for field in range(table.fields[seat]):
            kind = table.field_kind[seat, field]
            if kind < 0:
                return ALL_KINDS
            mask |= 1 << kind
        return mask

    def is_new(self, table: Table, burden: int, want: int) -> bool:
        """True unless this very card was offered so in this turn: then it was refused."""
        offer = ((table.turn * 32 + burden) * 32 + want + 1) * 256 + self.held[burden]
        if want >= 0:
            new = offer != self.asked_swap
            self.asked_swap = offer
        else:
            new = offer != self.asked_gift
            self.asked_gift = offer
        return new

    # --- the Duel of two players (RULES 2.5) ---

    @hook
    def choose_offered(self, table: Table) -> int:
        """Which kind of the offer is dealt with next: the best, then the burdens, the worst first.

        So the top discard, which matching cards turned up would take along, is the least of the burdens.
        """
        best = self.most_worth(table.revealed_mask)
        return best if self.worth[best] >= 0.0 else self.least_worth(table.revealed_mask)

    @hook
    def plant_offered(self, table: Table, kind: int) -> bool:
        """Plant a card of this kind out of the offer? If not, it is discarded."""
        return self.worth[kind] >= 0.0

    @hook
    def discard_hand(self, table: Table) -> int:
        """Which hand card is discarded after planting: the front-most burden, or NONE."""
        for position in range(self.hand_count):
            if self.worth[self.hand[position]] < 0.0:
                return position
        return NONE

    @hook
    def plant_turned(self, table: Table) -> int:
        """Which kind of the cards turned up is planted next; NONE leaves the rest on offer.

        A card is planted also for what it would be worth to the other seat, which gets the offer.
        """
        best, most = NONE, 0.0
        for kind in range(table.kinds):
            if table.revealed[kind]:
                worth = self.worth[kind] + self.worth_to_other(table, kind)
                if worth >= most:
                    best, most = kind, worth
        return best

    def worth_to_other(self, table: Table, kind: int) -> float:
        """Coins that a card adds to the other seat's largest field of its kind; 0 where it grows none."""
        other = 1 - self.seat
        cards = 0
        for field in range(table.fields[other]):
            if table.field_kind[other, field] == kind and table.field_cards[other, field] > cards:
                cards = table.field_cards[other, field]
        return table.slope[kind, cards] if cards else 0.0

    # --- kinds by worth ---

    def least_worth(self, mask: int) -> int:
        """The kind of a bit mask that is worth least to this seat, the first of equals; or NONE."""
        best = NONE
        while mask:
            kind = lowest(mask)
            mask &= mask - 1
            if best < 0 or self.worth[kind] < self.worth[best]:
                best = kind
        return best

    def most_worth(self, mask: int) -> int:
        """The kind of a bit mask that is worth most to this seat, the first of equals; or NONE."""
        best = NONE
        while mask:
            kind = lowest(mask)
            mask &= mask - 1
            if best < 0 or self.worth[kind] > self.worth[best]:
                best = kind
        return best

    give_copy = silent
    """Which copy of a kind leaves: NONE for the revealed card or a position in hand. Left as it
    is: the revealed card, then the front-most."""
