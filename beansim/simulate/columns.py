"""From the rows of batches to the columns that are stored: Parquet files and polars frames."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

RUN_OUT_COLUMNS = ("run_out_turn", "run_out_phase")
"""Columns of `Batch.games` that hold one number for each run-out; stored as `run_out_turn_1`, ..."""


def to_frame(rows: NDArray[Any], run_outs: int) -> pl.DataFrame:
    """Columns of a structured array in its order; array columns flattened up to `run_outs`."""
    import polars as pl  # late: a run is to reach its first games soon

    columns: list[pl.Series] = []
    for name in rows.dtype.names or ():
        if name in RUN_OUT_COLUMNS:
            values = {f"{name}_{k + 1}": rows[name][:, k] for k in range(run_outs)}
        else:
            values = {name: rows[name]}
        columns += [pl.Series(title, np.ascontiguousarray(column)) for title, column in values.items()]
    return pl.DataFrame(columns)


def as_parquet(parts: Sequence[NDArray[Any]], run_outs: int) -> bytes:
    """The rows of `parts`, one after the other, as one Parquet file."""
    frame = to_frame(np.concatenate(parts), run_outs)
    # The first level of zstd: half the size of none, and a third of the time of the default level.
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", compression_level=1)
    return content.getvalue()
