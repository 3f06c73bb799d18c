"""Tournaments: strategies that all meet one another, rated, with who beats whom.

Formats:
    round-robin: every mixture of the strategies that has at least two of them (or, without copies, every
        choice of as many as there are seats).
    one-against-all: each strategy alone against copies of each other one.
    gauntlet: the first strategy alone against every mixture of the others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from beansim.analysis.comparisons import Comparison, adjust
from beansim.analysis.cycles import find_cycles
from beansim.analysis.estimates import difference_estimate
from beansim.analysis.intervals import Estimate, Sums, p_value, share_interval, t_interval
from beansim.analysis.metrics import SEAT
from beansim.errors import InputError, unknown
from beansim.experiment import ArmPlan, Experiment, check_labels, seat, short_lineup, strategy_folders
from beansim.simulate.chunks import Chunk
from beansim.simulate.contest import ContestTally
from beansim.simulate.layout import WIN_UNITS, Group
from beansim.simulate.looks import Ways, play_contest

Lineup: TypeAlias = tuple[str, ...]

MOST_LINEUPS = 5000
"""More line-ups than this are more than anyone waits for."""

LOOK_GAMES = 16_384
"""Games after which what is played so far can be shown."""


@dataclass(frozen=True, kw_only=True)
class TournamentPlan:
    """A tournament as asked for.

    Attributes:
        strategies: at least two, each as in a line-up.
        format: one of `FORMATS`.
        copies: whether line-ups of a round robin may hold a strategy more than once.
        variant: rule set.
        players: seats at the table.
        seatings: how a line-up is seated (`experiment.SEATING_MODES`).
        deals: deals that every line-up plays.
        seed: fixes all luck.
    """

    strategies: tuple[str, ...]
    format: str = "round-robin"
    copies: bool = True
    variant: str = "base"
    players: int = 4
    seatings: str = "rotate"
    deals: int = 500
    seed: int = 1

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise unknown("format", self.format, FORMATS)
        if len(self.strategies) < 2:
            raise InputError("a tournament needs at least two strategies")
        for number, spec in enumerate(self.strategies):
            if spec in self.strategies[:number]:
                raise InputError(f"{spec!r} takes part twice")
        if not self.copies and self.format == "round-robin" and len(self.strategies) < self.players:
            raise InputError(
                f"without copies, {self.players} seats need at least {self.players} strategies, "
                f"got {len(self.strategies)}"
            )

    def experiment(self) -> Experiment:
        """The line-ups as arms; InputError when there are too many of them."""
        lineups = FORMATS[self.format](self)
        if len(lineups) > MOST_LINEUPS:
            raise InputError(
                f"{len(self.strategies)} strategies at tables of {self.players} give {len(lineups):,} "
                f"line-ups, at most {MOST_LINEUPS:,} are played; leave some out, or use --no-copies or "
                "--format one-against-all"
            )
        self._check_different()
        arms = [ArmPlan(variant=self.variant, players=one, name=short_lineup(one)) for one in lineups]
        return Experiment(
            name="tournament",
            arms=tuple(arms),
            seed=self.seed,
            deals=self.deals,
            seatings=self.seatings,
            where="tournament",
            folders=strategy_folders(),
        )

    @property
    def games(self) -> int:
        """Games in all."""
        lineups = FORMATS[self.format](self)
        return self.deals * sum(len(seat(lineup, self.seatings)) for lineup in lineups)

    def _check_different(self) -> None:
        """Two ways to write one strategy would be copies of it."""
        from beansim.strategy import load

        entrants = [load(spec, strategy_folders()) for spec in self.strategies]
        check_labels("tournament", entrants)
        seen: dict[str, str] = {}
        for spec, entrant in zip(self.strategies, entrants, strict=True):
            label = entrant.label
            if label in seen:
                raise InputError(
                    f"{seen[label]!r} and {spec!r} are one strategy, {label}; it takes part twice"
                )
            seen[label] = spec


def _round_robin(plan: TournamentPlan) -> list[Lineup]:
    if not plan.copies:
        return list(itertools.combinations(plan.strategies, plan.players))
    mixtures = itertools.combinations_with_replacement(plan.strategies, plan.players)
    return [mixture for mixture in mixtures if len(set(mixture)) > 1]


def _one_against_all(plan: TournamentPlan) -> list[Lineup]:
    pairs = itertools.permutations(plan.strategies, 2)
    return [(one, *(other,) * (plan.players - 1)) for one, other in pairs]


def _gauntlet(plan: TournamentPlan) -> list[Lineup]:
    first, *others = plan.strategies
    mixtures = itertools.combinations_with_replacement(others, plan.players - 1)
    return [(first, *mixture) for mixture in mixtures]


FORMATS: dict[str, Callable[[TournamentPlan], list[Lineup]]] = {
    "round-robin": _round_robin,
    "one-against-all": _one_against_all,
    "gauntlet": _gauntlet,
}


def play_tournament(plan: TournamentPlan, ways: Ways | None = None) -> Iterator[ContestTally]:
    """Play all deals; yields the tally so far now and then, the whole one last."""
    experiment = plan.experiment()
    size = max(1, LOOK_GAMES // (len(experiment.arms) * plan.players))
    starts = range(0, plan.deals, size)
    looks = [Chunk(number, first, min(size, plan.deals - first)) for number, first in enumerate(starts)]
    with closing(play_contest(experiment, looks, ways)) as tallies:
        yield from tallies


# --- standings -----------------------------------------------------------------------------------


def win_share(tally: ContestTally, strategy: int) -> Estimate:
    """Mean win share of a seat of a strategy over all its games, with its interval."""
    total, squares = (int(tally.arrays[name][strategy]) for name in ("wins", "win_squares"))
    seats = _seats(tally, strategy)
    sums = Sums(tally.blocks, total, squares, seats * WIN_UNITS)
    low, high, method = share_interval(sums, tally.blocks * seats)
    return Estimate(sums.mean, low, high, sums.error, math.nan, sums.blocks, tally.blocks * seats, method)


def coins(tally: ContestTally, strategy: int) -> Estimate:
    """Mean coins of a seat of a strategy over all its games, with its interval."""
    total, squares = (int(tally.arrays[name][strategy]) for name in ("coins", "coin_squares"))
    sums = Sums(tally.blocks, total, squares, _seats(tally, strategy))
    low, high, method = t_interval(sums)
    games = tally.blocks * sums.divisor
    return Estimate(sums.mean, low, high, sums.error, math.nan, sums.blocks, games, method)


def _seats(tally: ContestTally, strategy: int) -> int:
    """Seats that a strategy has in the games of one deal."""
    return int(tally.lineups.games @ tally.lineups.copies[:, strategy])


def head_to_head(tally: ContestTally) -> list[Comparison]:
    """The lead of each strategy over each later one where both sit at the table; Holm over all pairs."""
    pairs = itertools.combinations(range(len(tally.lineups.strategies)), 2)
    return adjust([_meeting(tally, *pair) for pair in pairs if tally.lineups.meetings[pair]])


def _meeting(tally: ContestTally, left: int, right: int) -> Comparison:
    games = int(tally.lineups.meetings[left, right])
    total, squares, singles = (
        int(tally.arrays[name][left, right]) for name in ("leads", "lead_squares", "lead_singles")
    )
    sums = Sums(tally.blocks, total, squares, games * tally.lineups.lead_units)
    plain = Sums(tally.blocks * games, total, singles, tally.lineups.lead_units).error
    found = difference_estimate(sums, plain, tally.blocks * games)
    one, other = (Group("strategy", tally.lineups.strategies[side]) for side in (left, right))
    return Comparison(SEAT["win_share"], one, other, None, found, p_value(found))


def beats(tally: ContestTally, meetings: list[Comparison]) -> NDArray[np.bool_]:
    """Whether a strategy leads another one beyond doubt (Holm over all pairs), [strategies, strategies]."""
    names = tally.lineups.strategies
    found = np.zeros((len(names), len(names)), dtype=np.bool_)
    for one in meetings:
        assert isinstance(one.left, Group)
        assert isinstance(one.right, Group)
        if one.settled and one.left.strategy and one.right.strategy:
            left, right = names.index(one.left.strategy), names.index(one.right.strategy)
            winner, loser = (left, right) if one.estimate.mean > 0 else (right, left)
            found[winner, loser] = True
    return found


def cycles(tally: ContestTally, meetings: list[Comparison]) -> list[tuple[str, ...]]:
    """Cycles in who beats whom beyond doubt, by name."""
    names = tally.lineups.strategies
    return [tuple(names[number] for number in cycle) for cycle in find_cycles(beats(tally, meetings))]
