"""The one-planter never plants its second card."""

from beansim.strategies.trader import Trader

from beansim.strategy import silent


class OnePlant(Trader):
    """Trades as the trader does and plants one hand card a turn, never a second one.

    Idea: cards kept in hand can still be traded; a second planting only hurries the fields.
    Source: the old argument that planting the second card is rarely worth it, asked in
    experiments/second-card.toml.
    """

    plant_second = silent
