"""How an estimate settles: block by block where games were kept, and ending where the estimate stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from beansim.analysis.convergence import FIRST_BLOCKS, POINTS, Settling
from beansim.analysis.estimates import estimate, strategy
from beansim.analysis.run import Run, _add_up
from beansim.analysis.synthetic import World, cut, play, rotations
from beansim.rules import resolve
from beansim.simulate.columns import as_parquet
from beansim.simulate.layout import Layout
from beansim.simulate.tallies import Tallies

LINEUP = ("a", "b", "a", "c")
DEALS, CHUNK = 900, 300
WORLD = World(strategy={"a": 2, "c": -1}, luck=3, noise=3, broken=0.02)


@pytest.fixture
def batch():
    rules = resolve("base", 4)
    layout = Layout(LINEUP, rotations(4), rules.kind_names, rules.run_outs)
    return play(layout, WORLD, 3, DEALS, 0)


@pytest.fixture
def run(batch, tmp_path):
    """Three chunks, and the rows of the first one."""
    (tmp_path / "chunks").mkdir()
    parts = [cut(batch, first, first + CHUNK) for first in range(0, DEALS, CHUNK)]
    for table in ("games", "seats"):
        content = as_parquet([getattr(parts[0], table)], 3)
        (tmp_path / "chunks" / f"{table}-00000.parquet").write_bytes(content)
    problems: list[str] = []
    total, course = _add_up([(f"part {n}", Tallies.of([part])) for n, part in enumerate(parts)], problems)
    assert not problems
    rows = tuple(sorted(tmp_path.glob("chunks/*.parquet")))
    return Run(tmp_path, {}, (), total, course, rows=rows)


def test_the_last_point_is_the_estimate_and_each_point_that_of_its_blocks(run, batch):
    fine = (batch.games["status"].reshape(DEALS, -1) == 0).all(axis=1)
    assert not fine.all()
    for label in "abc":
        found = Settling(run).win_shares(0, label)
        whole = estimate(run.tally(0), "win_share", strategy(label))
        last = found[-1]
        assert (last.mean, last.low, last.high) == (whole.mean, whole.low, whole.high)
        assert (last.blocks, last.games) == (whole.blocks, whole.games)
        # A point in the first chunk, from the deals that it rests on.
        point = found[len(found) // 2]
        deals = np.flatnonzero(fine.cumsum() == point.blocks)[0] + 1
        some = estimate(Tallies.of([cut(batch, 0, int(deals))]).arms[0], "win_share", strategy(label))
        assert (point.mean, point.low, point.high) == (some.mean, some.low, some.high)


def test_points_are_many_and_evenly_spaced_by_ratio(run):
    blocks = np.array([one.blocks for one in Settling(run).win_shares(0, "a")])
    assert blocks[0] == FIRST_BLOCKS
    assert 30 <= len(blocks) <= POINTS
    assert (np.diff(blocks) > 0).all()


def test_without_rows_it_goes_by_chunks(run):
    settling = Settling(replace(run, rows=()))
    assert not settling.first_blocks
    assert len(settling.win_shares(0, "a")) == DEALS // CHUNK


def test_rows_that_do_not_give_their_tally_are_not_believed(run, batch):
    path = run.folder / "chunks" / "seats-00000.parquet"
    path.write_bytes(as_parquet([cut(batch, CHUNK, 2 * CHUNK).seats], 3))
    assert len(Settling(run).win_shares(0, "a")) == DEALS // CHUNK
