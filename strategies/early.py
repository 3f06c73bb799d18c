"""The early harvester cashes in as soon as a field pays enough."""

from beansim.strategies.trader import Trader

from beansim.strategy import NONE, Table, hook, param


class Early(Trader):
    """Trades as the trader does, and harvests a field as soon as it pays `coins`.

    Idea: a bird in the hand. An empty field takes the next card without loss, and the cards that are no
    coins go back to the discard pile sooner.
    Source: harvesting at any time, also off turn (RULES A6), which forced harvests alone never use.
    """

    coins = param(4, 1, 4, "coins at which a field is harvested")

    @hook
    def harvest_early(self, table: Table) -> int:
        """The first field that pays enough, or that can pay no more."""
        for field in range(table.fields[self.seat]):
            if self.allowed[field]:
                kind = table.field_kind[self.seat, field]
                cards = table.field_cards[self.seat, field]
                pays = table.pay[kind, cards]
                if pays >= self.coins or (pays > 0 and table.slope[kind, cards] == 0.0):
                    return field
        return NONE
