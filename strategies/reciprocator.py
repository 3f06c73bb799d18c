"""The reciprocator returns what it got."""

from beansim.strategies.trader import Trader

from beansim.strategy import NONE, PASS, Table, hook, memory, param


class Reciprocator(Trader):
    """Gives better terms to seats that have dealt well with it, worse ones to the others.

    Idea: what this seat gained in its own turn by deals with a seat is that seat's credit. In the turn of
    a seat with credit it is ready to lose a share of it; with a seat that never gave anything it asks for a
    margin. Cooperation is answered, and opened by taking any fair bid.
    Source: tit for tat, R. Axelrod, "The Evolution of Cooperation" (1984), with gains for moves.
    """

    share = param(0.05, 0.0, 1.0, "share of its credit that a seat gets back in a deal")
    most = param(0.25, 0.0, 4.0, "coins that a deal may cost at most")
    caution = param(0.0, 0.0, 2.0, "coins that a deal must gain with a seat without credit")
    credit = memory(0.0, 7)

    def terms(self, table: Table, seat: int) -> float:
        """Coins that a deal with `seat` in its own turn must gain at least."""
        if self.credit[seat] <= 0.0:
            return self.margin + self.caution
        return self.margin - min(self.most, self.share * self.credit[seat])

    def least_gain(self, table: Table) -> float:
        """In another seat's turn, that seat's terms; the margin in its own."""
        return self.margin if table.active == self.seat else self.terms(table, table.active)

    @hook
    def choose_bid(self, table: Table) -> int:
        """The trader's choice; the gain is the bidder's credit."""
        seat = Trader.choose_bid(self, table)
        if seat != NONE:
            self.credit[seat] += self.bid_gain(table, seat)
        return seat

    @hook
    def accept(self, table: Table, partner: int) -> bool:
        """The trader's answer; the gain is the partner's credit."""
        gain = self.offer_gain(table)
        if gain > self.least_gain(table):
            self.credit[partner] += gain
            return True
        return False

    @hook
    def bid(self, table: Table) -> int:
        """The trader's bid; what it is ready to lose is taken from the credit."""
        answer = Trader.bid(self, table)
        if answer != PASS:
            loss = 0.0
            for kind in range(table.kinds):
                loss += self.worth[kind] * (self.give[kind] - self.take[kind])
            if loss > 0.0:
                self.credit[table.active] -= loss
        return answer
