"""The boycotter never deals with the start seat."""

from beansim.strategies._choosy import Choosy

from beansim.strategy import Table


class Boycotter(Choosy):
    """Trades as the trader does, but never with the start seat.

    Idea: who moves first plants, draws and harvests first; do not help it on top. One boycotter alone
    loses its deals with that seat; a table of them takes the whole market from it.
    Source: the table rule that "nobody trades with the first player"; what the seat is worth by itself
    is measured in experiments/seats.toml.
    """

    def deals_with(self, table: Table, seat: int) -> bool:
        """With everybody but the start seat."""
        return seat != table.start
