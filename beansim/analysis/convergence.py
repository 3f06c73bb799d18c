"""How an estimate settles: the win share of a strategy after the first blocks of a run, ever more of them.

The blocks of the first chunk are looked at one by one where the run kept its games; what comes after them
is added chunk by chunk, which is fine enough by then, since the points are spaced evenly on a scale of
ratios.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from beansim.analysis.estimates import strategy, sums_of
from beansim.analysis.frames import collected
from beansim.analysis.intervals import Estimate, Sums, share_interval
from beansim.analysis.metrics import SEAT
from beansim.simulate.packing import Ints

if TYPE_CHECKING:
    from beansim.analysis.run import Run

FIRST_BLOCKS = 20
"""Blocks at the first point: fewer say next to nothing."""

POINTS = 60
"""Points at most."""

Series: TypeAlias = Mapping[tuple[int, str], Ints]
"""Block values in the order of deals, by arm and strategy."""


@dataclass(frozen=True)
class Settling:
    """The win shares of a run on their way."""

    run: Run

    @cached_property
    def first_blocks(self) -> Series:
        """Units won in each block of the first chunk; empty where the run did not keep its games."""
        return _first_blocks(self.run)

    def win_shares(self, arm: int, label: str) -> list[Estimate]:
        """The win share of a strategy after more and more blocks, each estimate with its interval."""
        tally = self.run.tally(arm)
        row = tally.layout.strategies.index(label)
        steps = np.stack([stage.win_share[arm][row] for stage in self.run.course])
        values = self.first_blocks.get((arm, label))
        if values is not None and len(values):
            # A deal with an error is in neither; rows that do not give their own tally are not believed.
            one_by_one = np.cumsum(np.stack([np.ones_like(values), values, values * values], axis=1), axis=0)
            if np.array_equal(one_by_one[-1], steps[0]):
                steps = np.concatenate([one_by_one, steps[1:]])
        seats = sums_of(tally, "win_share", strategy(label)).divisor // SEAT["win_share"].divisor
        return [_estimate(steps[place], seats) for place in _spread(steps[:, 0])]


def _estimate(step: Ints, seats: int) -> Estimate:
    """Of blocks, sum and sum of squares of their values."""
    blocks, total, squares = (int(number) for number in step)
    sums = Sums(blocks, total, squares, seats * SEAT["win_share"].divisor)
    low, high, method = share_interval(sums, blocks * seats)
    return Estimate(sums.mean, low, high, sums.error, float("nan"), blocks, blocks * seats, method)


def _spread(blocks: Ints) -> list[int]:
    """Places in an increasing row of numbers of blocks that are spaced evenly on a scale of ratios."""
    last = len(blocks) - 1
    if not blocks[last]:
        return []
    if blocks[last] <= FIRST_BLOCKS:
        return [last]
    wanted = np.geomspace(FIRST_BLOCKS, blocks[last], POINTS)
    return sorted({*np.searchsorted(blocks, wanted[:-1]).tolist(), last})


def _first_blocks(run: Run) -> Series:
    import polars as pl

    first = run.tallies.cross.ranges
    if not first or first[0][0] != 0:
        return {}
    rows = {path.name: path for path in run.rows}
    paths = [rows.get(f"{table}-00000.parquet") for table in ("games", "seats")]
    if not (paths[0] and paths[1]):
        return {}  # Where they are damaged, the run says so itself.
    games = collected(pl.scan_parquet(paths[0]).select("arm", "deal", "status"))
    seats = collected(pl.scan_parquet(paths[1]).select("arm", "deal", "entry", "win_units"))
    bad = games.filter(pl.col("status") != 0).select("arm", "deal").unique()
    sums = (
        seats.join(bad, on=["arm", "deal"], how="anti")
        .group_by("arm", "entry", "deal")
        .agg(pl.col("win_units").cast(pl.Int64).sum())
        .sort("arm", "entry", "deal")
    )
    parts = sums.partition_by("arm", "entry", as_dict=True)
    found: dict[tuple[int, str], Ints] = {}
    for (arm, entry), part in parts.items():
        key = (arm, run.tally(arm).layout.labels[entry])
        # Copies of a strategy add up to one value of the block.
        found[key] = found.get(key, 0) + part["win_units"].to_numpy()
    return found
