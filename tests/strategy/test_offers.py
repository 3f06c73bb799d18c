"""Offers refused and in vain: the engine's counts against those of the strategies themselves."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play
from beansim.strategy import Entrant

CLERK = '''
from collections import Counter

from beansim.strategy import OFFER, Strategy, hook

SEEN = Counter()


class Clerk(Strategy):
    """Writes down what it offers and what it refuses."""

    compiled = False

    @hook
    def bid(self, table):
        answer = Strategy.bid(self, table)
        SEEN["offers", self.seat] += answer == OFFER
        return answer

    @hook
    def propose(self, table):
        if table.turn % 7 == 3 and self.hand_count:
            SEEN["unmet", self.seat] += 1
            self.give[self.hand[0]], self.take[0] = 1, 19
            return OFFER
        answer = Strategy.propose(self, table)
        SEEN["offers", self.seat] += answer == OFFER
        return answer

    @hook
    def choose_bid(self, table):
        seat = Strategy.choose_bid(self, table)
        bids = sum(int(table.has_bid[other]) for other in range(table.players) if other != self.seat)
        SEEN["refused", self.seat] += bids - (seat >= 0)
        SEEN["taken"] += seat >= 0
        return seat

    @hook
    def accept(self, table, seat):
        answer = Strategy.accept(self, table, seat)
        SEEN["refused", self.seat] += not answer
        SEEN["taken"] += bool(answer)
        return answer
'''


def test_refusals_are_counted_for_both_sides(written: Callable[..., Entrant]) -> None:
    clerk = written(CLERK)
    batch = play(table_of(rules_of("base", 4), (clerk,) * 4), 5, 0, 1)
    seen: Counter[object] = sys.modules[clerk.cls.__module__].SEEN
    games = len(batch.games)
    refused, in_vain = (
        batch.seats[name].reshape(games, 4).sum(axis=0) for name in ("offers_refused", "offers_in_vain")
    )
    assert refused.tolist() == [seen["refused", seat] for seat in range(4)]
    assert min(refused) > 0
    assert seen["taken"] == batch.games["deals"].sum()
    offers, unmet = ([seen[what, seat] for seat in range(4)] for what in ("offers", "unmet"))
    assert sum(unmet) > 0
    assert in_vain.sum() == sum(offers) + sum(unmet) - seen["taken"] == refused.sum() + sum(unmet)
    assert all(unmet[seat] <= in_vain[seat] <= unmet[seat] + offers[seat] for seat in range(4))
