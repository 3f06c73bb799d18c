"""The expander buys a field as soon as it can."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, hook, param


class Expander(Trader):
    """Trades as the trader does, and buys the third field where the rule set sells one.

    Idea: one field more for the rest of the game is worth more than its price, the sooner the better; in
    the last pass it no longer pays. Where no field is sold it is the trader.
    Source: RULES 2.2 (the third field costs three coins in the older editions); whether it pays is a
    question of experiments/third-field.toml.
    """

    reserve = param(0, 0, 20, "coins to be left after the purchase")
    passes = param(1, 0, 8, "run-outs after which no field is bought any more")

    @hook
    def buy_field(self, table: Table) -> bool:
        """Yes, early enough and when enough coins are left."""
        return table.run_outs <= self.passes and table.coins[self.seat] - table.field_price >= self.reserve
