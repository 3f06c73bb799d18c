"""The shuffles have the closed-form odds of RULES 5.8, and would not if they were wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Bench, play, warm

DEALS = 40_000
BLUE, GARDEN = 0, 7
SIGMAS = 4.5
"""Standard errors that a mean may be off: one false alarm in 150,000 checks."""

Decks = np.ndarray[Any, Any]


@cache
def decks() -> Decks:
    """The first draw piles of many deals, [deal, card]."""
    arm = table_of(rules_of("base", 3, run_outs=1), ("hermit",) * 3)
    warm([arm])
    bench = Bench(arm)
    found = np.zeros((DEALS, 104), np.int8)
    for deal in range(DEALS):
        bench.run(17, deal, 1)
        found[deal] = bench.hiddens["fresh"][0, :104]
    return found


def kinds_in_hand(found: Decks) -> Decks:
    hands = np.sort(found[:, :5], axis=1)
    return 1 + (np.diff(hands, axis=1) != 0).sum(axis=1)


MEASURES: dict[str, tuple[Callable[[Decks], Decks], float]] = {
    "first two cards of equal kind": (lambda found: found[:, 0] == found[:, 1], 177 / 1339),
    "last two cards of equal kind": (lambda found: found[:, -1] == found[:, -2], 177 / 1339),
    "kinds in a hand": (kinds_in_hand, 88443437 / 22990630),
    "five different": (lambda found: kinds_in_hand(found) == 5, 165424 / 884255),
    "five equal": (lambda found: kinds_in_hand(found) == 1, 7887 / 22990630),
    "no garden": (lambda found: (found[:, :5] != GARDEN).all(axis=1), 0.73846),
    "no blue": (lambda found: (found[:, :5] != BLUE).all(axis=1), 0.33570),
    "blue cards": (lambda found: (found[:, :5] == BLUE).sum(axis=1), 25 / 26),
    "first card blue": (lambda found: found[:, 0] == BLUE, 20 / 104),
    "last card blue": (lambda found: found[:, -1] == BLUE, 20 / 104),
}
"""What is measured on each deck, and its expectation."""


def deviation(name: str, found: Decks) -> float:
    """How many standard errors the mean lies off its expectation."""
    measure, expected = MEASURES[name]
    values = measure(found).astype(float)
    error = max(values.std(ddof=1), 1e-3) / np.sqrt(len(values))
    return float(abs(values.mean() - expected) / error)


@pytest.mark.parametrize("name", MEASURES)
def test_the_odds_are_those_of_a_fair_shuffle(name: str) -> None:
    assert deviation(name, decks()) < SIGMAS


def test_every_deck_has_the_same_cards() -> None:
    counts = [kind.count for kind in rules_of("base", 3).kinds]
    assert (np.sort(decks(), axis=1) == np.repeat(np.arange(8), counts)).all()


def cut_short(found: Decks) -> Decks:
    """A lazy shuffle: a rifle through the front half alone, from sorted decks."""
    generator = np.random.default_rng(1)
    piles = np.sort(found[:4000], axis=1)
    return np.concatenate([generator.permuted(piles[:, :52], axis=1), piles[:, 52:]], axis=1)


def off_by_one(found: Decks) -> Decks:
    """The classic mistake: card `last` is never left where it is (Sattolo's cycles)."""
    generator = np.random.default_rng(2)
    piles = np.sort(found, axis=1)
    rows = np.arange(len(piles))
    for last in range(103, 0, -1):
        chosen = generator.integers(0, last, len(piles))
        piles[rows, chosen], piles[rows, last] = piles[rows, last], piles[rows, chosen].copy()
    return piles


@pytest.mark.parametrize("wrong", [cut_short, off_by_one])
def test_wrong_shuffles_are_told_apart(wrong: Callable[[Decks], Decks]) -> None:
    """The negative control: the same measures refuse a shuffle that is not fair."""
    found = wrong(decks())
    assert max(deviation(name, found) for name in MEASURES) > SIGMAS


def test_reshuffles_are_fair_too() -> None:
    """Every position of the second draw pile has the share of blue that the whole pile has."""
    batch = play(table_of(rules_of("base", 4, run_outs=2), ("hermit",) * 4), 3, 0, 600, log=True)
    excess, variance = 0.0, 0.0
    for row in range(len(batch.games)):
        deck = [event for event in batch.records(row) if event["e"] == "shuffle"][1]["deck"]
        share = deck.count("blue") / len(deck)
        excess += sum(bean == "blue" for bean in deck[:5]) - 5 * share
        variance += 5 * share * (1 - share) * (len(deck) - 5) / (len(deck) - 1)
    assert abs(excess) < SIGMAS * np.sqrt(variance)
