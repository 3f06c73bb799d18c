"""The myopic player counts the coins of the very next card."""

from beansim.strategy import Strategy, Table, hook, param


class Myopic(Strategy):
    """Values a card by the coins that it adds at once; room is made where most coins lie.

    Idea: greed without foresight. A card that pays nothing now is worth nothing, one that clears a field
    is a burden, and the field that pays most is harvested first.
    Source: the baseline of marginal coins: the trader's lead is what the way to the next step is worth.
    """

    burden = param(0.5, 0.0, 4.0, "coins that it costs to plant a kind for which there is no field")

    @hook
    def appraise(self, table: Table) -> None:
        """Coins of one more card; the coins that a field holds are no loss when it is harvested."""
        empty = False
        for field in range(table.fields[self.seat]):
            empty = empty or table.field_kind[self.seat, field] < 0
        for kind in range(table.kinds):
            cards = table.aside[self.seat, kind]
            placed = empty or cards > 0
            self.worth[kind] = table.pay[kind, cards + 1] - table.pay[kind, cards] if placed else -self.burden
        for field in range(table.fields[self.seat]):
            kind = table.field_kind[self.seat, field]
            self.loss[field] = 0.0
            if kind >= 0:
                cards = table.field_cards[self.seat, field] + table.aside[self.seat, kind]
                self.worth[kind] = table.pay[kind, cards + 1] - table.pay[kind, cards]
                self.loss[field] = -table.pay[kind, cards]
