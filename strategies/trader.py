"""The trader: sound play by beanometer and cards left."""

from beansim.strategy import Strategy, Table, hook, lowest, param


class Trader(Strategy):
    """Values cards by beanometer and cards left; swaps and gives whenever both sides gain.

    Idea: a card is worth the slope of its beanometer, a field what it may still grow to. A kind
    without a field costs the cheapest field that must make room for it. A step that the cards
    still hidden cannot reach is worth nothing.
    Source: the marginal reading of the beanometer (RULES 1.1) and the trading advice that giving a
    burden away helps both (S4, "Make the market easy to join"). `growth` was measured: a player who
    waits for cards that may never come wins less (experiments/growth.toml).
    """

    growth = param(0.0, 0.0, 8.0, "cards that a field is expected to gain still")
    margin = param(0.0, -2.0, 4.0, "coins a deal must gain at least")
    second = param(0.0, -2.0, 2.0, "worth above which the second card is planted")

    watches = ("fields", "steps")

    @hook
    def appraise(self, table: Table) -> None:
        """Worth of a card by its field, an empty field, or the cheapest field to clear."""
        room = self.appraise_fields(table)
        for kind in range(table.kinds):
            self.worth[kind] = (1.0 + self.prospects(table, kind)) * self.step(table, kind, 0) - room
        received = table.aside_mask[self.seat]
        while received:
            kind = lowest(received)
            received &= received - 1
            self.worth[kind] = self.step(table, kind, table.aside[self.seat, kind])
        for field in range(table.fields[self.seat]):
            kind = table.field_kind[self.seat, field]
            if kind >= 0:
                self.worth[kind] = self.step(
                    table, kind, table.field_cards[self.seat, field] + table.aside[self.seat, kind]
                )

    def appraise_fields(self, table: Table) -> float:
        """Write the loss of harvesting each field; coins that room for a new kind costs."""
        room, unprotected = 99.0, 99.0
        large = False
        for field in range(table.fields[self.seat]):
            kind = table.field_kind[self.seat, field]
            cards = table.field_cards[self.seat, field]
            loss = self.field_loss(table, kind, cards) if kind >= 0 else 0.0
            self.loss[field] = loss
            room = min(room, loss)
            if loss < unprotected and cards != 1:
                unprotected = loss
            large = large or cards > 1
        return unprotected if large else room

    def field_loss(self, table: Table, kind: int, cards: int) -> float:
        """Coins lost with a field harvested now: cards short of a step, and its growth."""
        return (table.unpaid[kind, cards] + self.prospects(table, kind)) * self.step(table, kind, cards)

    def prospects(self, table: Table, kind: int) -> float:
        """Cards of a kind that a field is expected to gain still."""
        return self.growth

    def step(self, table: Table, kind: int, cards: int) -> float:
        """Coins a card to the next step; nothing where too few cards are left to reach it."""
        left = table.count[kind] - table.coined[kind] - cards
        slope = table.slope[kind, cards]  # read in any case: then LLVM looks at several kinds at once
        return slope if table.missing[kind, cards] <= left else 0.0

    def least_gain(self, table: Table) -> float:
        """The margin."""
        return self.margin

    @hook
    def plant_second(self, table: Table, kind: int) -> bool:
        """Plant it when it is worth enough."""
        return self.worth[kind] > self.second
