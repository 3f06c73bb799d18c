"""Arms for the engine's tests, and what compares the engine's records."""

from typing import Any

import numpy as np

from beansim.engine import Arm
from beansim.rules import Rules, resolve
from beansim.strategy import load


def rotations(players: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple((first + seat) % players for seat in range(players)) for first in range(players))


def arm(players: list[str], variant: str = "base", rules: Rules | None = None, seatings=None) -> Arm:
    rules = rules or resolve(variant, len(players))
    seated = seatings or rotations(len(players))
    return Arm(rules.variant, rules, tuple(load(name) for name in players), seated)


def assert_same_records(found: Any, expected: Any, saying: str = "") -> None:
    """Field by field: a copied record holds anything between its fields, since numpy leaves that out."""
    for name in expected.dtype.names:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=f"{name} {saying}")


MIXED = ["random", "trader", "generous", "miser", "collector"]
