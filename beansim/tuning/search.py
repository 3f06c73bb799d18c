"""How the next point is proposed, and when a point is given up.

CMA-ES: N. Hansen, "The CMA evolution strategy: a tutorial" (2016), in the author's library `cma`. TPE:
Bergstra and others, "Algorithms for hyper-parameter optimization", NIPS 24 (2011), in `optuna`. Random
search: Bergstra and Bengio, JMLR 13 (2012).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from beansim.tuning.objective import Blocks, Estimate
from beansim.tuning.space import Space, Values

if TYPE_CHECKING:
    import optuna

METHODS = ("cma", "tpe", "random")
"""Ways to search."""

SPREAD = 0.2
"""First step of CMA-ES in sides of the cube."""

STALLED = 3
"""Generations of CMA-ES in a row without a better point after which it begins again from the best one."""

RUNGS = (0.125, 0.25, 0.5, 1.0)
"""Shares of a trial's deals after each of which a hopeless trial is given up."""

HOPELESS = 2.0
"""Standard errors of the paired difference by which a trial must lie behind the best one to be given up."""


class Proposer(Protocol):
    """Proposes points one by one, and is told what each was worth."""

    def propose(self, number: int) -> Values:
        """The point of trial `number`."""

    def learn(self, values: Values, worth: float) -> None:
        """What the point proposed last was worth."""


class RandomSearch:
    """Points at random in the cube; point `number` depends on the seed and its number alone."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed

    def propose(self, number: int) -> Values:
        """The start first, then points at random."""
        if number == 0:
            return self.space.start
        generator = np.random.default_rng([self.seed, number])
        return self.space.values(list(generator.uniform(size=len(self.space.params))))

    def learn(self, values: Values, worth: float) -> None:
        """Nothing to learn."""


class EvolutionStrategy:
    """CMA-ES from the start on. Told the same worths in the same order, it proposes the same points.

    On a plateau its cloud can drift away from the best point, or shrink around a worse one; it then begins
    again around the best, half as wide each time that this brought nothing. (Restarts as in Auger, Hansen, "A
    restart CMA evolution strategy with increasing population size", CEC 2005, but from the best point and
    with the same population: the budgets here are small.)
    """

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self.best, self.best_worth = space.start, -np.inf
        self.begun, self.spread, self.found = 0, SPREAD, False
        self._begin()

    def _begin(self) -> None:
        """A new cloud around the best point so far."""
        import cma

        self.begun += 1
        self.found = False
        start = [min(0.95, max(0.05, place)) for place in self.space.point(self.best)]
        options = {"bounds": [0, 1], "seed": self.seed + self.begun, "verbose": -9}
        if len(start) == 1:  # the library asks for two dimensions; the second one is not used
            start = [*start, 0.5]
        self.strategy = cma.CMAEvolutionStrategy(start, self.spread, options)
        self.asked: list[Any] = []
        self.told: list[float] = []
        self.stalled = 0
        self.improved = False

    def propose(self, number: int) -> Values:
        """The start first, then the points of one generation after the other."""
        if number == 0:
            return self.space.start
        if not self.asked:
            self.asked = list(self.strategy.ask())
        point = self.asked[len(self.told)]
        return self.space.values(list(point)[: len(self.space.params)])

    def learn(self, values: Values, worth: float) -> None:
        """A whole generation is told at once."""
        if worth > self.best_worth:
            self.best, self.best_worth = values, worth
            self.improved = self.found = True
        if not self.asked:
            return
        self.told.append(-worth)
        if len(self.told) == len(self.asked):
            self._end_generation()

    def _end_generation(self) -> None:
        self.strategy.tell(self.asked, self.told)
        self.asked, self.told = [], []
        self.stalled = 0 if self.improved else self.stalled + 1
        self.improved = False
        if self.stalled == STALLED:
            self.spread = SPREAD if self.found else self.spread / 2.0
            self._begin()


class ParzenEstimator:
    """optuna's TPE, asked through a study of its own in memory."""

    def __init__(self, space: Space, seed: int) -> None:
        import optuna

        self.space = space
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        self.trial: Any = None

    def propose(self, number: int) -> Values:
        """The start first, then what the estimator expects most of."""
        if number == 0:
            self.study.enqueue_trial(self.space.start)
        self.trial = self.study.ask(distributions(self.space))
        return {item.name: self.trial.params[item.name] for item in self.space.params}

    def learn(self, values: Values, worth: float) -> None:
        """Tell the estimator."""
        self.study.tell(self.trial, worth)


def distributions(space: Space) -> dict[str, optuna.distributions.BaseDistribution]:
    """The space in optuna's terms."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    made: dict[type, Any] = {
        float: lambda item: FloatDistribution(item.low, item.high),
        int: lambda item: IntDistribution(int(item.low), int(item.high)),
        bool: lambda item: CategoricalDistribution((False, True)),
    }
    return {item.name: made[item.kind](item) for item in space.params}


def proposer(method: str, space: Space, seed: int) -> Proposer:
    """The proposer for one of `METHODS`."""
    made: dict[str, Any] = {"cma": EvolutionStrategy, "tpe": ParzenEstimator, "random": RandomSearch}
    chosen: Proposer = made[method](space, seed)
    return chosen


def rungs(deals: int) -> Iterator[tuple[int, int]]:
    """Ranges (first deal, deals) that a trial plays, one after the other."""
    first = 0
    for share in RUNGS:
        last = max(first + 1, round(deals * share))
        if first < deals:
            yield first, min(last, deals) - first
        first = min(last, deals)


def hopeless(blocks: Blocks, best: Blocks) -> bool:
    """Whether a trial lies clearly behind the best one on the deals that both have played."""
    if not len(best):
        return False
    gap = Estimate.of(blocks - best[: len(blocks)])
    return gap.mean + HOPELESS / 1.96 * gap.half < 0.0
