"""Hands batches of deals to workers, and plays again what those had in hand who died.

A batch whose worker dies is played again. If the worker ended by itself, or was killed from outside for
the second time with the same batch in hand, the batch's games are looked at one by one (`suspects`): one
that ends any process is lost, told, and counted as ended with its strategy's error, and the rest of the
batch is played around it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import delayed

from beansim.engine import LostGame, describe_error
from beansim.engine.state import GAMES_DTYPE
from beansim.errors import BeansimError, StrategyError
from beansim.simulate.chunks import Assembly, Chunk, Filled, InOrder, Pace
from beansim.simulate.limit import keep_crashes_quiet, time_limit
from beansim.simulate.near import hand_in, take
from beansim.simulate.recipe import Recipe, prepared
from beansim.simulate.suspects import Found, find_lost
from beansim.simulate.work import Part, Work
from beansim.simulate.workers import Crew, WorkerLostError

Player = Callable[[Work, int, int, Collection[LostGame]], Any]
"""Plays (work, first deal, deals, lost games); a function of a module, so that workers find it."""

Played = Callable[[int], None]
"""Called with the deals of each batch as it comes back."""

MOST_LOST = 10
"""Lost games with which a run goes on; with one more it ends."""

MOST_DEATHS = 5
"""Deaths of workers in a row, without a batch that comes back, with which a run goes on."""

MOST_CLEARED = 4
"""Times that a batch may be in hand when workers die twice, and yet its games end when played one by one."""

MOST_SLOW = 2
"""Times that it may be in hand for longer than the time limit, and yet they end."""

GAME_SHARE = 0.1
"""Part of a batch's time limit that one game may take when it is played alone."""


@dataclass
class Batch:
    """A range of deals that goes to one worker at a time.

    Attributes:
        number: of the chunk.
        first, deals: the range.
        handed_out: when, by the monotonic clock.
        deaths: workers who died with it in hand since it was last looked at.
        cleared: how often it was looked at and nothing found, as a part of the times that this may happen.
    """

    number: int
    first: int
    deals: int
    handed_out: float = 0.0
    deaths: int = 0
    cleared: float = 0.0


@dataclass
class Lost:
    """The lost games of a run, which grow while it is played."""

    games: set[LostGame] = field(default_factory=set)

    def among(self, batch: Batch) -> tuple[LostGame, ...]:
        """Those in the range of a batch."""
        past = batch.first + batch.deals
        return tuple(sorted(game for game in self.games if batch.first <= game.deal < past))


class Fanout:
    """Plays batches of one work with a crew.

    Attributes:
        work, recipe: what is played, for workers who share this process and for others.
        crew: who plays.
        lost: lost games, those found here added.
    """

    def __init__(self, work: Work, recipe: Recipe, crew: Crew, lost: Lost | None = None) -> None:
        self.work, self.recipe, self.crew = work, recipe, crew
        self.lost = lost or Lost()
        self._out: dict[int, Batch] = {}
        self._deaths = 0

    def play(self, player: Player, batches: Iterable[Batch]) -> Generator[tuple[Batch, Any]]:
        """What `player` makes of each batch, in the order of completion; leaving early stops the workers.

        Raises:
            StrategyError: more than `MOST_LOST` games are lost; or one is, and its thread cannot be stopped.
            BeansimError: workers die and no game is to blame.
        """
        left = iter(batches)
        while True:
            try:
                with closing(self.crew.run(self._tasks(player, left))) as results:
                    for key, result in results:
                        self._deaths = 0
                        # Taken first: a file that cannot be read leaves its batch in hand.
                        taken = take(result) if self.crew.folder else result
                        yield self._out.pop(key), taken
                # joblib may end as if all were done when a worker dies just as it hands out more.
                more = list(itertools.islice(left, 1))
                left = itertools.chain(more, left)
                if self._out or more:
                    raise WorkerLostError("workers went without a word", killed=True)
                return
            except WorkerLostError as error:
                had = list(self._out.values())
                self._out.clear()
                self._after_death(had, error)
                left = itertools.chain(had, left)

    def _tasks(self, player: Player, batches: Iterator[Batch]) -> Iterator[Any]:
        task = Task(player, self.work if self.crew.shared else self.recipe, self.crew.limit, self.crew.folder)
        for batch in batches:
            batch.handed_out = time.monotonic()
            self._out[id(batch)] = batch
            yield delayed(task)(id(batch), batch.first, batch.deals, self.lost.among(batch))

    def _after_death(self, had: Sequence[Batch], error: WorkerLostError) -> None:
        """Look at the batches that could have been the cause, up to the one that was; play all again."""
        self._deaths += 1
        limit, now = self.crew.workers.time_limit, time.monotonic()
        for batch in had:
            batch.deaths += 1
            slow = self.crew.shared or bool(limit and now - batch.handed_out >= limit)
            suspect = slow or not error.killed or batch.deaths > 1
            if suspect and self._look_at(batch, 1 / MOST_SLOW if slow else 1 / MOST_CLEARED, error):
                return
        if self._deaths > MOST_DEATHS:
            raise BeansimError(
                f"{self._deaths} times in a row workers died before any batch came back, and no game is to "
                f"blame ({error})"
            ) from error

    def _look_at(self, batch: Batch, weight: float, error: WorkerLostError) -> bool:
        """Whether there are lost games in a batch; they are noted down."""
        limit = self.crew.workers.time_limit
        deals = f"deals {batch.first} to {batch.first + batch.deals - 1}"
        self.crew.workers.note(f"{deals} have cost a worker, or take too long; playing them game by game")
        known = self.lost.among(batch)
        most = 1 if self.crew.shared else MOST_LOST + 1 - len(self.lost.games)
        found = find_lost(self.work, self.recipe, batch.first, batch.deals, known, GAME_SHARE * limit, most)
        batch.deaths = 0
        if found:
            self._lose(found)
            return True
        batch.cleared += weight
        if batch.cleared >= 1:
            raise BeansimError(
                f"{deals} cost their worker again and again, though each game ends when played alone "
                f"({error}): out of memory, or in need of a longer --time-limit"
            ) from error
        return False

    def _lose(self, found: Sequence[Found]) -> None:
        messages = [told(self.work, one) for one in found]
        self.lost.games |= {one.game for one in found}
        if self.crew.shared:
            raise StrategyError(
                f"{messages[0]}. In a thread it cannot be stopped, so the run ends; with --backend processes "
                "it goes on without that game"
            )
        for message in messages:
            self.crew.workers.note(f"error: {message}")
        self._deaths = 0
        if len(self.lost.games) > MOST_LOST:
            raise StrategyError(f"more than {MOST_LOST} games are lost, so the run ends: {messages[-1]}")


