"""Coverage: repeated experiments with a known truth, which lies inside 95 of 100 intervals.

The synthetic engine has known effects; in the real one, two strategies that toss the same coins with other
faces are equal by symmetry without playing alike. The long versions repeat 1,000 experiments and more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from beansim.analysis.comparisons import between, compare, relative
from beansim.analysis.estimates import difference, estimate, game_estimate, seat, strategy
from beansim.analysis.frames import bca_interval
from beansim.analysis.intervals import Sums, p_value, share_interval, t_interval
from beansim.analysis.match import MatchPlan
from beansim.analysis.sequential import SequentialTest
from beansim.analysis.synthetic import World, play, rotations
from beansim.bundled import bundled_folder
from beansim.engine import play as play_real
from beansim.experiment import ArmPlan, Experiment
from beansim.experiment import seat as seatings_of
from beansim.simulate.chunks import growing_chunks
from beansim.simulate.layout import Layout
from beansim.simulate.tallies import Blocks, Tallies
from beansim.simulate.work import layout_of

KINDS = ("blue", "chili", "red")
LINEUP = ("a", "b", "c", "d")
LAYOUT = Layout(LINEUP, rotations(4), KINDS, 3)
PERMUTED = Layout(LINEUP[:3], seatings_of(LINEUP[:3], "permute"), KINDS, 3)

LEFT = World(strategy={"a": 1}, seat=(1, 0, 0, -1), luck=6, noise=4)
RIGHT = World(strategy={"a": 3}, seat=(1, 0, 0, -1), luck=6, noise=4, turns=40)


def tallied(seed, deals, *worlds, layout=LAYOUT):
    return Tallies.of([play(layout, world, seed, deals, arm) for arm, world in enumerate(worlds)])


def coverage(repeats, check):
    """Share of repeated experiments in which each check held; `check` makes an experiment of its number."""
    return np.mean([check(1000 + number) for number in range(repeats)], axis=0)


def holds(cases):
    return [found.low <= truth <= found.high for found, truth in cases]


def truths(deals):
    """Single estimates and paired differences with their truth; the last two are wrong on purpose."""

    def check(number):
        tallies = tallied(number, deals, LEFT, RIGHT)
        arm = tallies.arms[0]
        return holds(
            [
                (estimate(arm, "coins", strategy("a")), 15.0),
                (estimate(arm, "coins", strategy("b")), 14.0),
                (estimate(arm, "coins", seat(0)), 15.25),
                (difference(arm, "coins", strategy("a"), strategy("c")), 1.0),
                (difference(arm, "win_share", strategy("b"), strategy("c")), 0.0),
                (between(tallies, 1, 0, "coins", strategy("a")), 2.0),
                (between(tallies, 1, 0, "coins", strategy("b")), 0.0),
                (game_estimate(arm, "turns"), 44.0),
                (relative(tallies, 1, 0, "turns"), -4 / 44),
                (estimate(arm, "coins", strategy("a")), 14.0),
                (between(tallies, 1, 0, "coins", strategy("a")), 0.0),
            ]
        )

    return check


@pytest.mark.parametrize("deals", [12, 150])
def test_intervals_cover_quick(deals: int) -> None:
    held = coverage(150, truths(deals))
    assert (held[:-2] > 0.89).all(), held
    assert held[-1] < 0.5, held
    assert deals < 100 or held[-2] < 0.15, held


@pytest.mark.slow
@pytest.mark.parametrize("deals", [10, 40, 400])
def test_intervals_cover(deals: int) -> None:
    # Binomial noise of 2,000 repeats is 0.5 %.
    held = coverage(2000, truths(deals))
    assert ((held[:-2] > 0.935) & (held[:-2] < 0.965)).all(), held
    assert held[-1] < 0.3, held
    assert deals < 100 or held[-2] == 0, held


def equal_shares(deals, layout):
    labels = layout.strategies

    def check(number):
        arm = tallied(number, deals, World(luck=5, noise=5), layout=layout).arms[0]
        found = [estimate(arm, "win_share", strategy(label)) for label in labels]
        return holds([(one, 1 / len(labels)) for one in found])

    return check


@pytest.mark.parametrize("layout", [LAYOUT, PERMUTED], ids=["rotate", "permute"])
def test_win_shares_of_equals_cover_their_even_share_quick(layout: Layout) -> None:
    assert (coverage(150, equal_shares(40, layout)) > 0.89).all()


@pytest.mark.slow
@pytest.mark.parametrize("layout", [LAYOUT, PERMUTED], ids=["rotate", "permute"])
@pytest.mark.parametrize("deals", [15, 60, 400])
def test_win_shares_of_equals_cover_their_even_share(layout: Layout, deals: int) -> None:
    held = coverage(2000, equal_shares(deals, layout))
    # Few wins make Wilson's interval a little too wide, never too narrow.
    assert ((held > 0.935) & (held < (0.975 if deals < 30 else 0.965))).all(), held


@pytest.mark.slow
@pytest.mark.parametrize("deals", [10, 30, 100])
def test_rare_wins_are_never_covered_too_seldom(deals: int) -> None:
    """A strategy that wins one game in 30: Student's interval would miss it far more often."""
    world = World(strategy={"a": -5}, luck=4, noise=4)
    truth = estimate(tallied(7, 60_000, world).arms[0], "win_share", strategy("a")).mean
    arms = [tallied(number, deals, world).arms[0] for number in range(1000)]
    held = np.mean([holds([(estimate(arm, "win_share", strategy("a")), truth)]) for arm in arms])
    assert held > 0.935, held


