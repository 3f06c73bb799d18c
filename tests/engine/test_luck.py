"""Streams against NumPy; shuffles against the closed forms of RULES 5.8."""

import math

import numpy as np
import pytest

from beansim.engine import play
from beansim.strategy.streams import STREAM_WORDS, bounded, next32, open_stream, uniform

from .tables import arm

KEYS = [(0, 0, 1, 1), (2**63 - 1, 2**40, 2, 6), (123456789, 42, 1, 3)]


def opened(seed: int, deal: int, purpose: int, index: int):
    stream = np.zeros(STREAM_WORDS, np.uint64)
    open_stream(stream, seed, deal, purpose, index)
    return stream, np.random.Philox(key=[seed, deal], counter=[0, 0, index, purpose])


@pytest.mark.parametrize("key", KEYS)
def test_numbers_equal_numpys_philox(key):
    stream, numpys = opened(*key)
    raw = numpys.random_raw(500)
    halves = np.stack([raw & 0xFFFFFFFF, raw >> np.uint64(32)], axis=1).ravel()
    assert [next32(stream) for _ in halves] == [int(half) for half in halves]


@pytest.mark.parametrize("key", KEYS)
def test_bounded_numbers_equal_numpys_integers(key):
    stream, numpys = opened(*key)
    generator = np.random.Generator(numpys)
    limits = [*range(2, 200), 2**31 - 1, 3 * 2**29] * 3
    expected = [int(generator.integers(0, limit, dtype=np.uint32)) for limit in limits]
    assert [bounded(stream, limit) for limit in limits] == expected


def test_uniform_lies_below_one():
    stream, _ = opened(1, 2, 2, 0)
    values = [uniform(stream) for _ in range(4000)]
    assert min(values) >= 0.0
    assert max(values) < 1.0
    assert abs(np.mean(values) - 0.5) < 5 * math.sqrt(1 / 12 / 4000)


@pytest.fixture(scope="module")
def decks() -> list[list[str]]:
    batch = play(arm(["hermit"] * 4, seatings=((0, 1, 2, 3),)), 11, 0, 1500, log=True)
    return [next(e["deck"] for e in batch.records(i) if e["e"] == "shuffle") for i in range(1500)]


# name, what is counted in a deck, its probability (RULES 5.8)
CLOSED_FORMS = [
    ("first two equal", lambda deck: deck[0] == deck[1], 177 / 1339),
    ("five different", lambda deck: len(set(deck[:5])) == 5, 165424 / 884255),
    ("no garden", lambda deck: "garden" not in deck[:5], 0.73846),
    ("no blue", lambda deck: "blue" not in deck[:5], 0.33570),
    ("last two equal", lambda deck: deck[-1] == deck[-2], 177 / 1339),
]


@pytest.mark.parametrize(("what", "event", "probability"), CLOSED_FORMS, ids=[row[0] for row in CLOSED_FORMS])
def test_shuffles_follow_the_closed_forms(decks, what, event, probability):
    share = np.mean([event(deck) for deck in decks])
    error = math.sqrt(probability * (1 - probability) / len(decks))
    assert abs(share - probability) < 4.5 * error
    assert abs(share - (probability + 0.12)) > 4.5 * error, "a wrong answer must be refused"


def test_the_kinds_in_a_hand_follow_the_closed_form(decks):
    kinds = [len(set(deck[:5])) for deck in decks]
    error = np.std(kinds) / math.sqrt(len(kinds))
    assert abs(np.mean(kinds) - 88443437 / 22990630) < 4.5 * error


def test_every_arm_and_seating_gets_the_same_deal():
    one = play(arm(["hermit"] * 4), 5, 3, 1, log=True)
    two = play(arm(["random", "trader", "random", "miser"], "two-pass"), 5, 3, 1, log=True)
    first = [
        next(e["deck"] for e in batch.records(i) if e["e"] == "shuffle")
        for batch in (one, two)
        for i in range(4)
    ]
    assert all(deck == first[0] for deck in first)


def test_seeds_and_deals_differ():
    decks = [
        next(
            e["deck"]
            for e in play(arm(["hermit"] * 3), seed, deal, 1, log=True).records(0)
            if e["e"] == "shuffle"
        )
        for seed, deal in ((1, 0), (2, 0), (1, 1))
    ]
    assert len({tuple(deck) for deck in decks}) == 3
