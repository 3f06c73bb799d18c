"""The counter knows which cards are still to come in this pass."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, param


class Counter(Trader):
    """Values a card by what is still unseen of its kind in this pass of the pile.

    Idea: cards in fields, on the discard pile and out of play as coins cannot come before the next
    shuffle. Of the unseen ones a share comes to this seat; a step that they cannot be expected to reach is
    worth less, a field that they will feed is worth keeping.
    Source: card counting by the table's own memory (DESIGN, engine: what a player with a perfect memory
    knows); RULES 5.5 for what a pass holds.
    """

    growth = param(1.0, 0.0, 8.0, "of the cards that can be expected, how much a field's growth counts")
    reach = param(0.25, 0.0, 1.0, "share of the unseen cards of a kind that come to this seat")
    doubt = param(3.0, 0.1, 9.0, "how much worth a step loses that they cannot reach; 1: in proportion")

    watches = ("fields", "hand", "coined", "table")

    def unseen(self, table: Table, kind: int) -> int:
        """Cards of a kind in the pile and in the other hands."""
        unseen = table.count[kind] - table.coined[kind] - table.seen[kind] - self.held[kind]
        return max(0, unseen)

    def prospects(self, table: Table, kind: int) -> float:
        """The share of the unseen cards, as much as growth counts."""
        return self.growth * self.reach * self.unseen(table, kind)

    def step(self, table: Table, kind: int, cards: int) -> float:
        """The trader's step, less where it needs more cards than can be expected."""
        value = Trader.step(self, table, kind, cards)
        needed = table.missing[kind, cards]
        expected = self.held[kind] + self.reach * self.unseen(table, kind)
        return value if needed <= expected else value * self.trust(expected / needed)

    def trust(self, chance: float) -> float:
        """Share of its worth that a step keeps of whose cards so large a share can be expected.

        A power would do as well, but machine code and Python round powers differently.
        """
        return chance / (chance + self.doubt * (1.0 - chance))
