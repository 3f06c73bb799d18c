from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beansim.simulate.chunks import Assembly, Chunk, Pace, chunk_deals, chunks_of
from beansim.simulate.work import Part


@dataclass
class Asked:
    """As much of `Work` as the cutting into chunks looks at."""

    games_per_deal: int
    compiled: bool = True
    keep_rows: bool = True


@given(st.integers(1, 10**7), st.integers(1, 500), st.booleans(), st.booleans())
def test_chunks_cover_every_deal_once(deals: int, games: int, compiled: bool, keep: bool) -> None:
    chunks = chunks_of(Asked(games, compiled, keep), deals)
    assert chunks[0].first == 0
    assert chunks[-1].first + chunks[-1].deals == deals
    assert all(a.first + a.deals == b.first and a.number + 1 == b.number for a, b in pairwise(chunks))


@pytest.mark.parametrize(
    ("work", "deals", "size"),
    [
        (Asked(8), 20_000, 8192),
        (Asked(8), 20_000_000, 65_536),
        (Asked(8), 10**10, 2**16),
        (Asked(8, keep_rows=False), 10**10, 2**21),
        (Asked(8, compiled=False), 20_000, 512),
        (Asked(200_000), 5, 1),
    ],
)
def test_a_chunk_is_as_long_as_the_experiment_says(work: Asked, deals: int, size: int) -> None:
    assert chunk_deals(work, deals) == size


@given(st.integers(1, 500), st.integers(1, 64), st.lists(st.floats(1e-4, 10), min_size=1, max_size=20))
def test_batches_cover_a_chunk_whatever_the_speed(deals: int, games: int, times: list[float]) -> None:
    pace = Pace(games)
    ranges = []
    for number, (first, size) in enumerate(pace.cut(Chunk(0, 100, deals))):
        ranges.append((first, size))
        pace.learn(size, times[number % len(times)])
    assert [first for first, _ in ranges] == [100 + sum(s for _, s in ranges[:n]) for n in range(len(ranges))]
    assert sum(size for _, size in ranges) == deals


@pytest.mark.parametrize(
    ("setup", "seconds"),
    [(0.0, 0.2), (0.01, 0.2), (0.1, 1.0), (2.0, 3.0)],
    ids=["none", "small", "dear", "very dear"],
)
def test_the_pace_reaches_the_wanted_time_whatever_setting_up_costs(setup: float, seconds: float) -> None:
    pace = Pace(8)
    for _ in range(60):
        pace.learn(pace.deals, setup + pace.deals * 8 / 30_000)
    assert setup + pace.deals * 8 / 30_000 == pytest.approx(seconds, rel=0.02)


def test_a_machine_that_slows_down_gets_batches_within_the_bounds() -> None:
    pace = Pace(8)
    for speed in [30_000] * 20 + [3_000] * 40:
        pace.learn(pace.deals, 0.01 + pace.deals * 8 / speed)
    assert pace.seconds / 2 < pace.deals * 8 / 3_000 < pace.most


def test_the_pace_starts_with_little_and_grows_fourfold_at_most() -> None:
    pace = Pace(8)
    assert pace.deals == 8
    pace.learn(8, 1e-9)
    assert pace.deals == 32
    fixed = Pace(8, fixed=5)
    fixed.learn(5, 1e-9)
    assert fixed.deals == 5


def peak_memory(work: Callable[[], object]) -> int:
    """Bytes that Python and NumPy held at most while `work` ran."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_parts_are_merged_as_they_come() -> None:
    """A chunk of many batches takes no more memory than one of a few."""

    def fill(parts: int) -> None:
        assembly = Assembly([Chunk(0, 0, parts)])
        for number in range(parts):
            tallies = np.full(50_000, number)
            filled = assembly.add(0, Part(number, 1, tallies, (), ()))
        assert filled is not None
        assert filled.tallies[0] == parts * (parts - 1) // 2

    assert peak_memory(lambda: fill(300)) < 1.5 * peak_memory(lambda: fill(10))
