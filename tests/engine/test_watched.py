"""Watched games: what is counted from raw event rows, against the same games' records and rows."""

from __future__ import annotations

from collections import Counter

import pytest

from beansim.engine import Arm, play
from beansim.errors import InputError
from beansim.rules import resolve
from beansim.simulate import watching
from beansim.simulate.watched import Watched
from beansim.simulate.watching import watch
from beansim.strategy import load

NAMES = ("trader", "generous", "miser", "trader")
DEALS = 3


@pytest.fixture(scope="module")
def arm():
    seatings = tuple(tuple((entry + shift) % 4 for entry in range(4)) for shift in range(4))
    return Arm("base", resolve("base", 4), tuple(load(name) for name in NAMES), seatings)


@pytest.fixture(scope="module")
def found(arm):
    return watch(arm, 7, DEALS)


@pytest.fixture(scope="module")
def batch(arm):
    return play(arm, 7, 0, DEALS, log=True)


def test_deals_and_cards_are_those_of_the_records(arm, found, batch):
    counted = Counter()
    for index in range(len(batch.games)):
        head, *events = batch.records(index)
        for event in events:
            if event["e"] == "trade":
                active, partner = (head["players"][event[key]] for key in ("active", "partner"))
                counted["deals", active, partner] += 1
                for giver, receiver, cards, other in (
                    (active, partner, event["gives"], event["gets"]),
                    (partner, active, event["gets"], event["gives"]),
                ):
                    counted["cards", giver, receiver] += len(cards)
                    counted["gifts", giver, receiver] += not other
                    for card in cards:
                        counted["given", giver, card["bean"]] += 1
                        counted["got", receiver, card["bean"]] += 1
    layout = found.layout
    for key in ("deals", "cards", "gifts", "given", "got"):
        columns = layout.kinds if key in ("given", "got") else layout.strategies
        for row, one in enumerate(layout.strategies):
            for column, other in enumerate(columns):
                assert found.arrays[key][row, column] == counted[key, one, other], (key, one, other)
    assert found.arrays["deals"].sum() == batch.games["deals"].sum() > 0


def test_turns_plantings_and_coins_are_those_of_the_rows(found, batch):
    assert found.arrays["own_turns"].sum() == batch.games["turns"].sum()
    for place, label in enumerate(found.layout.strategies):
        mine = [found.layout.labels[entry] == label for entry in batch.seats["entry"]]
        assert found.arrays["second_plants"][place] == batch.seats["second_plants"][mine].sum() > 0
        assert found.arrays["coins"][place, -1] == batch.seats["coins"][mine].sum()
        blocks = batch.seats["coins"].astype(int) * mine
        squares = (blocks.reshape(DEALS, -1).sum(axis=1) ** 2).sum()
        assert found.arrays["coin_squares"][place, -1] == squares
    assert (found.arrays["coins"][:, 1:] >= found.arrays["coins"][:, :-1]).all()


def test_a_run_is_watched_in_whole_deals_and_no_further_than_it_goes(arm, found, monkeypatch):
    monkeypatch.setattr(watching, "WATCHED_GAMES", 9)
    assert watch(arm, 7, 100).deals == 2
    assert (found.deals, found.games) == (DEALS, 4 * DEALS)


def test_it_is_read_back_as_it_was_and_refused_when_damaged(found):
    data = found.to_dict()
    again = Watched.from_dict(data, found.layout)
    assert all((again.arrays[name] == values).all() for name, values in found.arrays.items())
    del data["arrays"]["gifts"]
    with pytest.raises(InputError, match="gifts"):
        Watched.from_dict(data, found.layout)
