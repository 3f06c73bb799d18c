"""What an arm looks like to the statistics: metrics, groups of seats, shapes of the tallies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np

from beansim.errors import InputError
from beansim.simulate.packing import Ints

By: TypeAlias = Literal["strategy", "entry", "seat", "strategy_seat"]

WIN_UNITS = 420
"""Units of one whole win: the least common multiple of 1 to 7, so that every share is whole."""

SEAT_METRICS: tuple[str, ...] = (
    "win_units",
    "coins",
    "rank_halves",
    "margin",
    "hand_left",
    "harvests",
    "zero_harvests",
    "trades",
    "gifts_given",
    "gifts_got",
    "second_plants",
    "offers_refused",
    "offers_in_vain",
)
"""What is summed for every seat.

`rank_halves` is twice the mid-rank by coins (2 for a sole first; two who tie for first have rank 1.5, so 3).
`margin` is the coins less those of the best other seat. The rest are columns of `Batch.seats`.
"""

GAME_METRICS: tuple[str, ...] = (
    "turns",
    "deals",
    "gifts",
    "announcements",
    "proposals",
    "caps",
    "run_outs",
    "table_coins",
    "spread",
)
"""What is summed for every game; `run_out_turn_1`, `run_out_came_1`, ... follow for each run-out.

`table_coins` are the coins of all seats together, `spread` is what the seat with most has more than the one
with fewest. The rest are columns of `Batch.games`.
"""

COINS = 128
TURNS = 256
HAND = 64
"""Lengths of the histograms; the last bin also holds everything greater."""

PHASES = (2, 4)
"""Phases in which the draw pile can run out."""

EXAMPLES = 10
"""Errors told in full for each arm: the first ones by deal and seating."""

FULL_PAIRS = 16
"""Up to this many arms every pair is compared; with more, the first arm with each other one."""


@dataclass(frozen=True, slots=True)
class Group:
    """Seats that are summed within a block; the fields that do not apply are `None`."""

    by: By
    strategy: str | None = None
    entry: int | None = None
    seat: int | None = None


@dataclass(frozen=True)
class Layout:
    """What an arm looks like to the statistics. Two tallies merge only if their layouts are equal.

    Attributes:
        labels: the strategy of each entry of the line-up; equal labels are copies of one strategy.
        seatings: for each seating, the entry that sits in each seat.
        kinds: names of the kinds, in engine order.
        run_outs: the game ends on this run-out.
    """

    labels: tuple[str, ...]
    seatings: tuple[tuple[int, ...], ...]
    kinds: tuple[str, ...]
    run_outs: int

    def __post_init__(self) -> None:
        entries = list(range(len(self.labels)))
        if not self.seatings or any(sorted(seating) != entries for seating in self.seatings):
            raise InputError(
                f"seatings must each seat every entry once: {len(entries)} entries, {self.seatings}"
            )

    @property
    def players(self) -> int:
        """Seats at the table."""
        return len(self.labels)

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """Distinct labels, in the order of the line-up."""
        return tuple(dict.fromkeys(self.labels))

    @cached_property
    def families(self) -> tuple[tuple[Group, ...], ...]:
        """Groups that are compared with one another within a block, family by family."""
        seats = range(self.players)
        in_seat = [
            tuple(
                Group("strategy_seat", label, seat=seat)
                for label in self.strategies
                if self._sits(label, seat)
            )
            for seat in seats
        ]
        return (
            tuple(Group("strategy", label) for label in self.strategies),
            tuple(Group("entry", label, entry=entry) for entry, label in enumerate(self.labels)),
            tuple(Group("seat", seat=seat) for seat in seats),
            *in_seat,
        )

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All groups, in the order of the columns of the moments."""
        return tuple(group for family in self.families for group in family)

    @cached_property
    def game_metrics(self) -> tuple[str, ...]:
        """Names of the game's metrics, run-outs included."""
        numbers = range(1, self.run_outs + 1)
        turns = [f"run_out_turn_{number}" for number in numbers]
        return (*GAME_METRICS, *turns, *(f"run_out_came_{number}" for number in numbers))

    @cached_property
    def membership(self) -> Ints:
        """1 where a place belongs to a group, [seatings * seats, groups]."""
        places = [(seat, entry) for seating in self.seatings for seat, entry in enumerate(seating)]
        rows = [[int(self._belongs(group, seat, entry)) for group in self.groups] for seat, entry in places]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def weights(self) -> Ints:
        """Seats and games that one block value adds up, [groups]."""
        total: Ints = self.membership.sum(axis=0)
        return total

    @cached_property
    def pairs(self) -> dict[tuple[Group, Group], int]:
        """Column of the products for every pair within a family, in both orders."""
        columns: dict[tuple[Group, Group], int] = {}
        position = 0
        for family in self.families:
            for row, left in enumerate(family):
                for right in family[row:]:
                    columns[left, right] = columns[right, left] = position
                    position += 1
        return columns

    @cached_property
    def pair_columns(self) -> tuple[list[int], list[int]]:
        """The two groups of each column of the products, as columns of `groups`."""
        place = {group: column for column, group in enumerate(self.groups)}
        first = {column: pair for pair, column in reversed(self.pairs.items())}
        ordered = [first[column] for column in range(len(first))]
        return [place[left] for left, _ in ordered], [place[right] for _, right in ordered]

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every array of a tally, by name."""
        metrics, groups, games = len(SEAT_METRICS), len(self.groups), len(self.game_metrics)
        strategies, kinds = len(self.strategies), len(self.kinds)
        return {
            "sums": (metrics, groups),
            "products": (metrics, len(set(self.pairs.values()))),
            "singles": (metrics, groups),
            "game_sums": (games,),
            "game_products": (games, games),
            "game_singles": (games,),
            "coins": (strategies, self.players, COINS),
            "hand": (strategies, HAND),
            "rank_halves": (strategies, 2 * self.players + 1),
            "turns": (TURNS,),
            "deals": (TURNS,),
            "gifts": (TURNS,),
            "run_outs": (self.run_outs, len(PHASES), TURNS),
            "ends": (2,),
            "shared_wins": (1,),
            "caps": (1,),
            "harvests": (self.players, kinds, 100, 3),
            "trades": (kinds + 1, kinds + 1),
            "ahead": (strategies, strategies),
            "ahead_squares": (strategies, strategies),
        }

    def column(self, group: Group) -> int:
        """Column of a group in the moments; InputError when this arm has no such group."""
        if group not in self.groups:
            raise InputError(f"no such group in this arm: {group}")
        return self.groups.index(group)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; `from_dict` reads it back."""
        return {
            "labels": list(self.labels),
            "seatings": [list(seating) for seating in self.seatings],
            "kinds": list(self.kinds),
            "run_outs": self.run_outs,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Layout:
        """Build from plain data; InputError when it is not a layout."""
        try:
            seatings = tuple(tuple(int(entry) for entry in seating) for seating in data["seatings"])
            return _shared(
                cls(
                    tuple(map(str, data["labels"])),
                    seatings,
                    tuple(map(str, data["kinds"])),
                    int(data["run_outs"]),
                )
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"a tally's layout is damaged: {error!r}") from error

    def _sits(self, label: str, seat: int) -> bool:
        return any(self.labels[seating[seat]] == label for seating in self.seatings)

    def _belongs(self, group: Group, seat: int, entry: int) -> bool:
        return (
            group.strategy in (None, self.labels[entry])
            and group.entry in (None, entry)
            and group.seat in (None, seat)
        )


@lru_cache(64)
def _shared(layout: Layout) -> Layout:
    """The first of equal layouts: what it has worked out for one chunk serves them all."""
    return layout
