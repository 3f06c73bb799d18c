"""Tallies: exact, independent of cutting and merging, and honest about damage."""

from __future__ import annotations

import json
import random
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beansim.analysis.estimates import ahead
from beansim.analysis.synthetic import World, cut, play, rotations
from beansim.errors import InputError
from beansim.simulate.layout import SEAT_METRICS, Group, Layout
from beansim.simulate.tallies import (
    Blocks,
    CrossTally,
    Tallies,
    Tally,
    common_keys,
    cross_keys,
    cross_pairs,
)

KINDS = ("blue", "chili", "red")
LAYOUT = Layout(("trader", "miser", "trader"), rotations(3), KINDS, 3)
WORLD = World(strategy={"trader": 2}, seat=(1, 0, -1), broken=0.02, cocky=0.05)
DEALS = 60


@pytest.fixture(scope="module")
def batches():
    return [play(LAYOUT, WORLD, 7, DEALS, arm) for arm in (0, 1)]


@pytest.fixture(scope="module")
def whole(batches):
    return Tallies.of(batches)


def brute_block(batch, metric, chosen, deal):
    """A block value by a plain loop over the rows."""
    rows = [row for row in batch.seats if row["deal"] == deal]
    return sum(value(batch, row, metric) for row in rows if chosen(row))


def value(batch, row, metric):
    table = [
        other["coins"]
        for other in batch.seats
        if (other["deal"], other["seating"]) == (row["deal"], row["seating"]) and other["seat"] != row["seat"]
    ]
    if metric == "margin":
        return int(row["coins"]) - int(max(table))
    if metric == "rank_halves":
        return 2 + 2 * sum(c > row["coins"] for c in table) + sum(c == row["coins"] for c in table)
    return int(row[metric])


@pytest.mark.parametrize("metric", ["win_units", "coins", "margin", "rank_halves", "gifts_got"])
@pytest.mark.parametrize(
    ("group", "chosen"),
    [
        (Group("strategy", "trader"), lambda row: row["entry"] in (0, 2)),
        (Group("entry", "miser", entry=1), lambda row: row["entry"] == 1),
        (Group("seat", seat=2), lambda row: row["seat"] == 2),
        (Group("strategy_seat", "trader", seat=0), lambda row: row["seat"] == 0 and row["entry"] in (0, 2)),
    ],
)
def test_moments_are_those_of_a_plain_loop(batches, whole, metric, group, chosen):
    bad = {int(game["deal"]) for game in batches[0].games if game["status"]}
    values = [brute_block(batches[0], metric, chosen, deal) for deal in range(DEALS) if deal not in bad]
    tally, row = whole.arms[0], SEAT_METRICS.index(metric)
    assert tally.arrays["sums"][row, LAYOUT.column(group)] == sum(values)
    assert tally.arrays["products"][row, LAYOUT.pairs[group, group]] == sum(v * v for v in values)
    assert tally.blocks == len(values)
    assert tally.excluded == len(bad) > 0


def test_head_to_head_is_that_of_a_plain_loop(batches, whole):
    batch, tally = batches[0], whole.arms[0]
    bad = {int(game["deal"]) for game in batch.games if game["status"]}
    blocks = dict.fromkeys(set(range(DEALS)) - bad, 0)
    for table in batch.seats.reshape(-1, LAYOUT.players):
        for mine in table[table["entry"] % 2 == 0]:  # both copies of the trader
            for other in table[table["entry"] == 1]:  # the miser
                halves = 2 if mine["coins"] > other["coins"] else int(mine["coins"] == other["coins"])
                if int(mine["deal"]) in blocks:
                    blocks[int(mine["deal"])] += halves
    row, column = (LAYOUT.strategies.index(name) for name in ("trader", "miser"))
    assert tally.arrays["ahead"][row, column] == sum(blocks.values()) > 0
    assert tally.arrays["ahead_squares"][row, column] == sum(value**2 for value in blocks.values())
    found, back = ahead(tally, "trader", "miser"), ahead(tally, "miser", "trader")
    assert found.mean + back.mean == pytest.approx(1)
    assert found.mean == pytest.approx(sum(blocks.values()) / (len(blocks) * 4 * LAYOUT.players))
    assert found.low < found.mean < found.high
    assert tally.arrays["ahead"][row, row] == 0


def test_products_within_and_between_arms(batches, whole):
    blocks = [Blocks.of(LAYOUT, batch.games, batch.seats) for batch in batches]
    fine = blocks[0].fine & blocks[1].fine
    row, left, right = SEAT_METRICS.index("coins"), Group("strategy", "trader"), Group("strategy", "miser")
    mine, theirs = (blocks[0].values[row, blocks[0].fine, LAYOUT.column(g)] for g in (left, right))
    assert whole.arms[0].arrays["products"][row, LAYOUT.pairs[left, right]] == (mine * theirs).sum()
    place = common_keys(LAYOUT, LAYOUT).index(("coins", left))
    here, there = (part.values[row, fine, LAYOUT.column(left)] for part in blocks)
    assert whole.cross.products[0][place] == (here * there).sum()
    assert whole.cross.sums[1][place] == there.sum()
    assert whole.cross.blocks == fine.sum()


def test_histograms_count_every_fine_game(whole):
    tally = whole.arms[0]
    games = tally.blocks * 3
    assert tally.arrays["coins"].sum() == games * 3
    assert tally.arrays["turns"].sum() == tally.arrays["ends"].sum() == games
    assert (tally.arrays["run_outs"].sum(axis=(1, 2)) == games).all()
    coins = (tally.arrays["coins"].sum(axis=1) * np.arange(128)).sum(axis=1)
    columns = [LAYOUT.column(Group("strategy", label)) for label in LAYOUT.strategies]
    assert (coins == tally.arrays["sums"][SEAT_METRICS.index("coins"), columns]).all()