def rejections(deals):
    """For equal arms and strategies: p below 0.05, and any of four adjusted ones below it."""

    def check(number):
        tallies = tallied(number, deals, LEFT, LEFT)
        arm = tallies.arms[0]
        found = compare(tallies, "coins", [strategy(label) for label in LINEUP], [(1, 0)])
        within = p_value(difference(arm, "win_share", strategy("b"), strategy("c")))
        wrong = p_value(difference(arm, "coins", strategy("a"), strategy("c")))
        return found[0].p < 0.05, within < 0.05, min(one.adjusted for one in found) < 0.05, wrong < 0.05

    return check


def test_a_true_null_is_rejected_in_5_of_100_quick() -> None:
    rejected = coverage(150, rejections(60))
    assert (rejected[:3] < 0.11).all(), rejected
    assert rejected[3] > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("deals", [12, 200])
def test_a_true_null_is_rejected_in_5_of_100(deals: int) -> None:
    rejected = coverage(2000, rejections(deals))
    assert (rejected[:3] < 0.06).all(), rejected
    assert rejected[3] > (0.99 if deals > 100 else 0.1)


def stopped(values, half_width):
    """The interval of a run that stops when it is narrow enough, looked at after each chunk."""
    totals, squares = values.cumsum(), np.square(values).cumsum()
    for chunk in growing_chunks(len(values), 32, 8):
        past = chunk.first + chunk.deals
        low, high, _ = t_interval(Sums(past, int(totals[past - 1]), int(squares[past - 1]), 1000))
        if high - low <= 2 * half_width:
            break
    return low, high


@pytest.mark.parametrize(
    ("repeats", "least"), [(300, 0.90), pytest.param(3000, 0.935, marks=pytest.mark.slow)]
)
def test_stopping_by_width_leaves_the_coverage_as_it_is(repeats: int, least: float) -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(repeats):
        values = np.round(rng.exponential(500, 2500)).astype(np.int64)
        low, high = stopped(values, 0.05)
        held += low <= 0.5 <= high
    assert least < held / repeats < 0.985


@pytest.mark.slow
def test_the_bootstrap_covers() -> None:
    rng = np.random.default_rng(8)
    ends = [bca_interval(rng.normal(3, 2, 60), resamples=999, seed=number) for number in range(1000)]
    assert 0.925 < np.mean([low <= 3 <= high for low, high in ends]) < 0.965


