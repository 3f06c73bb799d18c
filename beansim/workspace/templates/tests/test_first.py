"""Tests of the first strategy: python -m pytest"""

from pathlib import Path

import beansim
from beansim.checking.contract import CHECKS, check_strategy
from beansim.strategy import load

STRATEGY = str(Path(__file__).parent.parent / "strategies" / "first.py")
QUICK = [name for name in CHECKS if name not in ("survives bounds checking", "speed")]


def test_it_keeps_its_contract() -> None:
    """What `beansim check first` looks at: legal answers, the same games again, no peeking."""
    failed = [found for found in check_strategy(load(STRATEGY), 20, checks=QUICK) if found.passed is False]
    assert failed == []


def test_it_earns_more_than_a_seat_that_never_trades() -> None:
    """Change this to what your idea should do."""
    result = beansim.simulate(players=[STRATEGY, "hermit", "trader", "trader"], deals=200)
    coins = dict(result.seats.group_by("strategy").mean().select("strategy", "coins").iter_rows())
    assert coins["first"] > coins["hermit"]
