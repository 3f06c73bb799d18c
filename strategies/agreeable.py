"""The agreeable player never says no."""

from beansim.strategies.trader import Trader

from beansim.strategy import NONE, OFFER, PASS, Table, hook, mark


class Agreeable(Trader):
    """Closes every deal that it is offered, and bids whenever it can pay.

    Idea: every deal moves cards to where somebody wants them; whoever closes most of them gets most.
    Source: a student tournament in which accepting every trade beat careful heuristics, one of the argued
    questions of experiments/accept-all.toml.
    """

    @hook
    def choose_bid(self, table: Table) -> int:
        """The best bid, however bad it is."""
        best, best_gain = NONE, 0.0
        for step in range(1, table.players):
            seat = (self.seat + step) % table.players
            if table.has_bid[seat]:
                gain = self.bid_gain(table, seat)
                if best < 0 or gain > best_gain:
                    best, best_gain = seat, gain
        return best

    @hook
    def accept(self, table: Table, partner: int) -> bool:
        """Yes."""
        return True

    @hook
    def bid(self, table: Table) -> int:
        """Take all that is worth something, else one card; pay the wished kind that costs least."""
        mask = table.put_up_mask & ~self.burden_mask
        taken = 0
        for kind in range(table.kinds):
            if mask >> kind & 1:
                self.take[kind] = table.put_up[kind]
                taken += table.put_up[kind]
        if taken == 0 and table.put_up_mask:
            self.take[self.most_worth(table.put_up_mask)] = 1
            taken = 1
        if table.wish_nothing:
            return OFFER if taken > 0 else PASS
        price = self.least_worth(table.wished_mask & self.held_mask)
        if price < 0 or (taken == 0 and not table.gifts):
            return PASS
        mark(self.give, 1 << price)
        return OFFER
