"""Any sequence of legal actions keeps the rules' own accounts (RULES 5)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beansim.referee import Game, IllegalAction, Trade, format_position, parse_position, replay_events
from beansim.referee.ledger import most_turns
from beansim.rules import Rules

from .random_play import move, play, record, shuffle
from .rule_sets import build

RULE_SETS: list[dict[str, Any]] = [
    {"variant": "base", "players": 3},
    {"variant": "base", "players": 4, "reshuffle": "late"},
    {"variant": "base", "players": 5, "reshuffle": "late", "exhaust": "needed"},
    {"variant": "two-pass", "players": 3, "harvest": "forced", "copy": "front_most"},
    {"variant": "base", "players": 4, "protect": "all_single", "same_kind_twice": False, "gifts": False},
    {"variant": "base", "players": 2, "kinds": ["garden", "red", "soy"], "empty_discard": "play_on"},
    {"variant": "base", "players": 2, "kinds": ["garden", "cocoa", "red"], "reshuffle": "late"},
    {"variant": "base", "players": 3, "trading": False, "reveal": 0},
    {"set": "more-beans", "players": 3},
    {"set": "more-beans", "players": 7},
    {"set": "field-bean", "players": 4},
    {"set": "rio-grande", "players": 4},
    {"set": "rio-grande", "players": 7, "field_payment": "box"},
    {"set": "bga", "players": 4},
    {"set": "duel", "players": 2},
    {"set": "duel-rio-grande", "players": 2},
    {"set": "duel", "players": 2, "kinds": ["garden", "red", "soy"], "run_outs": 4, "harvest": "any_time"},
    {"variant": "base", "players": 4, "token_at": 5, "harvest": "own_turn"},
    {"set": "more-beans", "players": 4, "token_at": 4, "token_draw": 2},
    {
        "variant": "base",
        "players": 2,
        "kinds": ["garden", "red"],
        "empty_discard": "play_on",
        "exhaust": "needed",
        "reshuffle": "late",
    },
]


def rules_of(number: int) -> Rules:
    return build(RULE_SETS[number])


def all_cards(game: Game) -> Counter[str]:
    return sum((cards for _, cards in game.table.zones()), Counter())


sets = st.integers(0, len(RULE_SETS) - 1)
seeds = st.integers(0, 2**32)


@given(sets, seeds)
@settings(max_examples=15, deadline=None)
def test_cards_are_conserved_and_the_game_ends(number: int, seed: int) -> None:
    rules = rules_of(number)
    luck, game = random.Random(seed), Game(rules)
    deck = Counter({kind.name: kind.count for kind in rules.kinds})
    while not game.over:
        move(game, luck)
        assert all_cards(game) == deck
        assert game.turn <= most_turns(rules)
    assert not game.table.revealed or rules.turn == "duel"
    assert not any(seat.received for seat in game.table.seats)


@given(sets, seeds)
@settings(max_examples=15, deadline=None)
def test_a_record_replays_to_itself(number: int, seed: int) -> None:
    game = play(rules_of(number), seed, start=seed % rules_of(number).players)
    verdict = replay_events(record(game))
    assert verdict.holds, verdict
    assert (verdict.turns, verdict.coins) == (game.turn, tuple(game.events[-1]["coins"]))


@given(sets, seeds, st.integers(0, 150))
@settings(max_examples=15, deadline=None)
def test_a_position_reads_back_and_plays_on_alike(number: int, seed: int, moves: int) -> None:
    luck, game = random.Random(seed), Game(rules_of(number))
    while moves > 0 or game.awaits_shuffle or game.forced.seat is not None:
        move(game, luck)
        moves -= 1
        if game.over:
            return
    position = game.position()
    assert parse_position(format_position(position)) == position
    again, seen = Game.from_position(position), len(game.events)
    assert again.position() == position
    other_luck = random.Random(seed + 1)
    for one, its_luck in ((game, random.Random(seed + 1)), (again, other_luck)):
        while not one.over:
            move(one, its_luck)
    assert list(game.log[seen:]) == list(again.log)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_listed_deals_are_exactly_the_small_legal_ones(seed: int) -> None:
    rules = rules_of(seed % 5)
    luck, game = random.Random(seed), Game(rules)
    for _ in range(luck.randrange(5, 60)):
        move(game, luck)
    while not (game.phase == 2 and game.step_done and not game.awaits_shuffle):
        if game.over:
            return
        move(game, luck)
    deals = [action for action in game.legal_actions() if isinstance(action, Trade)]
    assert len(set(deals)) == len(deals)
    assert all(deal.can(game) for deal in deals)


@pytest.mark.parametrize(
    ("rules", "turn", "phase", "seat", "nth"),
    [
        ({"variant": "base", "players": 3}, 18, 4, 2, 2),
        ({"variant": "base", "players": 4}, 17, 4, 0, 2),
        ({"variant": "base", "players": 5}, 16, 4, 0, 2),
        ({"set": "more-beans", "players": 3}, 27, 4, 2, 3),
        ({"set": "more-beans", "players": 4}, 19, 2, 2, 2),
        ({"set": "more-beans", "players": 5}, 15, 4, 4, 5),
        ({"set": "more-beans", "players": 6}, 15, 2, 2, 2),
        ({"set": "more-beans", "players": 7}, 13, 2, 5, 1),
        ({"set": "field-bean", "players": 4}, 19, 2, 2, 1),
        ({"set": "field-bean", "players": 5}, 15, 4, 4, 4),
        ({"set": "rio-grande", "players": 3}, 27, 4, 2, 3),
        ({"set": "rio-grande", "players": 6}, 19, 4, 0, 4),
        ({"set": "rio-grande", "players": 7}, 18, 4, 3, 4),
    ],
)
def test_the_first_pass_ends_where_arithmetic_says(
    rules: dict[str, Any], turn: int, phase: int, seat: int, nth: int
) -> None:
    """RULES 5.3: the turn, phase, active seat and card within the phase of the first run-out."""
    for seed in range(3):
        luck, game = random.Random(seed), Game(build(rules))
        shuffle(game, luck)
        while not game.awaits_shuffle:
            move(game, luck)
        assert (game.turn, game.phase, game.active) == (turn, phase, seat)
        drawn = [
            e for e in game.events if e["turn"] == turn and e["e"] == ("reveal" if phase == 2 else "draw")
        ]
        assert sum(len(event["beans"]) for event in drawn) == nth


def test_base_games_keep_the_position_law_and_the_turn_bound() -> None:
    """RULES 5.4, 5.7: draws T put a run-out at place (T-1) mod 5 of its turn; at most 60 turns."""
    rules = rules_of(0)
    assert most_turns(rules) == 60
    game = play(rules, 7)
    drawn = 0
    for number, event in enumerate(game.log):
        if event["phase"] != "deal" and event["e"] in ("draw", "reveal"):
            drawn += len(event["beans"])
        if event["e"] == "exhausted" and game.ending == "exhausted":
            place = (drawn - 1) % 5
            assert event["phase"] == (2 if place < 2 else 4), number
    assert game.log[-1]["turns"] <= 60


def test_the_game_is_over_after_its_end() -> None:
    game = play(rules_of(0), 3)
    assert game.legal_actions() == []
    with pytest.raises(IllegalAction, match="over"):
        shuffle(game, random.Random(0))