@dataclass(frozen=True)
class Task:
    """What a worker is sent: what to play, and how long at most; called with a batch, it plays that."""

    player: Player
    what: Work | Recipe
    seconds: float
    folder: str = ""

    def __call__(self, key: int, first: int, deals: int, lost: Collection[LostGame]) -> tuple[int, Any]:
        """Play a batch around the lost games; its key comes back with the result."""
        if isinstance(self.what, Recipe):
            keep_crashes_quiet()
        # Loading compiles, which may take long and is no strategy's fault.
        work = prepared(self.what) if isinstance(self.what, Recipe) else self.what
        with time_limit(self.seconds):
            result = self.player(work, first, deals, lost)
            return key, hand_in(result, self.folder) if self.folder else result


def told(work: Work, found: Found) -> str:
    """A lost game in words: strategy, hook, what happened, and where."""
    game = found.game
    row = np.zeros(1, GAMES_DTYPE)
    row["deal"], row["seating"], row["status"], row["turns"] = game.deal, game.seating, game.status, game.turn
    row["error_seat"], row["error_hook"] = game.seat, game.hook
    message = describe_error(work.arms[game.arm], row[0], work.seed)
    return f"{message} ({found.where})" if found.where else message


def play_part(work: Work, first: int, deals: int, lost: Collection[LostGame]) -> Part:
    """The usual player."""
    return work.play(first, deals, lost)


def play_chunks(fanout: Fanout, chunks: Sequence[Chunk], pace: Pace, played: Played) -> Generator[Filled]:
    """Play all chunks; yields each one as soon as it is full. Leaving early stops the workers."""
    assembly = Assembly(chunks)
    batches = (Batch(chunk.number, first, deals) for chunk in chunks for first, deals in pace.cut(chunk))
    with closing(fanout.play(play_part, batches)) as parts:
        for batch, part in parts:
            pace.learn(part.deals, part.seconds)
            filled = assembly.add(batch.number, part)
            if filled:
                yield filled
            played(part.deals)


def play_in_order(fanout: Fanout, chunks: Sequence[Chunk], pace: Pace, played: Played) -> Generator[Filled]:
    """Play all chunks; yields each full one after all that come before it.

    So whoever stops after a chunk stops at the same one for any number of workers. Leaving the iteration
    early stops the workers; what they have played beyond is lost.
    """
    order = InOrder([chunk.number for chunk in chunks])
    with closing(play_chunks(fanout, chunks, pace, played)) as full:
        for filled in full:
            yield from order.add(filled)
