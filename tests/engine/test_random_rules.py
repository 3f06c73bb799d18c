"""Rule sets drawn at random: whatever the options together, the engine keeps the rules."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import table_of
from beansim.engine import Arm, Bench, play, warm
from beansim.errors import InputError
from beansim.referee import replay_events
from beansim.rules import KINDS, Rules
from beansim.rules.options import CHOICES, SWITCHES

QUICK, MANY = 150, 6000
STANDARD = {"turn": "standard", "match_discards": False}
TRADERS = ("trader", "buyer", "early", "collector", "miser", "generous", "random")


def drawn_options(luck: random.Random) -> dict[str, Any]:
    """Every option at random, over small and large decks and 2 to 7 seats."""
    players, fields = luck.randint(2, 7), luck.randint(1, 4)
    duel = players == 2 and luck.random() < 0.7
    options: dict[str, Any] = {
        "players": players,
        "kinds": tuple(KINDS[name] for name in luck.sample(list(KINDS), luck.randint(1, len(KINDS)))),
        "fields": fields,
        "max_fields": luck.randint(fields, 4),
        "hands": tuple(luck.randint(0, 6) for _ in range(players)),
        "reveal": luck.randint(0, 4),
        "draw": luck.randint(0, 4),
        "run_outs": luck.randint(1, 9),
        "field_price": luck.choice([0, 0, 1, 2, 3]),
        "token_at": luck.choice([0, 0, 1, 4, 8]),
        "token_draw": luck.randint(1, 5),
        "announcement_cap": luck.choice([0, 1, 2, 64]),
        "proposal_cap": luck.choice([0, 1, 2, 64]),
    }
    options |= {name: luck.choice(words) for name, words in CHOICES.items()}
    options |= {name: luck.random() < 0.8 for name in SWITCHES}
    return options | ({"turn": "duel", "trading": False} if duel else STANDARD)


def drawn_rules(seed: int) -> Rules:
    """The first possible rule set drawn from this seed."""
    luck = random.Random(seed)
    while True:
        try:
            return Rules(variant=f"drawn {seed}", **drawn_options(luck))
        except InputError:
            continue


def check(first: int, count: int) -> None:
    for seed in range(first, first + count):
        rules = drawn_rules(seed)
        batch = play(table_of(rules, ("random",) * rules.players), seed, 0, 1, log=True)
        assert batch.games["status"][0] == 0, rules
        verdict = replay_events(batch.records(0))
        assert verdict.holds, f"{verdict}\n{rules}"


def test_the_referee_agrees_under_any_options() -> None:
    check(0, QUICK)


@pytest.mark.slow
def test_the_referee_agrees_under_many_options() -> None:
    check(QUICK, MANY)


def test_the_drawn_rule_sets_use_every_value() -> None:
    """The negative control: a draw that never leaves the default would test nothing."""
    drawn = [drawn_rules(seed) for seed in range(QUICK)]
    for name, words in CHOICES.items():
        assert {getattr(rules, name) for rules in drawn} == set(words)
    assert {rules.players for rules in drawn} == set(range(2, 8))


def arms(count: int) -> list[Arm]:
    rules = [drawn_rules(1000 + number) for number in range(count)]
    return [table_of(each, TRADERS[: each.players]) for each in rules]


def test_kept_appraisals_equal_fresh_ones_under_any_options() -> None:
    """A strategy's `watches` name all it looks at, also where fields are bought or coins go back."""
    for number, arm in enumerate(arms(40)):
        warm([arm])
        kept, _ = Bench(arm).run(number, 0, 4)
        fresh, _ = Bench(arm, always_appraise=True).run(number, 0, 4)
        np.testing.assert_array_equal(kept.games, fresh.games)
        np.testing.assert_array_equal(kept.seats, fresh.seats)


def test_interpreted_hooks_play_the_same_games_under_any_options() -> None:
    for number, arm in enumerate(arms(25)):
        compiled, interpreted = play(arm, number, 0, 1), play(arm, number, 0, 1, interpreted=True)
        np.testing.assert_array_equal(compiled.games, interpreted.games)
        np.testing.assert_array_equal(compiled.seats, interpreted.seats)
