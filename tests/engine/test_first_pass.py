"""RULES 5.3 to 5.7 in numbers: when and where the piles run out, and how large they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from ledger import states

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Batch, play
from beansim.rules import VARIANTS

FIRST_RUN_OUTS = {
    ("base", 3): (18, 4, 2, 2),
    ("base", 4): (17, 4, 0, 2),
    ("base", 5): (16, 4, 0, 2),
    ("two-pass", 3): (18, 4, 2, 2),
    ("two-pass", 4): (17, 4, 0, 2),
    ("two-pass", 5): (16, 4, 0, 2),
    ("bga", 3): (18, 4, 2, 2),
    ("bga", 4): (17, 4, 0, 2),
    ("bga", 5): (16, 4, 0, 2),
    ("more-beans", 3): (27, 4, 1, 3),
    ("more-beans", 4): (19, 2, 2, 2),
    ("more-beans", 5): (15, 4, 3, 5),
    ("more-beans", 6): (15, 2, 2, 2),
    ("more-beans", 7): (13, 2, 5, 1),
    ("field-bean", 4): (19, 2, 2, 1),
    ("field-bean", 5): (15, 4, 2, 4),
    ("rio-grande", 3): (27, 4, 2, 3),
    ("rio-grande", 4): (22, 4, 1, 3),
    ("rio-grande", 5): (21, 4, 0, 3),
    ("rio-grande", 6): (19, 4, 0, 4),
    ("rio-grande", 7): (18, 4, 3, 4),
    ("duel", 2): (27, 4, 0, 1),
    ("duel-rio-grande", 2): (27, 4, 0, 1),
}
"""Turn, phase, seat that gets the card, and number of the card in that phase: where the first pile
runs out, whatever is played (RULES 5.3; C61 for the Duel). In field-bean with 5 it is the fourth
card of the circuit that begins with the active seat."""


def test_every_variant_and_table_size_is_there() -> None:
    assert set(FIRST_RUN_OUTS) == {(name, size) for name, known in VARIANTS.items() for size in known.players}


@pytest.mark.parametrize("table", FIRST_RUN_OUTS, ids=lambda table: "-".join(map(str, table)))
def test_the_first_run_out_comes_where_it_must(table: tuple[str, int]) -> None:
    rules = rules_of(*table)
    for strategy in ("random", "trader"):
        batch = play(table_of(rules, (strategy,) * rules.players), 2, 0, 5, log=True)
        for row in range(5):
            assert first_run_out(batch.records(row)) == FIRST_RUN_OUTS[table]


def first_run_out(events: list[dict[str, Any]]) -> tuple[int, int, int, int]:
    place = next(number for number, event in enumerate(events) if event["e"] == "exhausted")
    turn, phase = events[place]["turn"], events[place]["phase"]
    taken = [
        event
        for event in events[:place]
        if event["e"] in ("draw", "reveal") and (event["turn"], event["phase"]) == (turn, phase)
    ]
    return turn, phase, taken[-1]["seat"], sum(len(event["beans"]) for event in taken)


@pytest.mark.parametrize("variant", ["duel", "duel-rio-grande"])
def test_a_duel_has_27_turns(variant: str) -> None:
    """C61: 14 of seat 0, 13 of seat 1, and the last of them draws one card."""
    batch = play(table_of(rules_of(variant, 2), ("random", "trader"), rotate=True), 3, 0, 50, log=True)
    assert (batch.games["turns"] == 27).all()
    turns = [event["seat"] for event in batch.records(0) if event["e"] == "turn"]
    assert (turns.count(0), turns.count(1)) == (14, 13)


@pytest.fixture(scope="module", params=[3, 4, 5])
def alone(request: pytest.FixtureRequest) -> Batch:
    """Random games without any trade."""
    players = request.param
    return play(table_of(rules_of("base", players, trading=False), ("random",) * players), 3, 0, 30, log=True)


def test_without_trades_two_or_three_cards_a_turn_leave_hands_or_pile_for_good(alone: Batch) -> None:
    """RULES 5.5: discards, fields and coins at the first run-out."""
    turns = 21 - alone.arm.rules.players
    for row in range(len(alone.games)):
        events = alone.records(row)
        first_pass = events[
            : next(place for place, event in enumerate(events) if event["e"] == "exhausted") + 1
        ]
        planted = sum(event["e"] == "plant" and event["from"] == "hand" for event in first_pass)
        ledger = [ledger for _, ledger in states(first_pass)][-1]
        held = sum(cards.total() for name, cards in ledger.places.items() if name.startswith("hand"))
        out = ledger.total().total() - held - ledger.places["pile"].total()
        assert out == 2 * turns + planted
        assert 3 * turns <= out <= 4 * turns


def test_without_trades_a_hand_grows_by_one_or_two_in_its_own_turn(alone: Batch) -> None:
    """RULES 5.5, but for the turn in which the game ends."""
    for row in range(len(alone.games)):
        growth: Counter[int] = Counter()
        for event, _ in states(alone.records(row)):
            if event["e"] == "draw" and event["turn"]:
                growth[event["turn"]] += len(event["beans"])
            elif event["e"] == "plant" and event["from"] == "hand":
                growth[event["turn"]] -= 1
        assert set(list(growth.values())[:-1]) <= {1, 2}


def test_coins_of_a_kind_never_decrease(logged: Batch) -> None:
    """RULES 5.1: where no fields are sold."""
    for row in range(len(logged.games)):
        before: Counter[str] = Counter()
        for _, ledger in states(logged.records(row)):
            coins = Counter(ledger.places.get("coins", {}))
            assert before <= coins
            before = coins


def test_deals_of_a_turn_are_at_most_the_cards_that_can_move(logged: Batch) -> None:
    """RULES 5.7: the cards in all hands when the market opens, and the two turned up."""
    for row in range(len(logged.games)):
        movable, deals = 0, 0
        for event, ledger in states(logged.records(row)):
            if event["e"] == "turn":
                deals = 0
            elif event["e"] == "reveal":
                held = (cards.total() for name, cards in ledger.places.items() if name.startswith("hand"))
                movable = sum(held) + 2
            elif event["e"] == "trade":
                deals += 1
                assert deals <= movable


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_last_run_out_is_about_as_likely_on_each_card_of_a_turn(players: int) -> None:
    """RULES 5.4: two of the five cards of a turn are turned up, so 2 in 5 games end in phase 2."""
    games = play(table_of(rules_of("base", players), ("random",) * players), 4, 0, 4000).games
    share = (games["run_out_phase"][:, 2] == 2).mean()
    assert 0.36 < share < 0.44


def test_a_second_pass_is_what_is_not_held_planted_or_earned(logged: Batch) -> None:
    """RULES 5.5: nothing lies aside when the first pile runs out."""
    for row in range(len(logged.games)):
        for event, ledger in states(logged.records(row)):
            if event["e"] == "exhausted":
                left = ledger.places["discards"].total()
            if event["e"] == "shuffle" and event["pass"] == 2:
                assert len(event["deck"]) == left
                aside = [
                    cards.total() for name, cards in ledger.places.items() if name.startswith("received")
                ]
                assert not sum(aside)
                assert not ledger.places["revealed"].total()
                break


def test_equal_deals_give_equal_first_hands_to_every_seating() -> None:
    """The luck of a deal belongs to seats, not to the strategies that sit there."""
    arm = table_of(rules_of("base", 4), ("trader", "random", "hermit", "miser"), rotate=True)
    batch = play(arm, 5, 9, 1, log=True)
    dealt = [
        [event["beans"] for event in batch.records(row) if event["e"] == "draw" and event["turn"] == 0]
        for row in range(4)
    ]
    assert all(hands == dealt[0] for hands in dealt)
    assert len(np.unique(batch.seats["coins"].reshape(4, 4), axis=0)) > 1
