"""The collector prefers rare kinds."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, param


class Collector(Trader):
    """Trades as the trader does, but values rare kinds higher than their beanometer.

    Idea: rare kinds pay their first coins after two cards (RULES 1.1), and few others want them.
    Source: the beanometers of garden, red, black-eyed and soy against blue and chili.
    """

    love = param(1.5, 0.1, 5.0, "factor on the worth of rare kinds")
    rare = param(12, 1, 99, "a kind is rare when the deck has at most so many cards of it")

    def step(self, table: Table, kind: int, cards: int) -> float:
        """The trader's step, multiplied for rare kinds."""
        value = Trader.step(self, table, kind, cards)
        return value * self.love if table.count[kind] <= self.rare else value
