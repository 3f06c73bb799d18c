"""The miser asks much and gives little."""

from beansim.strategies.trader import Trader

from beansim.strategy import OFFER, PASS, Table, hook, param


class Miser(Trader):
    """Closes only deals that gain well, takes gifts, gives none.

    Idea: hold out for a price; never feed an opponent for nothing.
    Source: the opposite pole of `generous` in the question whether holding out pays.
    """

    greed = param(0.5, 0.0, 4.0, "coins that every deal must gain")

    def least_gain(self, table: Table) -> float:
        """A deal must gain well."""
        return self.margin + self.greed

    @hook
    def announce(self, table: Table) -> int:
        """Put burdens up against wanted kinds once; never as a gift."""
        if table.announcements == 0 and self.put_up_burdens(table) and self.wish_above(table, self.greed):
            return OFFER
        return PASS

    @hook
    def propose(self, table: Table) -> int:
        """Ask for the revealed kind that is worth most, as a gift."""
        want = self.most_worth(table.revealed_mask)
        if want < 0 or self.worth[want] <= self.least_gain(table) or not table.gifts:
            return PASS
        self.take[want] = 1
        return OFFER
