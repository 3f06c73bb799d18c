"""What a contest is reduced to: who wins at which table, and who leads whom where they meet.

A contest (a match or a tournament) plays several line-ups on the same deals: the arms of an experiment,
each a mixture of the same few strategies. It needs less than a report does, of many more arms:
`ContestTally` holds only that.

A *lead* of strategy i over strategy j is the win share per head of i less that of j, at a table where both
sit. A block value is the mean lead over all games of a deal at such lineups.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from beansim.errors import InputError
from beansim.simulate.blocks import Rows
from beansim.simulate.layout import EXAMPLES, WIN_UNITS, Layout
from beansim.simulate.packing import Covered, Ints, add, join_ranges
from beansim.simulate.tallies import ArmBatch, error_counts

ARRAYS = (
    "wins",
    "win_squares",
    "win_products",
    "lineup_wins",
    "lineup_squares",
    "coins",
    "coin_squares",
    "leads",
    "lead_squares",
    "lead_singles",
    "lineup_leads",
    "lineup_lead_squares",
)


@dataclass(frozen=True)
class Lineups:
    """The line-ups of a contest: who sits where.

    Attributes:
        layouts: the arms, in their order.
    """

    layouts: tuple[Layout, ...]

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """Every strategy, in the order of first appearance."""
        return tuple(dict.fromkeys(label for layout in self.layouts for label in layout.strategies))

    @cached_property
    def copies(self) -> Ints:
        """How many seats a strategy has in a line-up, [line-ups, strategies]."""
        return np.array(
            [[layout.labels.count(label) for label in self.strategies] for layout in self.layouts]
        )

    @cached_property
    def games(self) -> Ints:
        """Games of a deal with each line-up, [line-ups]."""
        return np.array([len(layout.seatings) for layout in self.layouts])

    @cached_property
    def meetings(self) -> Ints:
        """Games of a deal in which both sit at the table, [strategies, strategies]; 0 on the diagonal."""
        there = (self.copies > 0).astype(np.int64)
        both: Ints = (there * self.games[:, None]).T @ there
        np.fill_diagonal(both, 0)
        return both

    @cached_property
    def heads(self) -> int:
        """Least common multiple of the numbers of copies, so that wins per head stay whole."""
        return math.lcm(*(int(number) for number in np.unique(self.copies[self.copies > 0])))

    @property
    def lead_units(self) -> int:
        """Units of a lead of one whole win per head in one game."""
        return WIN_UNITS * self.heads


@dataclass(frozen=True, slots=True)
class LineupErrors:
    """Games of one line-up that ended with an error, as in `Tally`."""

    errors: Mapping[tuple[int, int, int], int]
    examples: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class ContestTally(Covered):
    """A range of deals of a contest, in exact integers.

    Attributes:
        lineups: who sits where.
        ranges: deals covered, as sorted, disjoint (first, past the last).
        games: games played, those of excluded deals too.
        excluded: deals left out everywhere because a game of any line-up ended with an error.
        arrays: int64 arrays over the deals that are not excluded. Of block values over all line-ups:
            `wins`, `win_squares` [strategies] and `win_products` [strategies, strategies] in units of 1/420
            win; `coins`, `coin_squares` [strategies]; `leads`, `lead_squares` [strategies, strategies] in
            `lead_units`, and `lead_singles`, the sum of squares over single games. For each line-up:
            `lineup_wins`, `lineup_squares` [line-ups, strategies]; `lineup_leads`, `lineup_lead_squares`
            [line-ups] of its first strategy over its second one.
        errors: for each line-up, games that ended with an error by (status, entry, hook).
        examples: for each line-up, the first errors as in `Tally`.
    """

    lineups: Lineups
    ranges: tuple[tuple[int, int], ...]
    games: int
    excluded: int
    arrays: Mapping[str, Ints]
    errors: tuple[Mapping[tuple[int, int, int], int], ...]
    examples: tuple[tuple[tuple[int, ...], ...], ...]

    @classmethod
    def empty(cls, layouts: Sequence[Layout]) -> ContestTally:
        """The tally of no deal at all: the zero of `+`."""
        lineups = Lineups(tuple(layouts))
        arrays = {name: np.zeros(shape, dtype=np.int64) for name, shape in _shapes(lineups).items()}
        return cls(lineups, (), 0, 0, arrays, ({},) * len(layouts), ((),) * len(layouts))

    @classmethod
    def of(cls, batches: Sequence[ArmBatch]) -> ContestTally:
        """Reduce every line-up's batch for the same range of deals (ValueError when the deals differ)."""
        lineups = Lineups(tuple(batch.layout for batch in batches))
        all_rows = [Rows.of(batch.layout, batch.games, batch.seats) for batch in batches]
        if len({(rows.first_deal, rows.deals) for rows in all_rows}) != 1:
            raise ValueError("all line-ups must be tallied over the same deals")
        fine = np.logical_and.reduce([rows.fine for rows in all_rows])
        first, deals = all_rows[0].first_deal, len(fine)
        counted = [error_counts(rows.layout, rows.games) for rows in all_rows]
        return cls(
            lineups,
            ((first, first + deals),) if deals else (),
            sum(len(batch.games) for batch in batches),
            deals - int(fine.sum()),
            _arrays(lineups, all_rows, fine),
            tuple(errors for errors, _ in counted),
            tuple(examples for _, examples in counted),
        )

    @property
    def arms(self) -> tuple[LineupErrors, ...]:
        """Errors of each line-up."""
        return tuple(map(LineupErrors, self.errors, self.examples))

    @property
    def failures(self) -> int:
        """Games that ended with an error."""
        return sum(sum(errors.values()) for errors in self.errors)

    def __add__(self, other: ContestTally) -> ContestTally:
        """Merge two disjoint ranges; exact, commutative and associative."""
        if self.lineups != other.lineups:
            raise InputError("cannot merge tallies of different contests")
        return ContestTally(
            self.lineups,
            join_ranges(self.ranges, other.ranges),
            self.games + other.games,
            self.excluded + other.excluded,
            {name: add(values, other.arrays[name], name) for name, values in self.arrays.items()},
            tuple(_added(mine, theirs) for mine, theirs in zip(self.errors, other.errors, strict=True)),
            tuple(
                tuple(sorted((*mine, *theirs))[:EXAMPLES])
                for mine, theirs in zip(self.examples, other.examples, strict=True)
            ),
        )