def test_errors_are_counted_by_who_made_them(batches, whole):
    bad = batches[0].games[batches[0].games["status"] != 0]
    assert sum(whole.arms[0].errors.values()) == len(bad)
    entries = {LAYOUT.seatings[game["seating"]][game["error_seat"]] for game in bad}
    assert {entry for _, entry, _ in whole.arms[0].errors} == entries
    assert whole.arms[0].examples[0][:2] == tuple(min((g["deal"], g["seating"]) for g in bad))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, DEALS - 1), max_size=6), st.randoms(use_true_random=False))
def test_any_cut_merged_in_any_order_is_the_same_to_the_last_bit(cuts, order: random.Random):
    batches = [play(LAYOUT, WORLD, 7, DEALS, arm) for arm in (0, 1)]
    edges = sorted({0, *cuts, DEALS})
    parts = [Tallies.of([cut(b, first, past) for b in batches]) for first, past in pairwise(edges)]
    order.shuffle(parts)
    expected = json.dumps(Tallies.of(batches).to_dict())
    assert json.dumps(reduce(add, parts).to_dict()) == expected


def test_round_trip_through_json(whole):
    text = json.dumps(whole.to_dict())
    again = Tallies.from_dict(json.loads(text))
    assert json.dumps(again.to_dict()) == text
    zero = Tallies.empty([LAYOUT, LAYOUT])
    assert json.dumps((zero + again).to_dict()) == text


def test_a_deal_tallied_twice_is_refused(whole):
    with pytest.raises(InputError, match=r"deals 0 to 59 are tallied twice"):
        whole + whole


def damage(data, path, value):
    for step in path[:-1]:
        data = data[step]
    if value is None:
        del data[path[-1]]
    else:
        data[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), 99),
        (("arms", 0, "games"), -1),
        (("arms", 0, "games"), True),
        (("arms", 0, "arrays", "sums"), None),
        (("arms", 0, "arrays", "sums", "values"), [1, 2]),
        (("arms", 0, "arrays", "turns", "at"), [5, 4]),
        (("arms", 0, "arrays", "sums", "values", 0), 1.5),
        (("arms", 0, "arrays", "sums", "values", 0), 2**70),
        (("arms", 0, "arrays", "sums", "values", 0), 2**62),
        (("arms", 0, "arrays", "sums", "values", 0), -(2**62)),
        (("arms", 0, "games"), 2**62),
        (("arms", 0, "excluded"), 61),
        (("cross", "excluded"), 61),
        (("arms", 0, "layout", "seatings"), [[0, 0, 1]]),
        (("arms", 0, "layout", "labels"), 3),
        (("arms", 0, "ranges"), [[5, 2]]),
        (("arms", 0, "errors"), [[1, 2]]),
        (("cross", "sums"), []),
        (("cross", "products", 0), [1]),
        (("cross",), None),
    ],
)
def test_damage_is_an_error_that_says_so(whole, path, value):
    data = json.loads(json.dumps(whole.to_dict()))
    damage(data, path, value)
    with pytest.raises(InputError, match=r"damaged|format|seatings"):
        Tallies.from_dict(data)


def test_sums_that_no_games_reach_are_damage(whole):
    damaged = json.loads(json.dumps(whole.to_dict()))
    damage(damaged, ("arms", 0, "arrays", "sums", "values", 0), 2**62 - 1)
    elsewhere = json.loads(json.dumps(damaged))
    for tally in (*elsewhere["arms"], elsewhere["cross"]):
        tally["ranges"] = [[1000, 1060]]
    with pytest.raises(InputError, match=r"'sums' .* damaged"):
        Tallies.from_dict(damaged) + Tallies.from_dict(elsewhere)


def test_rows_out_of_order_are_refused(batches):
    batch = batches[0]
    with pytest.raises(ValueError, match="ordered by"):
        Blocks.of(LAYOUT, batch.games, batch.seats[::-1])
    with pytest.raises(ValueError, match="do not fill"):
        Blocks.of(LAYOUT, batch.games[1:], batch.seats)
    with pytest.raises(ValueError, match="consecutive"):
        Blocks.of(LAYOUT, batch.games[::-1], np.concatenate([batch.seats]))


def test_arms_over_other_deals_are_refused(batches):
    parts = [batches[0], cut(batches[1], 0, 5)]
    with pytest.raises(ValueError, match="same deals"):
        CrossTally.of([Blocks.of(LAYOUT, part.games, part.seats) for part in parts])


def test_many_arms_are_compared_with_the_first_only():
    assert cross_pairs(3) == ((0, 1), (0, 2), (1, 2))
    assert cross_pairs(40) == tuple((0, arm) for arm in range(1, 40))
    assert cross_pairs(1) == cross_pairs(0) == ()


def test_arms_with_other_line_ups_share_seats_entries_and_games():
    other = Layout(("random", "miser", "trader", "x"), rotations(4), KINDS, 2)
    keys = common_keys(LAYOUT, other)
    assert ("coins", Group("strategy", "trader")) in keys
    assert ("coins", Group("entry", entry=2)) in keys
    assert ("turns", None) in keys
    assert ("run_out_turn_3", None) not in keys
    assert len(cross_keys(LAYOUT)) == len(SEAT_METRICS) * (2 + 3 + 3) + 9 + 6


def test_no_deals_at_all():
    empty = play(LAYOUT, WORLD, 1, 0)
    tally = Tally.of(LAYOUT, empty.games, empty.seats, empty.harvests, empty.trades)
    assert tally.to_dict() == Tally.empty(LAYOUT).to_dict()
