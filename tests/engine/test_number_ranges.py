"""Numbers at the edge of what a rule set allows are counted as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play, play_deck
from beansim.errors import InputError
from beansim.referee import replay_events
from beansim.rules import Kind, Rules
from beansim.strategy import load

TALKER = '''
from beansim.strategy import OFFER, Strategy, hook, silent


class Talker(Strategy):
    """Begs for ever."""

    bid = propose = silent

    @hook
    def announce(self, table):
        self.wish[0] = 1
        return OFFER
'''


def one_kind(*needed: int) -> Rules:
    """Two seats with one field each and 99 cards of one kind, all of them turned up and planted."""
    return Rules(
        variant="one kind",
        players=2,
        kinds=(Kind("bean", 99, needed),),
        fields=1,
        max_fields=1,
        hands=(0, 0),
        draw=0,
        run_outs=1,
        harvest="forced",
    )


@pytest.mark.parametrize(
    "needed",
    [
        (10, 20, 30, 31),
        (10, 20, 30, 40),
    ],
)
def test_a_long_beanometer_is_paid_to_its_end(needed: tuple[int, ...]) -> None:
    batch = play(table_of(one_kind(*needed), ("hermit",) * 2), 1, 0, 1, log=True)
    assert replay_events(batch.records(0)).holds
    assert batch.seats["coins"].tolist() == [4, 4]


@pytest.mark.parametrize(
    "cap",
    [
        500,
        2000,
    ],
)
def test_many_announcements_are_counted_in_full(cap: int, tmp_path: Path) -> None:
    path = tmp_path / "talker.py"
    path.write_text(TALKER)
    games = play(table_of(rules_of("base", 3, announcement_cap=cap), (load(str(path)),) * 3), 4, 0, 1).games
    assert games["announcements"][0] == cap * int(games["turns"][0])


def test_a_game_of_the_largest_deck_and_hands_is_played() -> None:
    kinds = (Kind("one", 99, (2, 3)), Kind("two", 99, (4, 5, 6)), Kind("three", 42, (2,)))
    rules = Rules(
        variant="large",
        players=7,
        kinds=kinds,
        fields=4,
        max_fields=4,
        hands=(34,) * 7,
        reveal=20,
        draw=20,
        draws="everyone",
        run_outs=9,
    )
    batch = play(table_of(rules, ("random",) * 7), 1, 0, 5, log=True)
    assert (batch.games["status"] == 0).all()
    assert all(replay_events(batch.records(row)).holds for row in range(5))


def test_a_deck_with_a_negative_kind_is_refused_in_words() -> None:
    with pytest.raises(InputError):
        play_deck(table_of(rules_of("base", 3), ("hermit",) * 3), 0, 0, 0, [-1] * 104)


@pytest.mark.parametrize("seating", [-1, 3, True, 0.0])
def test_a_seating_out_of_range_is_refused(seating: Any) -> None:
    arm = table_of(rules_of("base", 3), ("hermit",) * 3, rotate=True)
    deck = [number for number, kind in enumerate(arm.rules.kinds) for _ in range(kind.count)]
    with pytest.raises(InputError, match="expected a whole number from 0 to 2"):
        play_deck(arm, 0, 0, seating, deck)
    with pytest.raises(InputError, match="expected a whole number from 0 to 2"):
        play(arm, 0, 0, 1, seatings=[seating])


@pytest.mark.parametrize("log", [False, True])
def test_some_seatings_of_a_range_are_those_of_all(log: bool) -> None:
    arm = table_of(rules_of("base", 3), ("trader", "random", "hermit"), rotate=True)
    whole, some = play(arm, 3, 5, 4), play(arm, 3, 5, 4, seatings=[2, 0], log=log)
    assert some.games["seating"].tolist() == [2, 0] * 4
    for row, game in enumerate(some.games):
        same = np.flatnonzero(
            (whole.games["deal"] == game["deal"]) & (whole.games["seating"] == game["seating"])
        )
        assert whole.games[same[0]] == game
        seats = whole.seats[3 * same[0] : 3 * same[0] + 3]
        assert (some.seats[3 * row : 3 * row + 3] == seats).all()


def test_a_rule_set_without_all_it_needs_is_refused_by_name() -> None:
    data = rules_of("base", 3).to_dict()
    assert Rules.from_dict(data) == rules_of("base", 3)
    del data["hands"], data["fields"]
    with pytest.raises(InputError, match="mine: fields, hands missing"):
        Rules.from_dict(data, "mine")
