"""What the strategies share that prefer some kinds to others."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, param


class Specialist(Trader):
    """Trades as the trader does, but values the kinds that it loves by a factor."""

    love = param(1.2, 0.1, 5.0, "factor on the worth of the kinds it prefers")

    def loves(self, table: Table, kind: int) -> bool:
        """Whether this kind is one of those."""
        return False

    def step(self, table: Table, kind: int, cards: int) -> float:
        """The trader's step, multiplied for the kinds it prefers."""
        value = Trader.step(self, table, kind, cards)
        return value * self.love if self.loves(table, kind) else value
