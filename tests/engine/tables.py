"""Arms for the engine's tests."""

from beansim.engine import Arm
from beansim.rules import Rules, resolve
from beansim.strategy import load


def rotations(players: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple((first + seat) % players for seat in range(players)) for first in range(players))


def arm(players: list[str], variant: str = "base", rules: Rules | None = None, seatings=None) -> Arm:
    rules = rules or resolve(variant, len(players))
    seated = seatings or rotations(len(players))
    return Arm(rules.variant, rules, tuple(load(name) for name in players), seated)


MIXED = ["random", "trader", "generous", "miser", "collector"]
