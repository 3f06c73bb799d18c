"""The generous trader gives more than it must."""

from beansim.strategies.trader import Trader

from beansim.strategy import OFFER, PASS, Table, add, below, hook, mark, param


class Generous(Trader):
    """Trades as the trader does, takes small losses and gives cards of little worth away.

    Idea: a deal that happens is better than one that is bargained away; good will is free.
    Source: the table talk of S4 ("A gift can be helpful"); the question whether generous trading
    pays is as old as the game.
    """

    kindness = param(0.25, 0.0, 2.0, "coins that it is ready to lose in a deal")

    def least_gain(self, table: Table) -> float:
        """A deal may cost a little."""
        return self.margin - self.kindness

    def put_up_burdens(self, table: Table) -> bool:
        """Put up every card worth less than the kindness."""
        spare = (self.held_mask | table.revealed_mask) & below(self.worth, self.kindness)
        add(self.give, self.held, spare)
        add(self.give, table.revealed, spare)
        return spare != 0

    @hook
    def propose(self, table: Table) -> int:
        """Give the active seat a card that this seat would rather not plant, for nothing."""
        burden = self.least_worth(self.held_mask)
        if burden < 0 or self.worth[burden] >= self.kindness or not table.gifts:
            return PASS
        mark(self.give, 1 << burden)
        return OFFER
