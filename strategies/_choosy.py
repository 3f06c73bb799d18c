"""What strategies share that refuse to deal with some of the others."""

from beansim.strategies.trader import Trader

from beansim.strategy import PASS, Table, hook

REFUSED = -99.0
"""Gain of a deal with a seat that is refused: far below what any deal can cost."""


class Choosy(Trader):
    """Trades as the trader does, but only with the seats that it `deals_with`."""

    def deals_with(self, table: Table, seat: int) -> bool:
        """Whether this seat deals with `seat` now."""
        return True

    def bid_gain(self, table: Table, seat: int) -> float:
        """The trader's gain; a refused seat's bid is worth nothing."""
        return Trader.bid_gain(self, table, seat) if self.deals_with(table, seat) else REFUSED

    @hook
    def accept(self, table: Table, partner: int) -> bool:
        """The trader's answer, but no to a refused seat."""
        return self.deals_with(table, partner) and Trader.accept(self, table, partner)

    @hook
    def bid(self, table: Table) -> int:
        """The trader's bid, but none to a refused seat."""
        return Trader.bid(self, table) if self.deals_with(table, table.active) else PASS

    @hook
    def propose(self, table: Table) -> int:
        """The trader's proposal, but none to a refused seat."""
        return Trader.propose(self, table) if self.deals_with(table, table.active) else PASS
