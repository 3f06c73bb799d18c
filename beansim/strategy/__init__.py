"""Writing strategies: `from beansim.strategy import Strategy, Table, hook, memory, param`."""

from beansim.strategy.base import (
    CLOSE,
    HOOKS,
    NONE,
    OFFER,
    PASS,
    Table,
    choice,
    hook,
    memory,
    param,
    silent,
)
from beansim.strategy.bits import above, add, below, lowest, mark
from beansim.strategy.defaults import Strategy
from beansim.strategy.load import Entrant, available, load, registered

__all__ = [
    "CLOSE",
    "HOOKS",
    "NONE",
    "OFFER",
    "PASS",
    "Entrant",
    "Strategy",
    "Table",
    "above",
    "add",
    "available",
    "below",
    "choice",
    "hook",
    "load",
    "lowest",
    "mark",
    "memory",
    "param",
    "registered",
    "silent",
]
