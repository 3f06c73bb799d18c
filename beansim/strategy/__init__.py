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
from beansim.strategy.bits import lowest
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
    "available",
    "choice",
    "hook",
    "load",
    "lowest",
    "memory",
    "param",
    "registered",
    "silent",
]
