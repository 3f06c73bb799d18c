"""The equalizer changes one card for one card."""

from beansim.strategies.trader import Trader

from beansim.strategy import OFFER, PASS, Table, hook, mark

UNEQUAL = -99.0
"""Gain of a deal that is not one card for one."""


class Equalizer(Trader):
    """Closes deals of one card for one card only: no gifts, no bundles.

    Idea: an equal exchange is easy to judge and owes nobody anything.
    Source: the house custom of trading one for one; what it leaves unused is what `trader` earns more.
    """

    def cards(self, table: Table, row: int) -> int:
        """Cards of a row that is offered to this seat: 0 what it would get, 1 what it would give."""
        total = 0
        for kind in range(table.kinds):
            total += table.offer_take[kind] if row else table.offer_give[kind]
        return total

    def offer_gain(self, table: Table) -> float:
        """The trader's gain of one card for one."""
        if self.cards(table, 0) != 1 or self.cards(table, 1) != 1:
            return UNEQUAL
        return Trader.offer_gain(self, table)

    def bid_gain(self, table: Table, seat: int) -> float:
        """The trader's gain of one card for one."""
        balance, total = 0, 0
        for kind in range(table.kinds):
            balance += table.bid_give[seat, kind] - table.bid_take[seat, kind]
            total += table.bid_give[seat, kind]
        return Trader.bid_gain(self, table, seat) if balance == 0 and total == 1 else UNEQUAL

    @hook
    def announce(self, table: Table) -> int:
        """Put up one card, the least wanted kind first, for any kind that is worth more."""
        mask = self.held_mask | table.revealed_mask
        for _ in range(table.announcements):
            mask &= ~(1 << self.least_worth(mask)) if mask else 0
        cheapest = self.least_worth(mask)
        if cheapest < 0:
            return PASS
        mark(self.give, 1 << cheapest)
        return OFFER if self.wish_above(table, self.worth[cheapest]) else PASS

    @hook
    def bid(self, table: Table) -> int:
        """Take the one card that is worth most for the wished kind that costs least."""
        want = self.most_worth(table.put_up_mask)
        price = self.least_worth(table.wished_mask & self.held_mask)
        if want < 0 or price < 0 or self.worth[want] - self.worth[price] <= self.least_gain(table):
            return PASS
        mark(self.take, 1 << want)
        mark(self.give, 1 << price)
        return OFFER

    @hook
    def propose(self, table: Table) -> int:
        """The worst card in hand for the revealed kind that is worth most."""
        want = self.most_worth(table.revealed_mask)
        price = self.least_worth(self.held_mask)
        if want < 0 or price < 0 or self.worth[want] - self.worth[price] <= self.least_gain(table):
            return PASS
        mark(self.take, 1 << want)
        mark(self.give, 1 << price)
        return OFFER
