"""What a point is worth: the strategy's mean result at tables with its opponents, on common deals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from beansim.checking.tables import rotations
from beansim.engine import Arm, Batch, describe_error, play, warm
from beansim.engine.state import WIN_UNITS
from beansim.errors import StrategyError
from beansim.rules import find_variant
from beansim.strategy import Entrant

Blocks = np.ndarray[Any, np.dtype[np.float64]]
"""One number for each deal."""


def _win_share(rows: Any) -> Any:
    return rows["win_units"] / WIN_UNITS


def _coins(rows: Any) -> Any:
    return rows["coins"].astype(np.float64)


METRICS: dict[str, Callable[[Any], Any]] = {"win_share": _win_share, "coins": _coins}
"""What can be maximised: the value of each seat's row."""

SHAPES = ("one", "many")
"""One of the strategy among copies of an opponent, or many of it with one opponent."""


@dataclass(frozen=True)
class Objective:
    """Tables at which a strategy is judged: every number of seats, opponent and shape once.

    Attributes:
        opponents: each makes tables of its own.
        seats: numbers of players.
        shapes: some of `SHAPES`.
        variant: rule set.
        metric: one of `METRICS`.
        seed: fixes all luck.
        jobs: tables played at a time; values do not depend on it.
    """

    opponents: tuple[Entrant, ...]
    seats: tuple[int, ...] = (4,)
    shapes: tuple[str, ...] = ("one",)
    variant: str = "base"
    metric: str = "win_share"
    seed: int = 1
    jobs: int = 1

    def tables(self, entrant: Entrant) -> list[tuple[Arm, int]]:
        """The arms, and how many of their first entries are the strategy."""
        return [
            self._table(entrant, opponent, players, shape)
            for players in self.seats
            for opponent in self.opponents
            for shape in self.shapes
        ]

    def _table(self, entrant: Entrant, opponent: Entrant, players: int, shape: str) -> tuple[Arm, int]:
        own = 1 if shape == "one" else players - 1
        rules = find_variant(self.variant).rules(players)
        lineup = (entrant,) * own + (opponent,) * (players - own)
        return Arm(f"{shape} of {players}", rules, lineup, rotations(players)), own

    def games_per_deal(self) -> int:
        """Games that one deal takes."""
        return sum(players * len(self.opponents) * len(self.shapes) for players in self.seats)

    def blocks(self, entrant: Entrant, first: int, deals: int) -> Blocks:
        """Mean of the metric over all tables, for each of the deals `first`, `first` + 1, ...

        Raises StrategyError when a game ended with a strategy's error.
        """
        tables = self.tables(entrant)
        warm([arm for arm, _ in tables])
        play_table = delayed(self._table_blocks)
        parts = Parallel(n_jobs=self.jobs, prefer="threads")(
            play_table(arm, own, first, deals) for arm, own in tables
        )
        return np.asarray(np.mean(list(parts), axis=0), np.float64)

    def _table_blocks(self, arm: Arm, own: int, first: int, deals: int) -> Blocks:
        batch = play(arm, self.seed, first, deals)
        _refuse_errors(batch)
        values = METRICS[self.metric](batch.seats).reshape(deals, -1)
        mine = (batch.seats["entry"] < own).reshape(deals, -1)
        return np.asarray((values * mine).sum(axis=1) / mine.sum(axis=1), np.float64)


def _refuse_errors(batch: Batch) -> None:
    wrong = np.flatnonzero(batch.games["status"])
    if len(wrong):
        raise StrategyError(describe_error(batch.arm, batch.games[wrong[0]], batch.seed))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of block values and half the width of its 95 % interval."""

    mean: float
    half: float
    deals: int

    @classmethod
    def of(cls, blocks: Blocks) -> Estimate:
        """The estimate of one row of block values, or of their differences."""
        from scipy.stats import t

        count = len(blocks)
        error = float(blocks.std(ddof=1)) / count**0.5 if count > 1 else float("inf")
        return cls(float(blocks.mean()), float(t.ppf(0.975, max(1, count - 1))) * error, count)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.half


def concatenated(parts: Sequence[Blocks]) -> Blocks:
    """Block values of consecutive ranges of deals in one row."""
    return np.concatenate(parts) if parts else np.zeros(0)
