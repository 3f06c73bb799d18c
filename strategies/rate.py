"""The rate player looks beyond the next step of the beanometer."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table


class Rate(Trader):
    """Values a card by the best rate, in coins a card, that its field can still reach.

    Idea: the next step of a beanometer may be dear and the one after it cheap (stink: 5 cards for two
    coins, 7 for three, 8 for four). Count the best of all steps that the cards left can reach.
    Source: greedy by profit a unit, as for the fractional knapsack (G. B. Dantzig, "Discrete-variable
    extremum problems", Operations Research 5, 1957).
    """

    def step(self, table: Table, kind: int, cards: int) -> float:
        """Best coins a card over all steps in reach."""
        reach = table.count[kind] - table.coined[kind]
        coins = table.pay[kind, cards]
        best = 0.0
        for goal in range(coins + 1, 5):
            needed = table.needed[kind, goal]
            if cards < needed <= reach:
                best = max(best, (goal - coins) / (needed - cards))
        return best
