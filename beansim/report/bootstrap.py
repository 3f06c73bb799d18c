"""The table of bootstrap intervals: beside the usual ones, for whoever doubts that these fit the data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from beansim.analysis.comparisons import between
from beansim.analysis.estimates import estimate, strategy
from beansim.analysis.frames import bca_interval, block_frame, block_values
from beansim.analysis.intervals import Estimate
from beansim.analysis.run import Run
from beansim.report.tables import Row, arm_pairs, clean, frame, spread
from beansim.simulate.tallies import common_keys

METRICS = ("win_share", "coins", "rank", "margin")


def bootstrap(run: Run) -> pl.DataFrame:
    """One row per arm, strategy and metric, and per difference of a later arm and an earlier one.

    Bias-corrected and accelerated intervals for the mean of block values; needs the games of the run
    (InputError when it kept its tallies alone).
    """
    blocks = block_frame(run)
    return frame([*_means(run, blocks), *_differences(run, blocks)])


def _means(run: Run, blocks: pl.DataFrame) -> Iterator[Row]:
    for number, arm in enumerate(run.arms):
        for label in run.tally(number).layout.strategies:
            for metric in METRICS:
                values = block_values(blocks, metric, number, label)["value"].to_numpy()
                found = estimate(run.tally(number), metric, strategy(label))
                yield _row(arm.name, "", label, metric, found, values)


def _differences(run: Run, blocks: pl.DataFrame) -> Iterator[Row]:
    for later, earlier in arm_pairs(run):
        layouts = [run.tally(arm).layout for arm in (later, earlier)]
        here, there = (run.arms[arm].name for arm in (later, earlier))
        for label in layouts[0].strategies:
            if ("coins", strategy(label)) not in common_keys(*layouts):
                continue
            for metric in METRICS:
                values = _common(run, blocks, metric, (later, earlier), label)
                found = between(run.tallies, later, earlier, metric, strategy(label))
                yield _row(here, there, label, metric, found, values)


def _common(
    run: Run, blocks: pl.DataFrame, metric: str, arms: tuple[int, int], label: str
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Differences of block values over the deals in which no arm had an error."""
    left, right = (block_values(blocks, metric, arm, label) for arm in arms)
    fine = blocks.group_by("deal").agg(pl.col("arm").n_unique() == len(run.arms)).filter("arm")
    both = left.join(right, on="deal", suffix="_right").join(fine, on="deal", how="semi").sort("deal")
    return (both["value"] - both["value_right"]).to_numpy()


def _row(
    arm: str,
    minus: str,
    label: str,
    metric: str,
    found: Estimate,
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> Row:
    row: Row = {"arm": arm, "minus": minus, "strategy": label, "metric": metric}
    row |= {"difference": found.difference, "blocks": len(values)} | spread("found", found)
    low, high = bca_interval(values) if len(values) > 1 else (float("nan"), float("nan"))
    return row | {
        "bca": clean(found.mean),
        "bca_low": clean(low),
        "bca_high": clean(high),
        "note": found.note,
    }
