"""The buyer pays for one more field."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, hook, param


class Buyer(Trader):
    """Trades as the trader does, and buys a field where the rule set sells one.

    Idea: a third field pays by what it grows until the end, so it is bought early or not at all.
    Source: the purchase of the older Rio Grande edition (RULES 2.2); when it pays is the question.
    """

    until = param(1, 0, 9, "run-outs of the pile after which no field is bought any more")
    reserve = param(0, 0, 20, "coins to be kept beside the price")

    @hook
    def buy_field(self, table: Table) -> bool:
        """Buy as soon as the coins are there, while enough of the game is left."""
        enough = table.coins[self.seat] >= table.field_price + self.reserve
        return enough and table.run_outs < self.until
