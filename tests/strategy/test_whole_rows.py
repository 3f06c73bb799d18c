"""Rows by kind worked on whole: the same as loops over the kinds, compiled and interpreted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play
from beansim.engine.status import BAD_ANNOUNCE
from beansim.strategy import Entrant

COMPARER = """
from beansim.strategy import above, add, below, mark

class Comparer(Strategy):
    '''Closes the market where whole rows and loops agree, and answers what is refused where they do not.'''

    shift = param(0, 0, 1, "1: compares with the wrong kind")

    @hook
    def announce(self, table):
        mask = self.held_mask | table.revealed_mask
        wanted = dear = cheap = 0
        mark(self.wish, mask | 1 << 40)
        add(self.give, self.held, mask)
        add(self.give, table.revealed, ~0)
        for kind in range(table.kinds):
            other = (kind + self.shift) % table.kinds
            if self.wish[kind] != mask >> other & 1:
                wanted = 77
            if self.give[kind] != self.held[other] + table.revealed[other]:
                wanted = 77
            if self.worth[other] > 0.5:
                dear |= 1 << kind
            if self.worth[other] < 0.5:
                cheap |= 1 << kind
        if above(self.worth, 0.5) != dear or below(self.worth, 0.5) != cheap:
            wanted = 77
        return wanted if wanted else CLOSE
"""

OVERFLOW = """
from beansim.strategy import add, mark

class Overflow(Strategy):
    '''Puts up more cards than a byte can count.'''

    @hook
    def announce(self, table):
        mark(self.wish, 1)
        for _ in range(12):
            add(self.give, table.count, ~0)
        return OFFER
"""


@pytest.mark.parametrize("interpreted", [False, True])
def test_whole_rows_are_what_loops_over_the_kinds_are(
    written: Callable[..., Entrant], interpreted: bool
) -> None:
    comparer = written(COMPARER)
    batch = play(table_of(rules_of("base", 4), (comparer,) * 4), 5, 0, 3, interpreted=interpreted)
    assert (batch.games["status"] == 0).all()


def test_the_comparison_can_fail(written: Callable[..., Entrant]) -> None:
    comparer = written(COMPARER, spec=":shift=1")
    batch = play(table_of(rules_of("base", 4), (comparer,) * 4), 5, 0, 3)
    assert (batch.games["status"] == BAD_ANNOUNCE).all()


@pytest.mark.parametrize("interpreted", [False, True])
def test_counts_never_wrap(written: Callable[..., Entrant], interpreted: bool) -> None:
    overflow = written(OVERFLOW)
    batch = play(table_of(rules_of("base", 4), (overflow,) * 4), 5, 0, 1, interpreted=interpreted)
    assert (batch.games["status"] != 0).all()