def test_the_plain_interval_would_not_cover_between_blocks() -> None:
    """Negative control: with luck shared by the seatings, the plain error of a seat is far too small."""
    missed = 0
    for number in range(100):
        found = estimate(tallied(number, 40, World(luck=20, noise=1)).arms[0], "coins", seat(0))
        missed += abs(found.mean - 14) > 1.96 * found.plain_error
    assert missed > 15


# --- the real engine ---


@pytest.fixture
def other(tmp_path: Path) -> str:
    """A random whose every coin has its faces changed over: equal to `random`, but not alike."""
    text = (bundled_folder("strategies") / "random.py").read_text()
    (tmp_path / "other.py").write_text(
        text.replace("class Random", "class Other").replace("self.random(2) == 1", "self.random(2) == 0")
    )
    return f"{tmp_path / 'other.py'}:Other"


def real_coverage(other, repeats, deals):
    """Coverage of the even share, and of no difference, in `repeats` experiments of `deals` deals."""
    lineup = ("random", other, "random", other)
    arm = Experiment(name="x", arms=(ArmPlan(variant="base", players=lineup),)).build()[0]
    layout = layout_of(arm)
    batch = play_real(arm, 3, 0, repeats * deals)
    blocks = Blocks.of(layout, batch.games, batch.seats).values[0].astype(np.int64)
    pair = [blocks[:, layout.column(strategy(label))].reshape(repeats, deals) for label in layout.strategies]
    held = []
    for left, right in zip(*pair, strict=True):
        share = Sums(deals, int(left.sum()), int(np.square(left).sum()), 8 * 420)
        lead = Sums(deals, int((left - right).sum()), int(np.square(left - right).sum()), 8 * 420)
        ends = share_interval(share, deals * 8)[:2], t_interval(lead)[:2]
        held.append([ends[0][0] <= 0.25 <= ends[0][1], ends[1][0] <= 0 <= ends[1][1]])
    return np.mean(held, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("deals", [15, 60])
def test_equals_in_the_real_engine(other: str, deals: int) -> None:
    held = real_coverage(other, 1000, deals)
    assert ((held > 0.935) & (held < 0.97)).all(), held


def leads(experiment, deals):
    """Block values of a match of three, [deals]: all games of both line-ups weigh the same."""
    total = np.zeros(deals, dtype=np.int64)
    for arm in experiment.build():
        layout, batch = layout_of(arm), play_real(arm, 5, 0, deals)
        blocks = Blocks.of(layout, batch.games, batch.seats).values[0].astype(np.int64)
        for label, sign in zip(layout.strategies, (1, -1), strict=True):
            heads = layout.labels.count(label)
            total += sign * blocks[:, layout.column(strategy(label))] * (2 // heads)
    return total


@pytest.mark.slow
def test_a_match_of_equals_in_the_real_engine(other: str) -> None:
    """Looked at after every block, A is called better than its equal in 5 of 100 matches at most."""
    plan = MatchPlan(left="random", right=other, players=3, test=SequentialTest(0.08))
    values = leads(plan.experiment(), 500 * 120).reshape(500, 120)
    answers = []
    for row in values:
        sums, squares = row.cumsum().tolist(), np.square(row).cumsum().tolist()
        looks = (
            plan.test.answer(Sums(blocks, sums[blocks - 1], squares[blocks - 1], 6 * 2 * 420))
            for blocks in range(30, 121)
        )
        answers.append(next((answer for answer in looks if answer != "undecided"), "undecided"))
    assert answers.count("better") / 500 < 0.075, answers.count("better")
    assert answers.count("not better") / 500 > 0.5, answers.count("not better")


def test_copies_of_random_are_even_by_symmetry_in_every_block() -> None:
    arm = Experiment(name="x", arms=(ArmPlan(variant="base", players=("random",) * 4),)).build()[0]
    batch = play_real(arm, 3, 0, 40)
    blocks = Blocks.of(layout_of(arm), batch.games, batch.seats).values[0].astype(np.int64)
    values = blocks[:, layout_of(arm).column(strategy("random"))]
    sums = Sums(40, int(values.sum()), int(np.square(values).sum()), 4 * 420)
    assert share_interval(sums, 160) == (0.25, 0.25, "constant")
