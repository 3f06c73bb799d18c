"""Cycles: A beats B, B beats C, C beats A."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def find_cycles(beats: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Cycles in who beats whom, shortest first: for every win that lies on one, a shortest one through it.

    Args:
        beats: whether i beats j, [strategies, strategies].

    Returns:
        Each cycle once, as numbers of strategies that each beat the next one and the last one the first,
        begun with the smallest number.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    steps, before = shortest_path(csr_array(beats.astype(np.int8)), unweighted=True, return_predecessors=True)
    found = {
        _from_smallest(_path(before, int(loser), int(winner)))
        for winner, loser in np.argwhere(beats)
        if np.isfinite(steps[loser, winner])
    }
    return sorted(found, key=lambda cycle: (len(cycle), cycle))


def _path(before: NDArray[np.int32], start: int, end: int) -> list[int]:
    """The way from `start` to `end`, both included."""
    way = [end]
    while way[-1] != start:
        way.append(int(before[start, way[-1]]))
    return way[::-1]


def _from_smallest(cycle: list[int]) -> tuple[int, ...]:
    first = cycle.index(min(cycle))
    return tuple(cycle[first:] + cycle[:first])
