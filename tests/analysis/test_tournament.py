"""Ratings, leads and cycles: against choix, against known truths, and their intervals."""

from __future__ import annotations

import math
from pathlib import Path

import choix
import numpy as np
import pytest
from scipy import stats

from beansim.analysis.cycles import find_cycles
from beansim.analysis.ratings import POINTS, fit, plackett_luce
from beansim.analysis.synthetic import World, play
from beansim.analysis.tournament import (
    MOST_LINEUPS,
    TournamentPlan,
    beats,
    coins,
    cycles,
    head_to_head,
    win_share,
)
from beansim.engine.state import GAMES_DTYPE, SEATS_DTYPE
from beansim.errors import InputError
from beansim.experiment import seat
from beansim.simulate.contest import ContestTally
from beansim.simulate.layout import Layout
from beansim.simulate.tallies import ArmBatch

STRENGTHS = {"a": 0.8, "b": 0.2, "c": -0.3, "d": -0.7}
MIXTURES = [
    ("a", "b", "c"),
    ("a", "b", "d"),
    ("a", "a", "d"),
    ("b", "c", "c"),
    ("b", "c", "d"),
    ("a", "c", "d"),
]


def batch(layout, winners, coins_of_seats=None):
    """One arm's batch whose winning seats are given, [deals, seatings]."""
    deals, seatings = winners.shape
    places = np.array(layout.seatings)
    games = np.zeros((deals, seatings), GAMES_DTYPE)
    seats = np.zeros((deals, *places.shape), SEATS_DTYPE)
    games["deal"], seats["deal"] = np.arange(deals)[:, None], np.arange(deals)[:, None, None]
    games["seating"], seats["seating"] = np.arange(seatings), np.arange(seatings)[:, None]
    seats["seat"], seats["entry"] = np.arange(layout.players), places
    np.put_along_axis(seats["win_units"], winners[..., None], 420, axis=2)
    empty = np.zeros((layout.players, 2, 100, 3), np.int64), np.zeros((3, 3), np.int64)
    return ArmBatch(layout, games.ravel(), seats.ravel(), *empty)


def luce(mixtures, strengths, deals, seed):
    """A contest whose winners follow Luce's model."""
    rng = np.random.default_rng(seed)
    batches = []
    for mixture in mixtures:
        layout = Layout(mixture, seat(mixture, "rotate"), ("blue", "red"), 3)
        theta = np.array([strengths[layout.labels[entry]] for entry in np.array(layout.seatings).ravel()])
        worth = theta.reshape(1, 3, 3) + rng.gumbel(size=(deals, 3, 3))
        batches.append(batch(layout, worth.argmax(axis=2)))
    return ContestTally.of(batches)


def centred(strengths, names):
    values = np.array([strengths[name] for name in names])
    return POINTS * (values - values.mean())


def test_ratings_are_those_of_choix_on_the_same_games() -> None:
    tally = luce(MIXTURES, STRENGTHS, 40, 1)
    lineups = tally.lineups
    data = []
    for number, layout in enumerate(lineups.layouts):
        items = [lineups.strategies.index(label) for label in layout.labels]
        for winner in range(4):
            won = int(tally.arrays["lineup_wins"][number, winner]) // 420
            losers = list(items)
            if winner in losers:
                losers.remove(winner)
            data += [(winner, losers)] * won
    found = choix.ilsr_top1(4, data, max_iter=1000, tol=1e-10)
    games = (lineups.games * tally.blocks).astype(float)
    strengths = fit(lineups.copies.astype(float), games, tally.arrays["lineup_wins"] / 420)
    # The guest pulls the strengths together by less than a hundredth part of their errors.
    assert strengths - strengths.mean() == pytest.approx(found - found.mean(), abs=0.01)


def test_the_model_is_recovered_and_fits() -> None:
    ratings = plackett_luce(luce(MIXTURES, STRENGTHS, 3000, 2))
    assert ratings.points == pytest.approx(centred(STRENGTHS, "abcd"), abs=12)
    assert ratings.misfit < 0.012
    assert ratings.misfit == pytest.approx(ratings.noise, rel=0.6)


