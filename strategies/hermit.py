"""The hermit never trades."""

from beansim.strategy import Strategy, silent


class Hermit(Strategy):
    """Never trades: plants what comes, harvests when forced.

    Idea: the baseline without a market. What any other strategy earns above it is what trading
    brings. It also measures the bare engine.
    Source: the no-trade golden run of RULES section 4 (C62) plays almost so.
    """

    announce = silent
    bid = silent
    propose = silent
    accept = silent
    choose_bid = silent
