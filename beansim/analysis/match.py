"""A match: two strategies at one table, played until it is clear which is better.

A block is one deal, played at every table that holds both strategies, in every order: with n seats
2**n - 2 games. Its value is the mean over these games of the win share per head of A less that of B.
The set of games stays the same when A and B change names, so a strategy against its own copy is even in
every single block, seat effects cancel, and neither one is favoured by being rare or common at the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from beansim.analysis.intervals import LEVEL, Sums
from beansim.analysis.sequential import Answer, SequentialTest, anytime_interval
from beansim.experiment import ArmPlan, Experiment, strategy_folders
from beansim.simulate.chunks import Chunk, growing_chunks
from beansim.simulate.contest import ContestTally
from beansim.simulate.looks import Ways, play_contest

FIRST_LOOK = 32
LOOK_SHARE = 16
"""The test looks after 32 deals, and then whenever a sixteenth has been added."""


@dataclass(frozen=True, kw_only=True)
class MatchPlan:
    """A match as asked for.

    Attributes:
        left, right: the strategies A and B, each as in a line-up.
        variant: rule set.
        players: seats at the table.
        test: margin and error probabilities.
        max_deals: give up undecided after so many deals.
        seed: fixes all luck.
    """

    left: str
    right: str
    variant: str = "base"
    players: int = 4
    test: SequentialTest = field(default_factory=lambda: SequentialTest(0.01))
    max_deals: int = 100_000
    seed: int = 1

    def experiment(self) -> Experiment:
        """The line-ups of the match as arms, each with one A more than the one before."""
        lineups = [
            (self.left,) * copies + (self.right,) * (self.players - copies)
            for copies in range(1, self.players)
        ]
        return Experiment(
            name="match",
            arms=tuple(ArmPlan(variant=self.variant, players=lineup) for lineup in lineups),
            seed=self.seed,
            deals=self.max_deals,
            seatings="permute",
            where="match",
            folders=strategy_folders(),
        )

    def looks(self) -> list[Chunk]:
        """The ranges of deals after which the test looks."""
        return growing_chunks(self.max_deals, FIRST_LOOK, LOOK_SHARE)


@dataclass(frozen=True)
class MatchState:
    """A match as it stands after a look.

    Attributes:
        plan: what was asked.
        tally: all deals so far.
    """

    plan: MatchPlan
    tally: ContestTally

    @property
    def sums(self) -> Sums:
        """Exact moments of the block values."""
        lineups = self.tally.lineups
        total, squares = (int(self.tally.arrays[name][0, 1]) for name in ("leads", "lead_squares"))
        return Sums(self.tally.blocks, total, squares, lineups.lead_units * int(lineups.meetings[0, 1]))

    @property
    def single_sums(self) -> Sums:
        """Moments as if every game were a block of its own, to show what the blocks are worth."""
        lineups, total = self.tally.lineups, int(self.tally.arrays["leads"][0, 1])
        games = self.tally.blocks * int(lineups.meetings[0, 1])
        return Sums(games, total, int(self.tally.arrays["lead_singles"][0, 1]), lineups.lead_units)

    @property
    def answer(self) -> Answer:
        """Whether A is better, as the test sees it."""
        return self.plan.test.answer(self.sums)

    @property
    def interval(self) -> tuple[float, float]:
        """Interval for the difference, valid at whatever deal the match stops."""
        return anytime_interval(self.sums, 1 - LEVEL)

    @property
    def llr_share(self) -> float:
        """LLR as a share of the bound it is nearer to in sign: 1 is "better", -1 "not better"."""
        llr, (low, high) = self.plan.test.llr(self.sums), self.plan.test.bounds
        return llr / high if llr >= 0 else -llr / low

    @property
    def games_left(self) -> float:
        """Expected number of games until the test stops, `max_deals` at most; NaN at first."""
        blocks = self.plan.test.blocks_left(self.sums)
        return min(blocks, self.plan.max_deals - self.tally.deals) * int(self.tally.lineups.games.sum())

    def mixtures(self) -> Iterator[tuple[int, Sums]]:
        """For each line-up the number of As in it, and the moments of A's lead over B there."""
        lineups, arrays = self.tally.lineups, self.tally.arrays
        for number, games in enumerate(lineups.games):
            total, squares = (int(arrays[name][number]) for name in ("lineup_leads", "lineup_lead_squares"))
            sums = Sums(self.tally.blocks, total, squares, lineups.lead_units * int(games))
            yield int(lineups.copies[number, 0]), sums


def same_strategy(plan: MatchPlan) -> bool:
    """Whether A and B are one and the same, so that every deal is even by symmetry; plays nothing."""
    left, right = plan.experiment().lineup(0)[:: plan.players - 1]
    return (left.label, left.digest) == (right.label, right.digest)


def play_match(plan: MatchPlan, ways: Ways | None = None) -> Iterator[MatchState]:
    """Play until the test has an answer or the deals are used up; yields the state after each look."""
    with closing(play_contest(plan.experiment(), plan.looks(), ways)) as tallies:
        for tally in tallies:
            state = MatchState(plan, tally)
            yield state
            if state.answer != "undecided":
                return


def match_data(state: MatchState) -> dict[str, Any]:
    """The state as plain data for JSON."""
    sums, (low, high), test = state.sums, state.interval, state.plan.test
    return {
        "schema": 1,
        "left": state.tally.lineups.strategies[0],
        "right": state.tally.lineups.strategies[1],
        "variant": state.plan.variant,
        "players": state.plan.players,
        "seed": state.plan.seed,
        "margin": test.margin,
        "alpha": test.alpha,
        "beta": test.beta,
        "answer": state.answer,
        "difference": sums.mean,
        "difference_low": low,
        "difference_high": high,
        "llr": test.llr(sums),
        "llr_bounds": list(test.bounds),
        "deals": state.tally.deals,
        "excluded": state.tally.excluded,
        "games": state.tally.games,
    }
