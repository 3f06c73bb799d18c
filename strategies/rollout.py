"""The champion, looking ahead."""

from beansim.strategies._lookahead import LookAhead
from beansim.strategies.champion import Champion


class Rollout(LookAhead, Champion):
    """Tries its answers in playouts.

    Idea: x
    Source: y
    """
