"""The staple grower prefers common kinds."""

from beansim.strategies._specialist import Specialist

from beansim.strategy import Table, param


class Staple(Specialist):
    """Trades as the trader does, but values common kinds higher than their beanometer.

    Idea: a field of blue or chili never waits long for its next card, and every other seat has some to
    give away; a field of garden may wait all game.
    Source: the counts of RULES 1.1 (20 blue, 18 chili, 16 stink against 6 garden and 8 red).
    """

    common = param(14, 1, 99, "a kind is common when the deck has at least so many cards of it")

    def loves(self, table: Table, kind: int) -> bool:
        """Common kinds."""
        return table.count[kind] >= self.common