def covered(repeats, deals):
    truth = centred(STRENGTHS, "abcd")
    held = []
    for seed in range(repeats):
        ratings = plackett_luce(luce(MIXTURES, STRENGTHS, deals, 100 + seed))
        ends = [ratings.interval(number) for number in range(4)]
        held.append([low <= value <= high for (low, high), value in zip(ends, truth, strict=True)])
    return np.mean(held, axis=0)


def test_intervals_of_ratings_cover_quick() -> None:
    assert (covered(80, 60) > 0.87).all()


@pytest.mark.slow
@pytest.mark.parametrize("deals", [30, 200])
def test_intervals_of_ratings_cover(deals: int) -> None:
    held = covered(1000, deals)
    assert ((held > 0.93) & (held < 0.97)).all(), held


def test_luck_that_a_deal_shares_widens_the_intervals() -> None:
    """The naive errors take all games for independent; here a deal's games are nearly copies."""
    mixtures = [("a", "b", "c")]
    many = luce(mixtures, dict.fromkeys("abc", 0.0), 400, 3)
    seats = Layout(("a", "b", "c"), ((0, 1, 2),) * 1, ("blue", "red"), 3)
    rng = np.random.default_rng(3)
    winners = rng.integers(0, 3, (400, 1))
    one = ContestTally.of([batch(seats, winners)])
    thrice = ContestTally.of(
        [batch(Layout(("a", "b", "c"), ((0, 1, 2),) * 3, ("blue", "red"), 3), np.repeat(winners, 3, 1))]
    )
    # Playing the very same game three times adds nothing.
    assert plackett_luce(thrice).errors == pytest.approx(plackett_luce(one).errors, rel=0.01)
    assert (plackett_luce(many).errors < plackett_luce(one).errors).all()


def test_who_never_wins_has_a_finite_rating_at_the_bottom() -> None:
    tally = luce(MIXTURES, {**STRENGTHS, "d": -40.0}, 50, 4)
    ratings = plackett_luce(tally)
    assert np.isfinite(ratings.points).all()
    assert ratings.points.argmin() == 3
    assert ratings.points[3] < -500


def test_one_deal_has_no_interval_and_none_no_rating() -> None:
    ratings = plackett_luce(luce(MIXTURES, STRENGTHS, 1, 1))
    assert math.isnan(ratings.interval(0)[0])
    with pytest.raises(InputError, match="no deals"):
        plackett_luce(ContestTally.empty(luce(MIXTURES, STRENGTHS, 1, 1).lineups.layouts))


# --- leads and cycles ---


def test_leads_are_tested_like_scipy_does_on_the_block_values() -> None:
    layout = Layout(("a", "b", "b"), seat(("a", "b", "b"), "rotate"), ("blue", "red"), 3)
    played = play(layout, World(strategy={"a": 1}), 3, 60)
    (found,) = head_to_head(ContestTally.of([played]))
    seats = played.seats.reshape(60, 9)
    is_a = seats["entry"] == 0
    won = seats["win_units"] / 420
    values = (won * is_a).sum(axis=1) / 3 - (won * ~is_a).sum(axis=1) / 6
    expected = stats.ttest_1samp(values, 0)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    interval = expected.confidence_interval(0.95)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((interval.low, interval.high))


def test_win_shares_and_coins_are_means_over_all_seats() -> None:
    layouts = [Layout(one, seat(one, "rotate"), ("blue", "red"), 3) for one in MIXTURES]
    played = [play(layout, World(strategy={"a": 3}), 3, 80, arm) for arm, layout in enumerate(layouts)]
    tally = ContestTally.of(played)
    rows = [
        (int(row["win_units"]), int(row["coins"]))
        for one in played
        for row in one.seats
        if one.layout.labels[row["entry"]] == "a"
    ]
    assert win_share(tally, 0).mean == pytest.approx(np.mean([won for won, _ in rows]) / 420)
    assert coins(tally, 0).mean == pytest.approx(np.mean([gained for _, gained in rows]))
    assert win_share(tally, 0).games == len(rows)


