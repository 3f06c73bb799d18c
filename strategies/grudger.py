"""The grudger remembers who tried to take it in."""

from beansim.strategies._choosy import Choosy

from beansim.strategy import Table, hook, memory, param


class Grudger(Choosy):
    """Trades as the trader does, but never again with a seat that has insulted it too often.

    Idea: an insult is a proposal that would cost this seat more than `insult` coins. Whoever made
    `patience` of them is refused for the rest of the game.
    Source: Friedman's grim trigger (J. W. Friedman, "A non-cooperative equilibrium for supergames",
    Review of Economic Studies 38, 1971), here with offers in place of defections.
    """

    insult = param(1.0, 0.0, 4.0, "loss in coins from which on a proposal is an insult")
    patience = param(3, 1, 99, "insults after which a seat is refused")
    insults = memory(0, 7)

    def deals_with(self, table: Table, seat: int) -> bool:
        """With everybody who has not insulted this seat too often."""
        return self.insults[seat] < self.patience

    @hook
    def accept(self, table: Table, partner: int) -> bool:
        """The trader's answer; an insult is remembered."""
        if self.offer_gain(table) < -self.insult:
            self.insults[partner] += 1
        return Choosy.accept(self, table, partner)
