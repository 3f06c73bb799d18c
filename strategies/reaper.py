"""The reaper harvests full fields at once."""

from beansim.strategies.trader import Trader

from beansim.strategy import NONE, Table, hook, param


class Reaper(Trader):
    """Trades as the trader does, and harvests a field as soon as it is ripe, forced or not.

    Idea: a field that cannot pay more only blocks; cleared in time, it takes the next kind without a
    loss, and its cards are in the discard pile before the reshuffle.
    Source: "harvest at any time, also off turn" (RULES 1.2, A6) against harvesting only when forced (S1).
    """

    ripe = param(4, 1, 4, "coins from which a field is harvested early")

    @hook
    def harvest_early(self, table: Table) -> int:
        """The first allowed field that is ripe or cannot grow any more."""
        for field in range(table.fields[self.seat]):
            kind = table.field_kind[self.seat, field]
            if self.allowed[field] and kind >= 0 and not table.aside[self.seat, kind]:
                cards = table.field_cards[self.seat, field]
                coins = table.pay[kind, cards]
                if coins >= self.ripe or (coins > 0 and table.missing[kind, cards] == 0):
                    return field
        return NONE
