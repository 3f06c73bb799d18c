"""The collector prefers rare kinds."""

from beansim.strategies._specialist import Specialist

from beansim.strategy import Table, param


class Collector(Specialist):
    """Trades as the trader does, but values rare kinds higher than their beanometer.

    Idea: rare kinds pay their first coins after two cards (RULES 1.1), and few others want them.
    Source: the beanometers of garden, red, black-eyed and soy against blue and chili.
    """

    rare = param(10, 1, 99, "a kind is rare when the deck has at most so many cards of it")

    def loves(self, table: Table, kind: int) -> bool:
        """Rare kinds."""
        return table.count[kind] <= self.rare
