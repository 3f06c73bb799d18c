"""The two-planter always plants its second card."""

from beansim.strategies.trader import Trader

from beansim.strategy import Table, hook


class TwoPlant(Trader):
    """Trades as the trader does and plants two hand cards in every turn.

    Idea: the hand moves on: what waits behind the front cards comes to the fields sooner.
    Source: the other side of the argument of `one_plant`, asked in experiments/second-card.toml.
    """

    @hook
    def plant_second(self, table: Table, kind: int) -> bool:
        """Yes."""
        return True