def test_a_cycle_is_found_and_named() -> None:
    """Rock, scissors, paper: at each table of two kinds the one that beats the other wins three in four."""
    winners = {("a", "b", "b"): "a", ("b", "c", "c"): "b", ("a", "a", "c"): "c"}
    rng = np.random.default_rng(1)
    batches = []
    for mixture, winner in winners.items():
        layout = Layout(mixture, seat(mixture, "rotate"), ("blue", "red"), 3)
        sits = np.array(
            [[layout.labels[entry] == winner for entry in seating] for seating in layout.seatings]
        )
        chance = np.where(sits, 0.75 / sits.sum(axis=1, keepdims=True), 0.0)
        chance = np.where(sits, chance, 0.25 / (~sits).sum(axis=1, keepdims=True))
        picks = rng.random((60, 3, 1)) > chance.cumsum(axis=1)
        batches.append(batch(layout, picks.sum(axis=2)))
    tally = ContestTally.of(batches)
    assert cycles(tally, head_to_head(tally)) == [("a", "b", "c")]


def test_equals_beat_nobody() -> None:
    tally = luce(MIXTURES, dict.fromkeys("abcd", 0.0), 100, 9)
    assert not beats(tally, head_to_head(tally)).any()
    assert cycles(tally, head_to_head(tally)) == []


@pytest.mark.parametrize(
    ("wins", "expected"),
    [
        ([(0, 1), (1, 2), (0, 2)], []),
        ([(0, 1), (1, 2), (2, 0)], [(0, 1, 2)]),
        ([(1, 0), (0, 2), (2, 3), (3, 1), (0, 3)], [(0, 3, 1), (0, 2, 3, 1)]),
        ([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], [(0, 1, 2), (3, 4, 5)]),
    ],
)
def test_every_win_on_a_cycle_is_on_one_that_is_named(wins, expected) -> None:
    beaten = np.zeros((6, 6), dtype=bool)
    for winner, loser in wins:
        beaten[winner, loser] = True
    assert find_cycles(beaten) == expected


# --- line-ups ---


def lineups(**settings):
    plan = TournamentPlan(**{"strategies": ("hermit", "trader", "miser"), "players": 3, **settings})
    return plan, [arm.players for arm in plan.experiment().arms]


def test_a_round_robin_holds_every_mixture() -> None:
    plan, found = lineups()
    assert len(found) == 10 - 3
    assert len(set(found)) == 7
    assert plan.games == 7 * 3 * 500
    assert lineups(copies=False)[1] == [("hermit", "trader", "miser")]


def test_one_against_all_and_gauntlet() -> None:
    _, found = lineups(format="one-against-all")
    assert ("miser", "hermit", "hermit") in found
    assert len(found) == 6
    _, found = lineups(format="gauntlet")
    assert found == [
        ("hermit", "trader", "trader"),
        ("hermit", "trader", "miser"),
        ("hermit", "miser", "miser"),
    ]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"strategies": ("hermit",)}, "at least two"),
        ({"strategies": ("hermit", "hermit")}, "takes part twice"),
        ({"strategies": ("trader", "trader:margin=0.0")}, "one strategy"),
        ({"strategies": ("hermit", "hermti")}, "'hermti'"),
        ({"format": "knockout"}, "'knockout'"),
        ({"copies": False, "players": 4}, "at least 4 strategies"),
        (
            {"strategies": tuple(f"trader:margin=0.{n}" for n in range(1, 40)), "players": 5},
            f"{MOST_LINEUPS:,}",
        ),
    ],
)
def test_impossible_tournaments_are_refused(settings: dict, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        lineups(**settings)
    assert expected in str(caught.value)


def test_two_strategies_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder, answer in (("a", True), ("b", False)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(
            "from beansim.strategy import Strategy, hook\n\n\n"
            "class Mine(Strategy):\n    @hook\n    def plant_second(self, table, kind):\n"
            f"        return {answer}\n"
        )
    with pytest.raises(InputError, match=r"two different strategies are both called 'mine': .*rename one"):
        lineups(strategies=(str(tmp_path / "a/mine.py"), str(tmp_path / "b/mine.py")))
