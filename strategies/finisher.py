"""The finisher knows that the game ends."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, param


class Finisher(Trader):
    """Values cards less the further their next coin lies beyond the end of the game.

    Idea: in the last pass only the cards left in the pile come. A step that needs more cards than this seat
    can expect of them is worth little, and a field that will pay nothing more may go at once.
    Source: the values of a finite game fall towards its end (backward induction); RULES 5.7 for how many
    cards a turn takes.
    """

    pace = param(0.05, 0.0, 1.0, "cards for a field that come with each card of the pile, at best")

    watches = ("fields", "coined", "table")

    def prospects(self, table: Table, kind: int) -> float:
        """The growth, or what the rest of the last pass can still bring."""
        return min(self.growth, self.to_come(table))

    def to_come(self, table: Table) -> float:
        """Cards that a field can still expect; many before the last pass."""
        return self.pace * table.pile if table.run_outs + 1 >= table.last_run_out else 99.0

    def step(self, table: Table, kind: int, cards: int) -> float:
        """The trader's step, less where the game ends before it."""
        value = Trader.step(self, table, kind, cards)
        needed, expected = table.missing[kind, cards], self.to_come(table)
        return value if needed <= expected else value * expected / needed
