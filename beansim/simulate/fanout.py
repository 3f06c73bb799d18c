"""Hands batches of deals to workers: threads when everything is compiled, else processes.

joblib runs the workers, so `joblib.parallel_config(backend=...)` around a run sends it to any
backend joblib knows (a cluster, for one).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from beansim.errors import BeansimError
from beansim.simulate.chunks import Assembly, Chunk, Filled, InOrder, Pace
from beansim.simulate.work import Part, Recipe, Work, play_recipe

Play = Callable[[int, int], Part]

Played = Callable[[int], None]
"""Called with the deals of each batch as it comes back."""


def play_chunks(
    work: Work, recipe: Recipe, chunks: Sequence[Chunk], pace: Pace, jobs: int, played: Played
) -> Generator[Filled]:
    """Play all chunks; yields each one as soon as it is full. Leaving early stops the workers."""
    assembly = Assembly(chunks)
    with closing(play_all(work, recipe, chunks, pace, jobs)) as parts:
        for number, part in parts:
            filled = assembly.add(number, part)
            if filled:
                yield filled
            played(part.deals)


def play_in_order(
    work: Work, recipe: Recipe, chunks: Sequence[Chunk], pace: Pace, jobs: int, played: Played
) -> Generator[Filled]:
    """Play all chunks; yields each full one after all that come before it.

    So whoever stops after a chunk stops at the same one for any number of workers. Leaving the iteration
    early stops the workers; what they have played beyond is lost.
    """
    order = InOrder([chunk.number for chunk in chunks])
    with closing(play_chunks(work, recipe, chunks, pace, jobs, played)) as full:
        for filled in full:
            yield from order.add(filled)


def play_all(
    work: Work, recipe: Recipe, chunks: Iterable[Chunk], pace: Pace, jobs: int
) -> Generator[tuple[int, Part]]:
    """Play all chunks with `jobs` workers; yields (chunk number, part) in the order of completion.

    `recipe` is the same work for processes that cannot share it. Leaving the iteration early stops
    the workers. Raises BeansimError when a worker process dies.
    """
    # Where memory is shared the work itself goes to the workers.
    shared = work.compiled or jobs == 1
    play: Play = work.play if shared else _ByRecipe(recipe)
    tasks = (
        delayed(_play_part)(play, chunk.number, first, deals)
        for chunk in chunks
        for first, deals in pace.cut(chunk)
    )
    prefer = "threads" if work.compiled else "processes"
    pool = Parallel(n_jobs=jobs, prefer=prefer, batch_size=1, return_as="generator_unordered")
    try:
        with _closing(pool(tasks)) as results:
            for number, part in results:
                pace.learn(part.deals, part.seconds)
                yield number, part
    except TerminatedWorkerError as error:
        raise BeansimError(f"a worker process died; what was complete is kept ({error})") from error


@contextmanager
def _closing(results: Generator[tuple[int, Part]]) -> Iterator[Iterator[tuple[int, Part]]]:
    """Stop the workers at the end, whatever ends it."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            # joblib warns of games that were played and not used: after Ctrl-C that is so.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


class _ByRecipe:
    """A picklable player: carries the recipe, not the strategies."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def __call__(self, first: int, deals: int) -> Part:
        return play_recipe(self.recipe, first, deals)


def _play_part(play: Play, number: int, first: int, deals: int) -> tuple[int, Part]:
    return number, play(first, deals)
