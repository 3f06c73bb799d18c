"""The dumper gives its burdens away and never pays for anything."""

from beansim.strategies.trader import Trader

from beansim.strategy import OFFER, PASS, Table, hook, mark


class Dumper(Trader):
    """Makes and takes gifts, and nothing else: burdens go to whoever wants them.

    Idea: the simplest market. A card that would clear a field is worth giving away at any price, and
    asking none is quickest; nobody is ever paid.
    Source: "a gift can be helpful" in the table talk of S4; experiments/gifts.toml asks what gifts alone
    are worth.
    """

    @hook
    def announce(self, table: Table) -> int:
        """Put every burden up as a gift, until nobody takes one."""
        if table.announcements > 0 or not table.gifts or not self.put_up_burdens(table):
            return PASS
        self.wish_nothing = 1
        return OFFER

    @hook
    def bid(self, table: Table) -> int:
        """Take gifts that are worth something."""
        return Trader.bid(self, table) if table.wish_nothing else PASS

    @hook
    def propose(self, table: Table) -> int:
        """Offer the worst burden as a gift."""
        burden = self.least_worth(self.held_mask & self.burden_mask)
        if burden < 0 or not table.gifts:
            return PASS
        mark(self.give, 1 << burden)
        return OFFER
