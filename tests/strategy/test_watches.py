"""What `appraise` watches: it runs again when that has changed, and no oftener."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Bench
from beansim.strategy import Entrant

TRADER = """
from beansim.strategies.trader import Trader

class Mine(Trader):
    '''Looks at the same as the trader.'''

    watches = {watches}
"""

EXACT = """
from beansim.strategies.trader import Trader

class Exact(Trader):
    '''Looks at the number of coins, and says that it looks at the steps in reach alone.'''

    watches = ("fields", "steps")

    def step(self, table: Table, kind: int, cards: int) -> float:
        return Trader.step(self, table, kind, cards) * (1.0 + 0.1 * table.coined[kind])
"""


def played(entrant: Entrant, *, always: bool = False) -> tuple[np.ndarray, int]:
    """Rows of the seats of some games among copies, and how often a hook was called."""
    arm = table_of(rules_of("base", 4), (entrant,) * 4)
    batch, _ = Bench(arm, always_appraise=always).run(3, 0, 20)
    return batch.seats, batch.decisions


def test_steps_in_reach_change_more_seldom_than_coins(written: Callable[..., Entrant]) -> None:
    """Most coins leave as many steps of a beanometer in reach as before."""
    by_steps, few = played(written(TRADER.format(watches='("fields", "steps")'), "by_steps"))
    by_coins, many = played(written(TRADER.format(watches='("fields", "coined")'), "by_coins"))
    by_anything, most = played(written(TRADER.format(watches='("fields", "table")'), "by_anything"))
    np.testing.assert_array_equal(by_steps["coins"], by_coins["coins"])
    np.testing.assert_array_equal(by_steps["coins"], by_anything["coins"])
    assert few < many < most


def test_what_is_not_watched_may_be_out_of_date(written: Callable[..., Entrant]) -> None:
    exact = written(EXACT)
    assert (played(exact)[0]["coins"] != played(exact, always=True)[0]["coins"]).any()
