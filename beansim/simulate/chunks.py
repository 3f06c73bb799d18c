"""Chunks: how the deals of a run are cut for storage, cut again for workers, and put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beansim.simulate.work import Part, Work

CHUNK_GAMES = 65_536
"""Games in a chunk of an ordinary run: two seconds of play, ten megabytes of rows."""

SLOW_CHUNK_GAMES = 4_096
"""Games in a chunk when a strategy is not compiled: a minute's work should not be lost either."""

MOST_CHUNKS = 256
"""A long run gets longer chunks instead of more of them ..."""

MOST_ROWS = 2**19
MOST_TALLIED = 2**24
"""... up to this many games, where the rows of a chunk are in memory (and take 300 MB to be written), and
where they are not."""


FADE = 0.8
"""Weight of a batch against the next one when the speed is fitted."""

LEAST_A_DEAL = 1e-7
"""Seconds; no deal is quicker, whatever the fit says."""


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


FIRST_STOP_GAMES = 4_096
"""Games in the first chunk of a run that may stop early; later ones grow with what is played."""

FIRST_STOP_DEALS = 32
"""... but so many deals at least, since fewer blocks say too little to stop."""

STOP_SHARE = 8
"""A run that may stop plays an eighth more than it had to, at most."""


def chunks_of(work: Work, deals: int, stops: bool = False) -> list[Chunk]:
    """All chunks of a run of `deals` deals; the last one may be shorter.

    Where the run `stops` early if it can, they begin small and grow, and follow from the arms alone.
    """
    if stops:
        first = max(FIRST_STOP_DEALS, FIRST_STOP_GAMES // work.games_per_deal)
        most = MOST_ROWS if work.keep_rows else MOST_TALLIED
        return growing_chunks(deals, first, STOP_SHARE, max(1, most // work.games_per_deal))
    size = chunk_deals(work, deals)
    return [
        Chunk(number, first, min(size, deals - first)) for number, first in enumerate(range(0, deals, size))
    ]


def growing_chunks(deals: int, first: int, share: int, most: int = 0) -> list[Chunk]:
    """Chunks after each of which a run may stop: a first one, then each a `share`-th of what precedes it.

    Follows from the numbers given alone, so that a run stops at the same deal whatever plays it, and what
    is played beyond the deal at which it could have stopped is a `share`-th at most.

    Args:
        deals: in all chunks together, at most.
        first: deals in the first chunk.
        share: later chunks hold this part of the deals before them, at least a quarter of `first`.
        most: deals in a chunk at most; 0 for no bound.
    """
    chunks: list[Chunk] = []
    done = 0
    while done < deals:
        size = max(done // share, -(-first // 4)) if done else first
        size = min(size, most or size, deals - done)
        chunks.append(Chunk(len(chunks), done, size))
        done += size
    return chunks


@dataclass
class Pace:
    """Chooses how many deals a batch gets: so many that it takes about `seconds`.

    A batch costs a fixed time to set up and a time for each deal; both are fitted to the batches seen.
    Where setting up is dear, batches get longer until it is a tenth of them, up to `most` seconds.
    What is played and stored does not depend on it.

    Attributes:
        games_per_deal: games that one deal takes.
        seconds, most: wanted and greatest time of a batch.
        fixed: deals in every batch; 0 to fit them to the speed.
        deals: deals in the next batch.
    """

    games_per_deal: int
    seconds: float = 0.2
    most: float = 3.0
    fixed: int = 0
    deals: int = 0
    _setup: float = 0.0
    _seen: NDArray[np.float64] = field(default_factory=lambda: np.zeros(5))

    def __post_init__(self) -> None:
        # The first batch is small enough for the slowest strategy.
        self.deals = self.fixed or max(1, 64 // self.games_per_deal)

    def learn(self, deals: int, seconds: float) -> None:
        """Take a finished batch into account; grows at most fourfold at once."""
        new = np.array([1.0, deals, seconds, deals * deals, deals * seconds])
        self._seen = FADE * self._seen + new
        each = self._fit()
        wanted = min(max(self.seconds, 10 * self._setup), self.most) - self._setup
        self.deals = self.fixed or max(1, min(int(wanted / each), 4 * self.deals))

    def _fit(self) -> float:
        """Seconds for one deal, by least squares; the fit of the set-up time is kept in `_setup`."""
        count, x, y, xx, xy = map(float, self._seen)
        spread = count * xx - x * x
        # Batches of one size tell nothing of the set-up time: what is known of it stands.
        if spread > 1e-3 * x * x:
            slope = (count * xy - x * y) / spread
            self._setup = min(max((y - slope * x) / count, 0.0), y / count)
        return max((y / count - self._setup) / (x / count), LEAST_A_DEAL)

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
    tallies: Any
    games: Sequence[NDArray[Any]]
    seats: Sequence[NDArray[Any]]


@dataclass
class Assembly:
    """Collects the parts of chunks in whatever order they come and hands over each full chunk.

    Tallies are merged as they come: those of many arms take megabytes, and a chunk has many parts.
    """

    chunks: Iterable[Chunk]
    _parts: dict[int, list[Part]] = field(default_factory=dict)
    _tallies: dict[int, Any] = field(default_factory=dict)
    _chunks: dict[int, Chunk] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chunks = {chunk.number: chunk for chunk in self.chunks}

    def add(self, number: int, part: Part) -> Filled | None:
        """Add a part of chunk `number`; the chunk if that completes it."""
        known = self._tallies.get(number)
        self._tallies[number] = part.tallies if known is None else known + part.tallies
        parts = self._parts.setdefault(number, [])
        parts.append(replace(part, tallies=None))
        chunk = self._chunks[number]
        if sum(one.deals for one in parts) < chunk.deals:
            return None
        return _join(chunk, self._parts.pop(number), self._tallies.pop(number))


def _join(chunk: Chunk, parts: list[Part], tallies: Any) -> Filled:
    """Rows are ordered by arm, then deal, then seating, whatever the batches were."""
    parts.sort(key=lambda part: part.first)
    kept = range(len(parts[0].games))
    return Filled(
        chunk,
        tallies,
        [part.games[arm] for arm in kept for part in parts],
        [part.seats[arm] for arm in kept for part in parts],
    )


@dataclass
class InOrder:
    """Holds full chunks back until all that come before them are there.

    Attributes:
        numbers: of the chunks that will come, in their order.
    """

    numbers: Sequence[int]
    _next: int = 0
    _held: dict[int, Filled] = field(default_factory=dict)

    def add(self, filled: Filled) -> Iterator[Filled]:
        """Take a chunk; yields those whose turn it now is."""
        self._held[filled.chunk.number] = filled
        while self._next < len(self.numbers) and self.numbers[self._next] in self._held:
            yield self._held.pop(self.numbers[self._next])
            self._next += 1
