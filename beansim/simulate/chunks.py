"""Chunks: how the deals of a run are cut for storage, cut again for workers, and put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

from numpy.typing import NDArray

from beansim.simulate.tallies import Tallies
from beansim.simulate.work import Part, Work

CHUNK_GAMES = 65_536
"""Games in a chunk of an ordinary run: two seconds of play, ten megabytes of rows."""

SLOW_CHUNK_GAMES = 4_096
"""Games in a chunk when a strategy is not compiled: a minute's work should not be lost either."""

MOST_CHUNKS = 256
"""A long run gets longer chunks instead of more of them ..."""

MOST_ROWS = 2**20
MOST_TALLIED = 2**24
"""... up to this many games, where the rows of a chunk are in memory, and where they are not."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of deals that is stored together: files numbered `number`, deals `first` and on."""

    number: int
    first: int
    deals: int


def chunk_deals(work: Work, deals: int) -> int:
    """Deals in a chunk. Follows from the experiment alone, so that the files of a run do too."""
    games = deals * work.games_per_deal
    least = CHUNK_GAMES if work.compiled else SLOW_CHUNK_GAMES
    most = MOST_ROWS if work.keep_rows else MOST_TALLIED
    return max(1, min(max(least, games // MOST_CHUNKS), most) // work.games_per_deal)


def chunks_of(work: Work, deals: int) -> list[Chunk]:
    """All chunks of a run of `deals` deals; the last one may be shorter."""
    size = chunk_deals(work, deals)
    return [
        Chunk(number, first, min(size, deals - first)) for number, first in enumerate(range(0, deals, size))
    ]


@dataclass
class Pace:
    """Chooses how many deals a batch gets, so that it takes about `seconds` at the speed seen so far.

    The speed only decides how the work is cut; what is played and stored does not depend on it.
    """

    games_per_deal: int
    seconds: float = 0.2
    fixed: int = 0
    deals: int = 0

    def __post_init__(self) -> None:
        # The first batch is small enough for the slowest strategy.
        self.deals = self.fixed or max(1, 64 // self.games_per_deal)

    def learn(self, deals: int, seconds: float) -> None:
        """Take a finished batch into account; grows at most fourfold at once."""
        if not self.fixed:
            wanted = int(deals * self.seconds / max(seconds, 1e-6))
            self.deals = max(1, min(wanted, 4 * self.deals))

    def cut(self, chunk: Chunk) -> Iterator[tuple[int, int]]:
        """Ranges (first deal, deals) that make up the chunk; cut as they are asked for."""
        first, left = chunk.first, chunk.deals
        while left:
            batches = -(-left // self.deals)
            size = -(-left // batches)
            yield first, size
            first, left = first + size, left - size


@dataclass(frozen=True)
class Filled:
    """A chunk that has been played: its tallies, and its rows arm by arm where they are kept."""

    chunk: Chunk
    tallies: Tallies
    games: Sequence[NDArray[Any]]
    seats: Sequence[NDArray[Any]]


@dataclass
class Assembly:
    """Collects the parts of chunks in whatever order they come and hands over each full chunk."""

    chunks: Iterable[Chunk]
    _parts: dict[int, list[Part]] = field(default_factory=dict)
    _chunks: dict[int, Chunk] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chunks = {chunk.number: chunk for chunk in self.chunks}

    def add(self, number: int, part: Part) -> Filled | None:
        """Add a part of chunk `number`; the chunk if that completes it."""
        parts = self._parts.setdefault(number, [])
        parts.append(part)
        chunk = self._chunks[number]
        if sum(one.deals for one in parts) < chunk.deals:
            return None
        return _join(chunk, self._parts.pop(number))


def _join(chunk: Chunk, parts: list[Part]) -> Filled:
    """Rows are ordered by arm, then deal, then seating, whatever the batches were."""
    parts.sort(key=lambda part: part.first)
    kept = range(len(parts[0].games))
    return Filled(
        chunk,
        reduce(add, (part.tallies for part in parts)),
        [part.games[arm] for arm in kept for part in parts],
        [part.seats[arm] for arm in kept for part in parts],
    )
