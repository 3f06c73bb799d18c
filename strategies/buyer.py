"""The buyer pays for one more field, or earns it."""

from beansim.strategies.trader import Trader

from beansim.strategy import NONE, Table, hook, param


class Buyer(Trader):
    """Trades as the trader does, and gets one more field where the rule set has one to get.

    Idea: a third field pays by what it grows until the end, so it is bought, or earned with field beans,
    early or not at all.
    Source: the purchase of the older Rio Grande edition (RULES 2.2) and the field bean (RULES 2.1); when a
    field pays is the question.
    """

    until = param(1, 0, 9, "run-outs of the pile after which no field is bought or earned any more")
    reserve = param(0, 0, 20, "coins to be kept beside the price")
    prize = param(3.0, 0.0, 9.0, "coins that an earned field is worth")

    def wants_field(self, table: Table) -> bool:
        """True while one more field can be had and enough of the game is left."""
        return table.fields[self.seat] < table.max_fields and table.run_outs < self.until

    @hook
    def buy_field(self, table: Table) -> bool:
        """Buy as soon as the coins are there."""
        return self.wants_field(table) and table.coins[self.seat] >= table.field_price + self.reserve

    @hook
    def harvest_early(self, table: Table) -> int:
        """Harvest the field beans that earn a field, as many as it takes and no more."""
        for field in range(table.fields[self.seat]):
            kind = table.field_kind[self.seat, field]
            if self.allowed[field] and kind >= 0 and self.wants_field(table):
                if table.field_cards[self.seat, field] == table.field_at[kind]:
                    return field
        return NONE

    def step(self, table: Table, kind: int, cards: int) -> float:
        """The trader's step; a kind that earns a field is worth its share of it."""
        if cards < table.field_at[kind] and table.fields[self.seat] < table.max_fields:
            return self.prize / table.field_at[kind]
        return Trader.step(self, table, kind, cards)
