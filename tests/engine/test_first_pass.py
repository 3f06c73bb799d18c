"""RULES 5.3 to 5.7 in numbers: when and where the piles run out, and how large they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from ledger import states

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Batch, play
from beansim.rules import KINDS, Rules

BASE = ("blue", "chili", "stink", "green", "soy", "black-eyed", "red", "garden")
ALL = ("coffee", "wax", *BASE, "cocoa")
DECKS = {
    "base": BASE,
    "150": tuple(name for name in ALL if name != "cocoa"),
    "130": tuple(name for name in ALL if name != "coffee"),
    "144": tuple(name for name in ALL if name not in ("cocoa", "garden")),
    "field": (*BASE, "wax", "field"),
}
GROWING = (3, 4, 5, 6, 6, 6, 6)
"""Hands of the older Rio Grande edition with 6 and 7 players (RULES 2.2)."""

FIRST_RUN_OUTS = {
    ("base", 3, "active"): (18, 4, 2),
    ("base", 4, "active"): (17, 4, 0),
    ("base", 5, "active"): (16, 4, 0),
    ("150", 3, "everyone"): (27, 4, 1),
    ("130", 4, "everyone"): (19, 2, 2),
    ("130", 5, "everyone"): (15, 4, 3),
    ("144", 6, "everyone"): (15, 2, 2),
    ("144", 7, "everyone"): (13, 2, 5),
    ("field", 4, "everyone"): (19, 2, 2),
    ("field", 5, "everyone"): (15, 4, 2),
    ("150", 3, "active"): (27, 4, 2),
    ("130", 4, "active"): (22, 4, 1),
    ("130", 5, "active"): (21, 4, 0),
    ("144", 6, "active"): (19, 4, 0),
    ("144", 7, "active"): (18, 4, 3),
}
"""Turn, phase and seat of the first run-out, by deck, players and who draws (RULES 5.3)."""


def rules_for(deck: str, players: int, draws: Any) -> Rules:
    crowd = players > 5
    return Rules(
        variant=deck,
        players=players,
        kinds=tuple(KINDS[name] for name in DECKS[deck]),
        fields=2,
        max_fields=3,
        hands=GROWING[:players] if crowd and draws == "active" else (5,) * players,
        draw=1 if draws == "everyone" else 4 if crowd else 3,
        draws=draws,
    )


@pytest.mark.parametrize("table", FIRST_RUN_OUTS, ids=lambda table: "-".join(map(str, table)))
def test_the_first_run_out_comes_where_it_must(table: tuple[str, int, str]) -> None:
    rules = rules_for(*table)
    batch = play(table_of(rules, ("random",) * rules.players), 2, 0, 5, log=True)
    for row in range(5):
        events = batch.records(row)
        place = next(number for number, event in enumerate(events) if event["e"] == "exhausted")
        found = (events[place]["turn"], events[place]["phase"], events[place - 1]["seat"])
        assert found == FIRST_RUN_OUTS[table]


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
