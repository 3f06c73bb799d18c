"""What one worker does: play every arm over a range of deals and reduce it to a part of a chunk."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from beansim.bundled import bundled_folder
from beansim.engine import Arm, LostGame, play_around
from beansim.simulate.tallies import ArmBatch, Layout, Tallies

Reduction: TypeAlias = Callable[[Sequence[ArmBatch]], Any]
"""From the batches of all arms for one range of deals to something that `+` merges exactly, in any order."""


SLICE_GAMES = 8_192
"""Games of an arm that are played and reduced at a time: their rows and block values stay in the cache.

With batches of a fifth of a second, 20,000 games of hermits, tallying took 14 us a game instead of 5."""

MOST_SLICE_GAMES = 65_536
"""Games of all arms together, whose rows and block values are in memory at a time: a hundred megabytes."""


@dataclass(frozen=True)
class Part:
    """What is left of a range of deals once it is played.

    Attributes:
        first, deals: the range.
        tallies: what every arm's games come down to: `Tallies`, or whatever the work's reduction gives.
        games, seats: rows of every arm (`Batch.games`, `Batch.seats`); empty when only tallies are kept.
        seconds: wall time that it took; used for planning, never stored with results.
    """

    first: int
    deals: int
    tallies: Any
    games: tuple[NDArray[Any], ...]
    seats: tuple[NDArray[Any], ...]
    seconds: float = 0.0


@dataclass(frozen=True)
class Work:
    """Arms ready to be played: everything a worker needs, in its own process.

    Attributes:
        arms: the arms; all of them play every range, so that their blocks can be compared.
        seed: seed of the experiment.
        keep_rows: hand back the rows of games and seats, not only the tallies.
        reduce: what the games are reduced to; a function of a module, so that processes find it.
    """

    arms: tuple[Arm, ...]
    seed: int
    keep_rows: bool
    reduce: Reduction = Tallies.of

    @property
    def games_per_deal(self) -> int:
        """Games that one deal takes: the seatings of all arms."""
        return sum(len(arm.seatings) for arm in self.arms)

    @property
    def compiled(self) -> bool:
        """Whether every strategy is compiled, so that the engine releases the interpreter's lock."""
        return all(entrant.compiled for arm in self.arms for entrant in arm.lineup)

    @property
    def trusted(self) -> bool:
        """Whether every strategy is compiled and comes with beansim: none of them hangs or crashes."""
        home = bundled_folder("strategies").resolve()
        return self.compiled and all(
            entrant.path.resolve().parent == home for arm in self.arms for entrant in arm.lineup
        )

    @property
    def digest(self) -> str:
        """Short hash of the games that are played: two runs with the same one differ in deals at most.

        Strategies go by label alone: their source is compared when a run is resumed.
        """
        arms = [
            (arm.rules.digest(), [entrant.label for entrant in arm.lineup], arm.seatings) for arm in self.arms
        ]
        return hashlib.sha256(json.dumps([self.seed, arms]).encode()).hexdigest()[:16]

    def play(self, first: int, deals: int, lost: Collection[LostGame] = ()) -> Part:
        """Play `deals` deals from `first` on, every arm on the same ones, around the `lost` games."""
        started = time.perf_counter()
        size = self.slice_deals
        slices = [
            self._play(start, min(size, first + deals - start), lost)
            for start in range(first, first + deals, size)
        ]
        tallies = reduce(add, (one.tallies for one in slices))
        rows = range(len(self.arms) if self.keep_rows else 0)
        games = tuple(np.concatenate([one.games[arm] for one in slices]) for arm in rows)
        seats = tuple(np.concatenate([one.seats[arm] for one in slices]) for arm in rows)
        return Part(first, deals, tallies, games, seats, time.perf_counter() - started)

    @property
    def slice_deals(self) -> int:
        """Deals that are played and reduced at a time."""
        largest = max(len(arm.seatings) for arm in self.arms)
        return max(1, min(SLICE_GAMES // largest, MOST_SLICE_GAMES // self.games_per_deal))

    def _play(self, first: int, deals: int, lost: Collection[LostGame]) -> Part:
        """Play and reduce a range of deals at once."""
        batches = [play_around(arm, self.seed, first, deals, lost) for arm in self.arms]
        tallies = self.reduce(
            [
                ArmBatch(layout_of(arm), batch.games, batch.seats, batch.harvests, batch.trades)
                for arm, batch in zip(self.arms, batches, strict=True)
            ]
        )
        rows = batches if self.keep_rows else []
        return Part(
            first, deals, tallies, tuple(batch.games for batch in rows), tuple(batch.seats for batch in rows)
        )


@lru_cache(maxsize=1024)
def _layout(
    labels: tuple[str, ...], seatings: tuple[tuple[int, ...], ...], kinds: tuple[str, ...], run_outs: int
) -> Layout:
    # One object for each arm, since a layout keeps what it derives.
    return Layout(labels, seatings, kinds, run_outs)


def layout_of(arm: Arm) -> Layout:
    """What the arm looks like to the statistics."""
    labels = tuple(entrant.label for entrant in arm.lineup)
    return _layout(labels, arm.seatings, arm.rules.kind_names, arm.rules.run_outs)
