"""The closed-form facts of RULES 5 hold in every game, at every event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from ledger import states

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Batch, play
from beansim.referee import replay_events

ONE_PASS = {"blue": 8, "chili": 8, "stink": 8, "green": 8, "soy": 6, "black-eyed": 6, "red": 6, "garden": 6}
THREE_PASSES = {
    "blue": 15,
    "chili": 14,
    "stink": 13,
    "green": 12,
    "soy": 10,
    "black-eyed": 9,
    "red": 7,
    "garden": 6,
}
CEILINGS = {2: 77, 3: 86}
"""RULES 5.6: most coins of a whole game, by the run-out that ends it."""


def records(batch: Batch) -> Iterator[list[dict[str, Any]]]:
    return (batch.records(row) for row in range(len(batch.games)))


def test_every_game_ends_by_the_rules(logged: Batch) -> None:
    assert (logged.games["status"] == 0).all()
    assert not logged.errors


def test_cards_are_conserved_per_kind_at_every_event(logged: Batch) -> None:
    for events in records(logged):
        deck = Counter({kind["name"]: kind["count"] for kind in events[0]["rules"]["kinds"]})
        coins = 0
        for _, ledger in states(events):
            assert ledger.total() == deck
            assert ledger.coins() >= coins
            coins = ledger.coins()


def test_coin_ceilings_are_never_broken(logged: Batch) -> None:
    for events in records(logged):
        ledger = [ledger for _, ledger in states(events)][-1]
        coins = ledger.places["coins"]
        assert coins.total() <= CEILINGS[logged.arm.rules.run_outs]
        assert all(coins[bean] <= most for bean, most in THREE_PASSES.items())


def test_first_pass_coins_stay_below_their_ceiling(logged: Batch) -> None:
    for events in records(logged):
        for event, ledger in states(events):
            if event["e"] == "exhausted":
                coins = ledger.places.get("coins", Counter())
                assert all(coins[bean] <= most for bean, most in ONE_PASS.items())
                break


def test_the_referee_agrees(logged: Batch) -> None:
    for events in records(logged):
        verdict = replay_events(events)
        assert verdict.holds, verdict


@pytest.fixture(
    scope="module",
    params=[
        (variant, players, name)
        for variant in ("base", "two-pass")
        for players in (3, 4, 5)
        for name in ("random", "trader")
    ],
    ids=lambda param: "-".join(map(str, param)),
)
def many(request: pytest.FixtureRequest) -> Batch:
    """Two thousand games of one table, unlogged."""
    variant, players, name = request.param
    return play(table_of(rules_of(variant, players), (name,) * players), 5, 0, 2000)


def test_the_first_run_out_does_not_depend_on_decisions(many: Batch) -> None:
    """RULES 5.3: turn 21 - n, on the second card of phase 4."""
    players = many.arm.rules.players
    assert (many.games["run_out_turn"][:, 0] == 21 - players).all()
    assert (many.games["run_out_phase"][:, 0] == 4).all()


def test_games_end_on_the_last_run_out_within_the_turn_bound(many: Batch) -> None:
    """RULES 5.7: a turn draws five cards, of at most 104 - 5n + 104 + 104."""
    games, rules = many.games, many.arm.rules
    assert (games["status"] == 0).all()
    assert (games["run_outs"] == rules.run_outs).all()
    assert (games["end"] == 0).all()
    assert games["turns"].max() <= 60
    last = games["run_out_turn"][:, rules.run_outs - 1]
    assert (last == games["turns"]).all()
    assert (np.diff(games["run_out_turn"][:, : rules.run_outs], axis=1) > 0).all()


def test_coins_of_a_table_stay_below_the_ceiling(many: Batch) -> None:
    players = many.arm.rules.players
    assert many.seats["coins"].reshape(-1, players).sum(axis=1).max() <= CEILINGS[many.arm.rules.run_outs]


def test_harvested_cards_are_coins_and_discards(many: Batch) -> None:
    """RULES 5.1, 5.2: the tally of harvests pays exactly the coins of the seats."""
    rules, harvests = many.arm.rules, many.harvests.sum(axis=(0, 3))
    paid = sum(
        int(harvests[number, cards]) * kind.coins(cards)
        for number, kind in enumerate(rules.kinds)
        for cards in range(harvests.shape[1])
    )
    assert paid == int(many.seats["coins"].sum())
    assert int(many.harvests.sum()) == int(many.seats["harvests"].sum())


def test_every_game_has_one_winner_by_the_seat_rule(many: Batch) -> None:
    """RULES 5.10."""
    players = many.arm.rules.players
    assert (many.seats["win_units"].reshape(-1, players).sum(axis=1) == 420).all()
    assert set(np.unique(many.games["winners"])) <= {1 << seat for seat in range(players)}


def test_the_position_law_of_run_outs(logged: Batch) -> None:
    """RULES 5.4: when T cards have been drawn, the run-out is on card ((T - 1) mod 5) + 1 of its turn."""
    for events in records(logged):
        drawn = place = turn = 0
        for event in events:
            if event["e"] in ("draw", "reveal") and event["turn"]:
                place = 0 if event["turn"] != turn else place
                turn = event["turn"]
                place += len(event["beans"])
                drawn += len(event["beans"])
            if event["e"] == "exhausted":
                assert place == (drawn - 1) % 5 + 1
                assert event["phase"] == (2 if place <= 2 else 4)


def test_deals_of_a_turn_are_bounded(logged: Batch) -> None:
    """RULES 5.7: each deal moves a card out of a hand or off the table."""
    for events in records(logged):
        deals = Counter(event["turn"] for event in events if event["e"] == "trade")
        assert all(count <= 104 + 2 for count in deals.values())
