"""Searching the declared parameters of a strategy for values that win more.

`space` maps parameters to a cube, `objective` plays tables on common deals, `search` proposes points and
drops hopeless ones, `study` keeps every trial on disk and validates the winner, `report` writes it down.
"""

from beansim.tuning.study import Settings, Tuning, tune

__all__ = ["Settings", "Tuning", "tune"]
