"""Plays an experiment in memory, look by look: after each, whoever asked sees all deals and may stop."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from beansim.engine import is_compiled, warm
from beansim.errors import StrategyError
from beansim.experiment import Experiment
from beansim.simulate.chunks import Chunk, Pace
from beansim.simulate.contest import ContestTally
from beansim.simulate.errors import error_report
from beansim.simulate.fanout import Fanout, play_in_order
from beansim.simulate.recipe import Recipe
from beansim.simulate.run import COMPILING
from beansim.simulate.work import Reduction, Work
from beansim.simulate.workers import Workers, crew_of


@dataclass(frozen=True)
class Ways:
    """How to play, none of which changes the results.

    Attributes:
        workers: who plays.
        batch_deals: deals in a batch; 0 to fit the batches to the speed.
        played: called with the games of each batch as it comes back.
    """

    workers: Workers = field(default_factory=Workers)
    batch_deals: int = 0
    played: Callable[[int], None] = field(default=lambda games: None)


def play_contest(
    experiment: Experiment, looks: Sequence[Chunk], ways: Ways | None = None
) -> Generator[ContestTally]:
    """Play every line-up of `experiment` on the deals of `looks`; yields the tally so far after each look.

    As `play_looks`; StrategyError also when not one deal of the first look was without an error.
    """
    with closing(play_looks(experiment, looks, ContestTally.of, ways)) as tallies:
        for tally in tallies:
            if not tally.blocks:
                raise StrategyError(f"no deal without an error: {first_errors(experiment, tally)[0]}")
            yield tally


def play_looks(
    experiment: Experiment, looks: Sequence[Chunk], reduce: Reduction, ways: Ways | None = None
) -> Generator[Any]:
    """Play every arm of `experiment` on the deals of `looks`; yields what all so far are reduced to.

    Looks come in their order, so that whoever stops after one stops at the same deal for any number of
    workers. Leaving the iteration early stops the workers.

    Raises:
        InputError: the experiment cannot be built.
        StrategyError: a strategy cannot be compiled, or ends too many games for good.
    """
    ways = ways or Ways()
    arms = experiment.build()
    work = Work(arms, experiment.seed, keep_rows=False, reduce=reduce)
    if not is_compiled(arms):
        ways.workers.note(COMPILING)
    warm(arms)

    def played(deals: int) -> None:
        ways.played(deals * work.games_per_deal)

    with crew_of(ways.workers, work) as crew:
        pace = Pace(work.games_per_deal, crew.batch_seconds, fixed=ways.batch_deals)
        fanout = Fanout(work, Recipe.of(experiment, work), crew)
        with closing(play_in_order(fanout, looks, pace, played)) as chunks:
            tally = None
            for filled in chunks:
                tally = filled.tallies if tally is None else tally + filled.tallies
                yield tally


def first_errors(experiment: Experiment, tally: ContestTally) -> list[str]:
    """The first errors of a contest, told in full."""
    report = error_report(experiment.build(), tally.arms, experiment.seed)
    return [str(error["message"]) for error in report["first"]]