def _added(
    left: Mapping[tuple[int, int, int], int], right: Mapping[tuple[int, int, int], int]
) -> dict[tuple[int, int, int], int]:
    return {key: left.get(key, 0) + right.get(key, 0) for key in sorted({*left, *right})}


def _shapes(lineups: Lineups) -> dict[str, tuple[int, ...]]:
    m, t = len(lineups.strategies), len(lineups.layouts)
    single = dict.fromkeys(("wins", "win_squares", "coins", "coin_squares"), (m,))
    double = dict.fromkeys(("win_products", "leads", "lead_squares", "lead_singles"), (m, m))
    each = dict.fromkeys(("lineup_wins", "lineup_squares"), (t, m))
    first = dict.fromkeys(("lineup_leads", "lineup_lead_squares"), (t,))
    shapes = {**single, **double, **each, **first}
    return {name: shapes[name] for name in ARRAYS}


def _arrays(lineups: Lineups, batches: Sequence[Rows], fine: NDArray[np.bool_]) -> dict[str, Ints]:
    """Sums over the fine deals, one by one, so that no array over all line-ups and deals is needed."""
    found = {name: np.zeros(shape, dtype=np.int64) for name, shape in _shapes(lineups).items()}
    deals, many = int(fine.sum()), len(lineups.strategies)
    wins, coins = np.zeros((2, deals, many), dtype=np.int64)
    leads = np.zeros((deals, many, many), dtype=np.int64)
    for number, rows in enumerate(batches):
        own = [lineups.strategies.index(label) for label in rows.layout.strategies]
        games = _by_strategy(rows, "win_units", fine)
        wins[:, own] += _add_wins(found, number, own, games)
        coins[:, own] += _by_strategy(rows, "coins", fine).sum(axis=1)
        heads = games * (lineups.heads // lineups.copies[number, own])
        leads[:, np.array(own)[:, None], own] += _add_leads(found, number, own, heads)
    for name, values in (("win", wins), ("coin", coins), ("lead", leads)):
        found[f"{name}s"], found[f"{name}_squares"] = values.sum(axis=0), np.square(values).sum(axis=0)
    found["win_products"] = wins.T @ wins
    return found


def _by_strategy(rows: Rows, column: str, fine: NDArray[np.bool_]) -> Ints:
    """A column added up over the seats of each strategy, [deals, seatings, strategies of the line-up]."""
    # The first groups of a layout are its strategies.
    own = len(rows.layout.strategies)
    member = rows.layout.membership[:, :own].reshape(*rows.seats.shape[1:], own)
    found: Ints = np.einsum("dsn,snk->dsk", rows.seats[column][fine].astype(np.int64), member)
    return found


def _add_wins(found: dict[str, Ints], number: int, own: list[int], games: Ints) -> Ints:
    """Add a line-up's wins; returns their block values, [deals, strategies of the line-up]."""
    blocks: Ints = games.sum(axis=1)
    found["lineup_wins"][number, own] = blocks.sum(axis=0)
    found["lineup_squares"][number, own] = np.square(blocks).sum(axis=0)
    return blocks


def _add_leads(found: dict[str, Ints], number: int, own: list[int], heads: Ints) -> Ints:
    """Add a line-up's leads; returns their block values, [deals, strategies of the line-up twice]."""
    leads = heads[..., :, None] - heads[..., None, :]
    found["lead_singles"][np.ix_(own, own)] += np.square(leads).sum(axis=(0, 1))
    blocks: Ints = leads.sum(axis=1)
    if len(own) > 1:
        found["lineup_leads"][number] = blocks[:, 0, 1].sum()
        found["lineup_lead_squares"][number] = np.square(blocks[:, 0, 1]).sum()
    return blocks
