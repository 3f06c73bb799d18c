"""What a contest is reduced to: the same as counting game by game, in whatever way it is cut and merged."""

from __future__ import annotations

import itertools
from functools import reduce
from operator import add

import numpy as np
import pytest

from beansim.analysis.synthetic import World, cut, play
from beansim.errors import InputError, StrategyError
from beansim.experiment import ArmPlan, Experiment, seat, strategy_folders
from beansim.simulate.chunks import Chunk, growing_chunks
from beansim.simulate.contest import ContestTally
from beansim.simulate.layout import Layout
from beansim.simulate.looks import Ways, first_errors, play_contest
from beansim.simulate.workers import Workers

LINEUPS = (("a", "b", "b"), ("a", "a", "b"), ("a", "b", "c"))
WORLD = World(strategy={"a": 2}, seat=(1,), broken=0.02)


def layouts():
    return [Layout(lineup, seat(lineup, "permute"), ("blue", "red"), 3) for lineup in LINEUPS]


def batches(deals=40, world=WORLD):
    return [play(layout, world, 4, deals, arm) for arm, layout in enumerate(layouts())]


def by_hand(played):
    """Leads of a over b, and wins, game by game, over the deals in which all games are fine."""
    bad = {int(game["deal"]) for batch in played for game in batch.games if game["status"]}
    leads: dict[int, float] = {}
    wins = dict.fromkeys("abc", 0)
    singles = 0.0
    for batch in played:
        rows = batch.seats.reshape(-1, 3)
        for row in rows:
            deal = int(row["deal"][0])
            if deal in bad:
                continue
            labels = [batch.layout.labels[entry] for entry in row["entry"]]
            head = {}
            for label in set(labels):
                won = [
                    int(units) for units, name in zip(row["win_units"], labels, strict=True) if name == label
                ]
                wins[label] += sum(won)
                head[label] = sum(won) / 420 / len(won)
            leads[deal] = leads.get(deal, 0.0) + head["a"] - head["b"]
            singles += (head["a"] - head["b"]) ** 2
    return leads, wins, singles


def test_leads_and_wins_are_those_of_the_games() -> None:
    played = batches()
    tally = ContestTally.of(played)
    leads, wins, singles = by_hand(played)
    assert tally.excluded > 0
    assert tally.blocks == len(leads)
    assert tally.lineups.strategies == ("a", "b", "c")
    assert tally.arrays["wins"].tolist() == [wins[label] for label in "abc"]
    unit = tally.lineups.lead_units
    assert tally.arrays["leads"][0, 1] == round(unit * sum(leads.values()))
    assert tally.arrays["lead_squares"][0, 1] == round(unit**2 * sum(x * x for x in leads.values()))
    assert tally.arrays["lead_singles"][0, 1] == round(unit**2 * singles)
    assert (tally.arrays["leads"] == -tally.arrays["leads"].T).all()
    assert tally.lineups.meetings[0, 1] == 3 + 3 + 6
    assert tally.lineups.meetings[0, 2] == 6


def test_lineup_sums_add_up_to_the_whole() -> None:
    tally = ContestTally.of(batches())
    assert (tally.arrays["lineup_wins"].sum(axis=0) == tally.arrays["wins"]).all()
    assert tally.arrays["lineup_leads"].sum() == tally.arrays["leads"][0, 1]
    assert tally.arrays["wins"].sum() == 420 * tally.blocks * int(tally.lineups.games.sum())
    assert (np.diag(tally.arrays["win_products"]) == tally.arrays["win_squares"]).all()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[::2])
def test_merging_is_exact_in_any_order(order: tuple[int, ...]) -> None:
    played = batches()
    whole = ContestTally.of(played)
    cuts = [ContestTally.of([cut(batch, *ends) for batch in played]) for ends in ((0, 1), (1, 17), (17, 40))]
    merged = reduce(add, (cuts[place] for place in order), ContestTally.empty(layouts()))
    assert merged.ranges == whole.ranges
    assert (merged.games, merged.excluded) == (whole.games, whole.excluded)
    assert merged.errors == whole.errors
    assert merged.examples == whole.examples
    assert all((merged.arrays[name] == whole.arrays[name]).all() for name in whole.arrays)


def test_what_does_not_belong_together_is_refused() -> None:
    first, second, third = batches(4)
    with pytest.raises(ValueError, match="same deals"):
        ContestTally.of([first, cut(second, 0, 3), third])
    with pytest.raises(InputError, match="different contests"):
        ContestTally.of([first]) + ContestTally.of([second])


def test_growing_chunks_leave_no_gap_and_overshoot_little() -> None:
    for deals in (1, 31, 32, 33, 5000):
        chunks = growing_chunks(deals, 32, 16)
        assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
        assert sum(chunk.deals for chunk in chunks) == deals
        assert all(a.first + a.deals == b.first for a, b in itertools.pairwise(chunks))
    assert all(chunk.deals <= max(32, chunk.first / 16) for chunk in growing_chunks(100_000, 32, 16))
    assert max(chunk.deals for chunk in growing_chunks(100_000, 32, 16, most=50)) == 50


def contest(*lineups: tuple[str, ...]) -> Experiment:
    arms = tuple(ArmPlan(variant="base", players=lineup) for lineup in lineups)
    return Experiment(name="contest", arms=arms, seatings="permute", folders=strategy_folders())


def same(left: ContestTally, right: ContestTally) -> bool:
    return left.ranges == right.ranges and all(
        (left.arrays[name] == right.arrays[name]).all() for name in left.arrays
    )


@pytest.mark.usefixtures("workspace", "faked")
def test_looks_come_in_order_and_are_the_same_for_any_workers() -> None:
    plan = contest(("alpha", "beta", "beta"), ("alpha", "alpha", "beta"))
    looks = growing_chunks(300, 20, 4)
    seen = [
        list(play_contest(plan, looks, Ways(Workers(jobs), batch_deals=batch)))
        for jobs, batch in ((1, 0), (3, 3), (2, 50))
    ]
    assert [tally.deals for tally in seen[0]] == list(np.cumsum([look.deals for look in looks]))
    for other in seen[1:]:
        assert all(same(left, right) for left, right in zip(seen[0], other, strict=True))


@pytest.mark.usefixtures("workspace", "faked")
def test_errors_are_counted_and_told_and_leave_out_their_deals() -> None:
    plan = contest(("alpha", "bad", "bad"), ("alpha", "alpha", "bad"))
    (tally,) = play_contest(plan, [Chunk(0, 0, 20)])
    assert tally.excluded == 2
    assert tally.failures == 2 * 6
    assert "gave a bad answer" in first_errors(plan, tally)[0]
    with pytest.raises(StrategyError, match=r"no deal without an error: deal 3"):
        next(play_contest(plan, [Chunk(0, 3, 1)]))
