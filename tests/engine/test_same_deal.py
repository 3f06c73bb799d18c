"""A game is decided by (seed, deal, seating); a deal is the same for every arm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Arm, Bench, play, warm
from beansim.errors import InputError


def mixed(variant: str = "base", rotate: bool = True, **options: Any) -> Arm:
    return table_of(rules_of(variant, 4, **options), ("trader", "random", "miser", "generous"), rotate=rotate)


def first_deck(arm: Arm, seed: int, deal: int, row: int = 0) -> list[str]:
    events = play(arm, seed, deal, 1, log=True).records(row)
    return list(next(event for event in events if event["e"] == "shuffle")["deck"])


def test_a_deal_is_the_same_for_every_arm_and_seating() -> None:
    arms = [
        mixed(),
        mixed("two-pass"),
        mixed(protect="all_single", gifts=False, trading=False),
        table_of(rules_of("base", 3), ("hermit",) * 3),
        table_of(rules_of("base", 5), ("random",) * 5, rotate=True),
    ]
    decks = [first_deck(arm, 9, 4, row) for arm in arms for row in range(len(arm.seatings))]
    assert all(deck == decks[0] for deck in decks)
    assert first_deck(arms[0], 9, 5) != decks[0]
    assert first_deck(arms[0], 10, 4) != decks[0]


def test_a_range_is_its_single_games() -> None:
    arm = mixed()
    whole = play(arm, 3, 10, 12)
    singles = [play(arm, 3, deal, 1) for deal in reversed(range(10, 22))][::-1]
    np.testing.assert_array_equal(whole.games, np.concatenate([one.games for one in singles]))
    np.testing.assert_array_equal(whole.seats, np.concatenate([one.seats for one in singles]))
    assert whole.decisions == sum(one.decisions for one in singles)


def test_seatings_can_be_played_alone_in_any_order() -> None:
    arm = mixed()
    warm([arm])
    whole, bench = play(arm, 3, 0, 3), Bench(arm)
    for deal in (2, 0, 1):
        for seating in (3, 1, 0, 2):
            alone, _ = bench.run(3, deal, 1, [seating])
            row = 4 * deal + seating
            np.testing.assert_array_equal(alone.games[0], whole.games[row])
            np.testing.assert_array_equal(alone.seats, whole.seats[4 * row : 4 * row + 4])


def test_tallies_add_up_over_ranges() -> None:
    arm = mixed()
    whole, left, right = play(arm, 3, 0, 9), play(arm, 3, 0, 4), play(arm, 3, 4, 5)
    np.testing.assert_array_equal(whole.harvests, left.harvests + right.harvests)
    np.testing.assert_array_equal(whole.trades, left.trades + right.trades)


def test_two_seeds_differ() -> None:
    arm = mixed()
    one, two = play(arm, 3, 0, 20), play(arm, 4, 0, 20)
    assert not np.array_equal(one.seats["coins"], two.seats["coins"])
    np.testing.assert_array_equal(one.seats, play(arm, 3, 0, 20).seats)


def test_great_seeds_and_deals_are_played() -> None:
    batch = play(mixed(), 2**63 - 1, 2**40, 1)
    assert (batch.games["status"] == 0).all()
    assert (batch.games["deal"] == 2**40).all()


@pytest.mark.parametrize(
    ("seed", "deal", "deals"), [(-1, 0, 1), (2**63, 0, 1), (1, -1, 1), (1, 0, -1), (True, 0, 1)]
)
def test_numbers_out_of_range_are_refused(seed: int, deal: int, deals: int) -> None:
    with pytest.raises(InputError, match="expected a whole number"):
        play(mixed(), seed, deal, deals)


def test_no_deals_give_an_empty_batch() -> None:
    batch = play(mixed(), 1, 0, 0)
    assert len(batch.games) == len(batch.seats) == batch.harvests.sum() == 0


@pytest.mark.parametrize("name", ["trader", "random", "hermit"])
def test_rotating_the_seats_of_copies_changes_nothing(name: str) -> None:
    """RULES 5.9: which copy sits where cannot matter."""
    batch = play(table_of(rules_of("base", 4), (name,) * 4, rotate=True), 6, 0, 5)
    coins = batch.seats["coins"].reshape(5, 4, 4)
    assert (coins == coins[:, :1]).all()
    turns = batch.games["turns"].reshape(5, 4)
    assert (turns == turns[:, :1]).all()


def test_a_seating_decides_who_sits_where() -> None:
    arm = mixed()
    entries = play(arm, 6, 0, 2).seats["entry"].reshape(2, 4, 4)
    assert (entries == np.array(arm.seatings)).all()


def test_renaming_kinds_changes_nothing() -> None:
    """RULES 5.9."""
    rules = rules_of("base", 4)
    kinds = tuple(replace(kind, name=f"b{number}") for number, kind in enumerate(rules.kinds))
    one = play(table_of(rules, ("trader",) * 4), 6, 0, 20)
    two = play(table_of(replace(rules, kinds=kinds), ("trader",) * 4), 6, 0, 20)
    np.testing.assert_array_equal(one.seats, two.seats)


def test_strict_protection_matters_only_where_a_field_is_empty() -> None:
    """RULES 5.9: hermits harvest only when forced, so no own field is ever empty then."""
    loose = table_of(rules_of("base", 4), ("hermit",) * 4)
    strict = table_of(rules_of("base", 4, protect="all_single"), ("hermit",) * 4)
    np.testing.assert_array_equal(play(loose, 6, 0, 200).seats, play(strict, 6, 0, 200).seats)
