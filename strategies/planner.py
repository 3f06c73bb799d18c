"""The planner trades for the cards that it must plant next."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, hook, param


class Planner(Trader):
    """Manages its fields for the hand that waits: keeps kinds it holds, clears the way for its front cards.

    Idea: the front cards of the hand come to the fields whatever happens. A field of a kind that waits in
    hand is worth more; a front card without a field is a burden that is worth trading away now, while it
    can still be.
    Source: the order of the hand is the heart of Bohnanza (RULES 1.2: never reordered, the front card must
    be planted).
    """

    held_growth = param(2.0, 0.0, 4.0, "cards that each card of the same kind in hand adds to a growth")
    urgency = param(0.1, 0.0, 4.0, "coins that a front card without a field costs")
    ahead = param(2, 0, 5, "front cards that are looked at")

    watches = ("fields", "hand", "steps")

    def prospects(self, table: Table, kind: int) -> float:
        """The growth, and the cards of the kind in hand."""
        return self.growth + self.held_growth * self.held[kind]

    @hook
    def appraise(self, table: Table) -> None:
        """The trader's worths; front cards without a field are burdens."""
        Trader.appraise(self, table)
        for place in range(min(self.ahead, self.hand_count)):
            kind = self.hand[place]
            if not self.grows(table, kind):
                self.worth[kind] -= self.urgency

    def grows(self, table: Table, kind: int) -> bool:
        """Whether a field takes this kind as it is."""
        for field in range(table.fields[self.seat]):
            if table.field_kind[self.seat, field] in (kind, -1):
                return True
        return False
