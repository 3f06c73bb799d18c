"""The mixture is generous, fair or a miser, and nobody knows which."""

from beansim.strategies.generous import Generous
from beansim.strategies.miser import Miser
from beansim.strategies.trader import Trader

from beansim.strategy import Table, hook, memory, param

UNDECIDED, GENEROUS, FAIR, MISERLY = 0, 1, 2, 3


class Mixture(Generous, Miser):
    """Draws its mood for each game: generous, fair as the trader, or a miser.

    Idea: an opponent that adapts to one way of playing meets another one in the next game.
    Source: mixed strategies, J. von Neumann, "Zur Theorie der Gesellschaftsspiele", Math. Annalen 100 (1928).
    """

    generous = param(0.3, 0.0, 1.0, "chance of a generous game")
    miserly = param(0.1, 0.0, 1.0, "chance of a miser's game; what is left is fair")
    drawn = memory(UNDECIDED)

    def mood(self) -> int:
        """The mood of this game, drawn the first time that it matters."""
        if self.drawn == UNDECIDED:
            chance = self.uniform()
            if chance < self.generous:
                self.drawn = GENEROUS
            elif chance < self.generous + self.miserly:
                self.drawn = MISERLY
            else:
                self.drawn = FAIR
        return self.drawn

    def least_gain(self, table: Table) -> float:
        """By the mood."""
        mood = self.mood()
        if mood == GENEROUS:
            return Generous.least_gain(self, table)
        return Miser.least_gain(self, table) if mood == MISERLY else Trader.least_gain(self, table)

    def put_up_burdens(self, table: Table) -> bool:
        """By the mood."""
        if self.mood() == GENEROUS:
            return Generous.put_up_burdens(self, table)
        return Trader.put_up_burdens(self, table)

    @hook
    def announce(self, table: Table) -> int:
        """By the mood."""
        return Miser.announce(self, table) if self.mood() == MISERLY else Trader.announce(self, table)

    @hook
    def propose(self, table: Table) -> int:
        """By the mood."""
        mood = self.mood()
        if mood == GENEROUS:
            return Generous.propose(self, table)
        return Miser.propose(self, table) if mood == MISERLY else Trader.propose(self, table)
