"""Block values as a table, from stored games, for whoever wants to look at single blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from beansim.analysis.intervals import LEVEL
from beansim.analysis.metrics import SEAT
from beansim.errors import InputError
from beansim.simulate.layout import SEAT_METRICS

if TYPE_CHECKING:
    import polars as pl

    from beansim.analysis.run import Run


def block_frame(run: Run) -> pl.DataFrame:
    """Sums of each block and strategy: columns arm, deal, strategy, games and the summed columns.

    Only deals in which no game of the arm ended with an error. InputError when the run kept no games.
    """
    import polars as pl

    games, seats = (scan(run, table) for table in ("games", "seats"))
    bad = games.filter(pl.col("status") != 0).select("arm", "deal").unique()
    fine = _with_standing(seats.join(bad, on=["arm", "deal"], how="anti"))
    named = fine.join(_labels(run).lazy(), on=["arm", "entry"])
    sums = [pl.col(name).cast(pl.Int64).sum() for name in SEAT_METRICS]
    blocks = named.group_by("arm", "deal", "strategy").agg(pl.len().alias("games"), *sums)
    return collected(blocks.sort("arm", "deal", "strategy"))


def _with_standing(seats: pl.LazyFrame) -> pl.LazyFrame:
    """Add what a seat's coins are worth at its table: twice the mid-rank, and the margin (`SEAT_METRICS`)."""
    import polars as pl

    game, coins = ["arm", "deal", "seating"], pl.col("coins").cast(pl.Int64)
    best, second = coins.max().over(game), coins.top_k(2).min().over(game)
    return seats.with_columns(
        (2 * coins.rank("average", descending=True).over(game)).cast(pl.Int64).alias("rank_halves"),
        (coins - pl.when(coins == best).then(second).otherwise(best)).alias("margin"),
    )


def block_values(frame: pl.DataFrame, metric: str, arm: int, strategy: str) -> pl.DataFrame:
    """Block values of a metric for one arm and strategy, from a `block_frame`: columns deal and value."""
    import polars as pl

    found = SEAT[metric]
    value = pl.col(found.column) / (pl.col("games") * found.divisor)
    chosen = frame.filter((pl.col("arm") == arm) & (pl.col("strategy") == strategy))
    return chosen.select("deal", value.alias("value"))


def scan(run: Run, table: str) -> pl.LazyFrame:
    """The stored rows of `games` or `seats`, all chunks; InputError where there are none or damaged ones."""
    import polars as pl

    # A damaged Parquet file is not for polars to find: at some it panics, at others the process ends.
    damaged = [name for name in run.damaged_rows if name.startswith(table)]
    if damaged:
        raise InputError(
            f"{damaged[0]} is damaged; `beansim run --resume {run.folder}` plays its games again"
        )
    paths = [path for path in run.rows if path.name.startswith(table)]
    if not paths:
        raise InputError("this run kept its tallies alone; run it with keep = games to have single blocks")
    return pl.scan_parquet(paths)


def collected(frame: pl.LazyFrame) -> pl.DataFrame:
    """What comes of stored rows; InputError where their files are damaged."""
    import polars as pl

    try:
        return frame.collect()
    # Of some damage polars does not say that it is an error: it panics.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"stored games cannot be read: {str(error).splitlines()[0]:.200}") from error


def _labels(run: Run) -> pl.DataFrame:
    import polars as pl

    rows = [
        (arm, entry, label)
        for arm, tally in enumerate(run.tallies.arms)
        for entry, label in enumerate(tally.layout.labels)
    ]
    return pl.DataFrame(rows, schema={"arm": pl.Int32, "entry": pl.Int8, "strategy": pl.String}, orient="row")


def bca_interval(
    values: NDArray[np.float64], level: float = LEVEL, resamples: int = 9999, seed: int = 0
) -> tuple[float, float]:
    """Bias-corrected and accelerated bootstrap interval for the mean of block values.

    An option beside the t interval, for few blocks with a skewed distribution. Deterministic by `seed`.
    Equal values give an interval of no width.

    Reference: Efron (1987), Better bootstrap confidence intervals, JASA 82 (scipy.stats.bootstrap).
    """
    from scipy.stats import bootstrap

    if len(values) < 2:
        raise InputError(f"a bootstrap needs at least two blocks, got {len(values)}")
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    found = bootstrap(
        (values,),
        np.mean,
        confidence_level=level,
        n_resamples=resamples,
        method="BCa",
        rng=np.random.default_rng(seed),
        batch=max(1, 10_000_000 // len(values)),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)
