"""Exact integer tallies: what a range of deals is reduced to, and how two ranges are merged.

A report never reads the games. Everything it needs is counted here, in integers, so that the sum
over chunks is exact and does not depend on the order of merging, the size of the batches or the
number of jobs. Means, variances and intervals are made once, at the end, by `beansim.analysis`.

Words: a *group* is a set of seats whose values are added up within a block (every seat of a strategy,
one seat at the table, one entry of the line-up, a strategy in one seat). A *block value* is that
sum over all seatings of one deal: an integer, whose mean per seat and game is `sum / (deals * weight)`.

Deals in which a game ended with an error (`status` is not 0) count in `excluded` and in the table of errors,
and in nothing else; their harvests and deals are whatever the batch's own tables contain.
Between arms, moments run over the deals in which every arm is fine (`CrossTally`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from beansim.errors import InputError
from beansim.simulate.blocks import Blocks, Table
from beansim.simulate.layout import EXAMPLES, FULL_PAIRS, PHASES, SEAT_METRICS, TURNS, Group, Layout
from beansim.simulate.packing import (
    Covered,
    Ints,
    add,
    dense,
    get,
    join_ranges,
    pack,
    read_covered,
    rows,
    unpack,
    whole,
)

__all__ = [
    "ArmBatch",
    "Blocks",
    "CrossKey",
    "CrossTally",
    "Group",
    "Layout",
    "Tallies",
    "Tally",
    "common_keys",
    "cross_keys",
    "cross_pairs",
]

TALLY_FORMAT = 3
"""Version of the tallies as stored; raised when their meaning changes."""

EXACT = 2**53
"""Whole numbers below this are exact in float64, in whatever order a BLAS adds them."""

PART = 1024
"""Deals that are multiplied at a time: few enough to stay in the processor's cache."""


Floats: TypeAlias = NDArray[np.float64]
"""Whole numbers below 2**53."""


@dataclass(frozen=True, slots=True)
class ArmBatch:
    """What is tallied of one arm's batch: its layout and the arrays of `Batch` (docs/architecture.md)."""

    layout: Layout
    games: NDArray[Any]
    seats: NDArray[Any]
    harvests: NDArray[Any]
    trades: NDArray[Any]


@dataclass(frozen=True)
class Tally(Covered):
    """Everything a report needs to know of a range of deals of one arm, in exact integers.

    Attributes:
        layout: the arm's layout.
        ranges: deals covered, as sorted, disjoint (first, past the last).
        games: games played, those of excluded deals too.
        excluded: deals left out because one of their games ended with an error.
        arrays: int64 arrays by name, of the shapes of `Layout.shapes`: `sums`, `products` (of block
            values, by `Layout.pairs`), `singles` (sum of squares over single games); the same for game
            metrics (`game_products` is a full matrix); histograms `coins` [strategy, seat, coins],
            `hand`, `rank_halves`, `turns`, `deals`, `gifts`, `run_outs` [number, phase, turn], `ends`;
            `shared_wins` (games with more than one winner), `caps` (games in which a market cap bit);
            `harvests` [entry, kind, cards, why]; `trades` [kind given, kind got]; `ahead` [strategy, other
            strategy], over all pairs of their seats 2 where the one ended with more coins and 1 where both
            had as many, and `ahead_squares`, the sum of the squares of its block values.
        errors: games that ended with an error, by (status, entry, hook); entry -1 when no seat is to blame.
        examples: the first errors as (deal, seating, status, seat, hook, answer, turn).
    """

    layout: Layout
    ranges: tuple[tuple[int, int], ...]
    games: int
    excluded: int
    arrays: Mapping[str, Ints]
    errors: Mapping[tuple[int, int, int], int] = field(default_factory=dict)
    examples: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def empty(cls, layout: Layout) -> Tally:
        """The tally of no deal at all: the zero of `+`."""
        arrays = {name: np.zeros(shape, dtype=np.int64) for name, shape in layout.shapes.items()}
        return cls(layout, (), 0, 0, arrays)

    @classmethod
    def of(
        cls,
        layout: Layout,
        games: NDArray[Any],
        seats: NDArray[Any],
        harvests: NDArray[Any],
        trades: NDArray[Any],
        *,
        blocks: Blocks | None = None,
    ) -> Tally:
        """Reduce one arm's batch of consecutive deals.

        Args:
            layout: the arm's layout.
            games: `Batch.games`, ordered by deal, then seating.
            seats: `Batch.seats`, ordered by deal, seating and seat.
            harvests: `Batch.harvests`, [entries, kinds, 100, 3].
            trades: `Batch.trades`, [kinds + 1, kinds + 1].
            blocks: `Blocks.of` the same batch, if it is at hand (`CrossTally` needs it too).
        """
        blocks = blocks or Blocks.of(layout, games, seats)
        table = blocks.table
        arrays = {**_moments(blocks), **_singles(table), **_histograms(table), **_ahead(table)}
        arrays["harvests"] = np.asarray(harvests, dtype=np.int64)
        arrays["trades"] = np.asarray(trades, dtype=np.int64)
        errors, examples = error_counts(layout, table.games)
        ranges = ((table.first_deal, table.first_deal + table.deals),) if table.deals else ()
        excluded = table.deals - int(table.fine.sum())
        return cls(layout, ranges, len(games), excluded, _checked(arrays, layout), errors, examples)

    def __add__(self, other: Tally) -> Tally:
        """Merge two disjoint ranges; exact, commutative and associative."""
        if self.layout != other.layout:
            raise InputError("cannot merge tallies of different arms")
        errors = dict(self.errors)
        for key, count in other.errors.items():
            errors[key] = errors.get(key, 0) + count
        return Tally(
            self.layout,
            join_ranges(self.ranges, other.ranges),
            self.games + other.games,
            self.excluded + other.excluded,
            {name: add(values, other.arrays[name], name) for name, values in self.arrays.items()},
            dict(sorted(errors.items())),
            tuple(sorted((*self.examples, *other.examples))[:EXAMPLES]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain integers, lists and strings for JSON; `from_dict` reads it back."""
        return {
            "layout": self.layout.to_dict(),
            "ranges": [list(pair) for pair in self.ranges],
            "games": self.games,
            "excluded": self.excluded,
            "arrays": {name: pack(values) for name, values in self.arrays.items()},
            "errors": [[*key, count] for key, count in self.errors.items()],
            "examples": [list(example) for example in self.examples],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tally:
        """Build from plain data; InputError when anything in it is missing, mistyped or misshapen."""
        layout = Layout.from_dict(get(data, "layout", dict))
        packed = get(data, "arrays", dict)
        arrays = {name: unpack(packed, name, shape) for name, shape in layout.shapes.items()}
        errors = {(row[0], row[1], row[2]): row[3] for row in rows(data, "errors", 4)}
        ranges, excluded = read_covered(data)
        return cls(
            layout,
            ranges,
            whole(data, "games"),
            excluded,
            arrays,
            errors,
            tuple(rows(data, "examples", 7)),
        )


def _moments(blocks: Blocks) -> dict[str, Ints]:
    """Sums and sums of products of block values over the fine deals."""
    layout = blocks.layout
    values, games = blocks.fine_values, blocks.fine_game_values
    rows, columns = layout.pair_columns
    return {
        "sums": values.sum(axis=1).astype(np.int64),
        "products": _gram(values)[:, rows, columns],
        "game_sums": games.sum(axis=0).astype(np.int64),
        "game_products": _gram(games[None])[0],
    }


def _gram(values: Floats) -> Ints:
    """Sums over deals of all products of two columns: [m, deals, g] -> [m, g, g], exact."""
    total = np.zeros((values.shape[0], values.shape[2], values.shape[2]), dtype=np.int64)
    for start, past in _exact_cuts(values.shape[1], _peak(values) ** 2):
        part = values[:, start:past]
        total += (part.transpose(0, 2, 1) @ part).astype(np.int64)
    return total


def _dot(left: Floats, right: Floats) -> Ints:
    """Sums over deals of the products of the same column: [deals, q] twice -> [q], exact."""
    total = np.zeros(left.shape[1], dtype=np.int64)
    for start, past in _exact_cuts(len(left), _peak(left) * _peak(right)):
        total += np.einsum("dq,dq->q", left[start:past], right[start:past]).astype(np.int64)
    return total


def _peak(values: Floats) -> int:
    return int(max(values.max(initial=1.0), -values.min(initial=-1.0)))


def _exact_cuts(deals: int, largest: int) -> Iterator[tuple[int, int]]:
    """Cut the deals so that no sum of products, none above `largest`, reaches 2**53."""
    length = max(1, min(PART, EXACT // (largest + 1)))
    for start in range(0, deals, length):
        yield start, min(start + length, deals)


def _singles(table: Table) -> dict[str, Ints]:
    """Sums of squares over single games, for the standard error that ignores the blocks."""
    values = table.seat_values[:, table.fine].astype(np.int64)
    places = np.square(values).sum(axis=1).reshape(len(SEAT_METRICS), -1)
    games = table.game_values[table.fine].astype(np.int64)
    return {"singles": places @ table.layout.membership, "game_singles": np.square(games).sum(axis=(0, 1))}


def _histograms(table: Table) -> dict[str, Ints]:
    layout, games = table.layout, table.games[table.fine]
    numbers = [layout.strategies.index(label) for label in layout.labels]
    strategy = np.array(numbers)[np.array(layout.seatings)]
    seat = np.broadcast_to(np.arange(layout.players), strategy.shape)
    values = {name: table.seat_values[row][table.fine] for row, name in enumerate(SEAT_METRICS)}
    found = {
        "coins": _count((strategy, seat, values["coins"]), layout.shapes["coins"]),
        "hand": _count((strategy, values["hand_left"]), layout.shapes["hand"]),
        "rank_halves": _count((strategy, values["rank_halves"]), layout.shapes["rank_halves"]),
        "ends": _count((games["end"],), layout.shapes["ends"]),
        "run_outs": _run_outs(layout, games),
        "shared_wins": np.array([(games["winners"] & (games["winners"] - 1) != 0).sum()]),
        "caps": np.array([(games["caps"] > 0).sum()]),
    }
    return {**found, **{name: _count((games[name],), (TURNS,)) for name in ("turns", "deals", "gifts")}}


def _ahead(table: Table) -> dict[str, Ints]:
    """Head to head by coins: sums and sums of squares of block values for each two strategies."""
    layout = table.layout
    coins = table.seat_values[SEAT_METRICS.index("coins")][table.fine]
    # Every entry in its own column, whatever seat it took.
    seat_of = np.argsort(np.array(layout.seatings), axis=1)
    by_entry = np.take_along_axis(coins, seat_of[None], axis=2)
    owner = [layout.strategies.index(label) for label in layout.labels]
    blocks = np.zeros((len(coins), *layout.shapes["ahead"]), dtype=np.int64)
    for one, two in permutations(range(layout.players), 2):
        if owner[one] != owner[two]:
            mine, other = by_entry[..., one], by_entry[..., two]
            halves = 2 * (mine > other) + (mine == other)
            blocks[:, owner[one], owner[two]] += halves.sum(axis=1)
    return {"ahead": blocks.sum(axis=0), "ahead_squares": (blocks * blocks).sum(axis=0)}


def _count(keys: Sequence[NDArray[Any]], shape: tuple[int, ...]) -> Ints:
    """Histogram over several whole-number keys that broadcast; values beyond the end go to the last bin."""
    index: NDArray[Any] = np.zeros((), dtype=np.int64)
    for key, size in zip(keys, shape, strict=True):
        index = index * size + np.clip(key, 0, size - 1).astype(np.int64)
    return np.bincount(index.ravel(), minlength=int(np.prod(shape))).reshape(shape)


def _run_outs(layout: Layout, games: NDArray[Any]) -> Ints:
    found = np.zeros(layout.shapes["run_outs"], dtype=np.int64)
    for number in range(layout.run_outs):
        turn = games["run_out_turn"][..., number]
        phase = games["run_out_phase"][..., number]
        came = turn > 0
        found[number] = _count((phase[came] == PHASES[1], turn[came]), found.shape[1:])
    return found


def error_counts(
    layout: Layout, games: NDArray[Any]
) -> tuple[dict[tuple[int, int, int], int], tuple[tuple[int, ...], ...]]:
    """Errors of an arm's games, counted by (status, entry, hook), and the first ones in full (`Tally`)."""
    bad = games[games["status"] != 0]
    counts: dict[tuple[int, int, int], int] = {}
    for game in bad:
        seat = int(game["error_seat"])
        entry = layout.seatings[int(game["seating"])][seat] if seat >= 0 else -1
        key = (int(game["status"]), entry, int(game["error_hook"]))
        counts[key] = counts.get(key, 0) + 1
    names = ("deal", "seating", "status", "error_seat", "error_hook", "error_answer", "turns")
    examples = sorted(tuple(int(game[name]) for name in names) for game in bad)[:EXAMPLES]
    return dict(sorted(counts.items())), tuple(examples)


def _checked(arrays: dict[str, Ints], layout: Layout) -> dict[str, Ints]:
    for name, shape in layout.shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has shape {arrays[name].shape}, expected {shape}")
    return {name: arrays[name] for name in layout.shapes}


CrossKey: TypeAlias = tuple[str, Group | None]
"""A metric and its group; the group is `None` for the metrics of a game."""


@lru_cache(64)
def cross_keys(layout: Layout) -> tuple[CrossKey, ...]:
    """What of an arm is compared with other arms: strategies, entries and seats, and the game's metrics."""
    groups = [group for group in layout.groups if group.by != "strategy_seat"]
    seats = [(metric, _place(group)) for metric in SEAT_METRICS for group in groups]
    return (*seats, *((metric, None) for metric in layout.game_metrics))


def _place(group: Group) -> Group:
    """An entry is compared with the same entry of another arm whatever its strategy is called there."""
    return Group("entry", entry=group.entry) if group.by == "entry" else group


def cross_pairs(arms: int) -> tuple[tuple[int, int], ...]:
    """The pairs of arms that are compared."""
    firsts = range(arms) if arms <= FULL_PAIRS else range(min(arms, 1))
    return tuple((left, right) for left in firsts for right in range(left + 1, arms))


@dataclass(frozen=True)
class CrossTally(Covered):
    """Moments between arms over the deals in which every arm is fine.

    Attributes:
        layouts: the arms, in the order of the experiment.
        ranges: deals covered.
        excluded: deals in which at least one arm had a game with an error; they are in no moment.
        sums: for each arm, int64 [keys of `cross_keys`], sum of block values.
        squares: the same for squares.
        products: for each of `cross_pairs`, int64 [common keys in the order of the first arm].
    """

    layouts: tuple[Layout, ...]
    ranges: tuple[tuple[int, int], ...]
    excluded: int
    sums: tuple[Ints, ...]
    squares: tuple[Ints, ...]
    products: tuple[Ints, ...]

    @classmethod
    def empty(cls, layouts: Sequence[Layout]) -> CrossTally:
        """The tally of no deal at all."""
        own = tuple(np.zeros(len(cross_keys(layout)), dtype=np.int64) for layout in layouts)
        pairs = (common_keys(layouts[left], layouts[right]) for left, right in cross_pairs(len(layouts)))
        between = tuple(np.zeros(len(keys), dtype=np.int64) for keys in pairs)
        return cls(tuple(layouts), (), 0, own, own, between)

    @classmethod
    def of(cls, blocks: Sequence[Blocks]) -> CrossTally:
        """Reduce the block values of all arms for the same deals (ValueError when the deals differ)."""
        if len({(part.first_deal, len(part.fine)) for part in blocks}) != 1:
            raise ValueError("arms must be tallied over the same deals")
        fine = np.logical_and.reduce([part.fine for part in blocks])
        layouts = tuple(part.layout for part in blocks)
        values = [_cross_values(part, fine) for part in blocks]
        first, deals = blocks[0].first_deal, len(fine)
        return cls(
            layouts,
            ((first, first + deals),) if deals else (),
            deals - int(fine.sum()),
            tuple(part.sum(axis=0).astype(np.int64) for part in values),
            tuple(_dot(part, part) for part in values),
            tuple(_cross_products(layouts, values, pair) for pair in cross_pairs(len(layouts))),
        )

    def __add__(self, other: CrossTally) -> CrossTally:
        """Merge two disjoint ranges; exact, commutative and associative."""
        if self.layouts != other.layouts:
            raise InputError("cannot merge cross tallies of different arms")

        def added(name: str) -> tuple[Ints, ...]:
            both = zip(getattr(self, name), getattr(other, name), strict=True)
            return tuple(add(mine, theirs, name) for mine, theirs in both)

        ranges = join_ranges(self.ranges, other.ranges)
        excluded = self.excluded + other.excluded
        return CrossTally(self.layouts, ranges, excluded, added("sums"), added("squares"), added("products"))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON (without the layouts, which the arms' tallies hold)."""
        lists = {
            name: [part.tolist() for part in getattr(self, name)] for name in ("sums", "squares", "products")
        }
        return {"ranges": [list(pair) for pair in self.ranges], "excluded": self.excluded, **lists}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], layouts: Sequence[Layout]) -> CrossTally:
        """Build from plain data and the arms' layouts; InputError when damaged."""
        zero = cls.empty(layouts)

        def read(name: str) -> tuple[Ints, ...]:
            parts, expected = get(data, name, list), getattr(zero, name)
            if len(parts) != len(expected):
                raise InputError(
                    f"a cross tally is damaged: {name} has {len(parts)} parts, expected {len(expected)}"
                )
            return tuple(dense(part, name, like.shape) for part, like in zip(parts, expected, strict=True))

        return cls(zero.layouts, *read_covered(data), read("sums"), read("squares"), read("products"))


@lru_cache(64)
def common_keys(left: Layout, right: Layout) -> tuple[CrossKey, ...]:
    """Keys that both arms have, in the order of the left one."""
    known = set(cross_keys(right))
    return tuple(key for key in cross_keys(left) if key in known)


def _cross_values(blocks: Blocks, fine: NDArray[np.bool_]) -> Floats:
    """Block values of the fine deals in the order of `cross_keys`, [deals, keys]."""
    # The families before those of a strategy in a seat are strategies, entries and seats.
    width = sum(len(family) for family in blocks.layout.families[:3])
    seats = np.moveaxis(blocks.values[..., :width], 0, 1).reshape(len(fine), len(SEAT_METRICS) * width)
    both = np.concatenate([seats, blocks.game_values], axis=1)
    return both if fine.all() else both[fine]


def _cross_products(layouts: Sequence[Layout], values: Sequence[Floats], pair: tuple[int, int]) -> Ints:
    left, right = pair
    if layouts[left] == layouts[right]:
        return _dot(values[left], values[right])
    keys = common_keys(layouts[left], layouts[right])
    sides = []
    for arm in pair:
        place = {key: column for column, key in enumerate(cross_keys(layouts[arm]))}
        sides.append(values[arm][:, [place[key] for key in keys]])
    return _dot(sides[0], sides[1])


@dataclass(frozen=True)
class Tallies:
    """The tallies of all arms of an experiment over one range of deals, and the moments between them.

    What one `chunks/tally-00000.json` holds. Use `of` for each batch of deals (all arms of it), `+` to merge.
    """

    arms: tuple[Tally, ...]
    cross: CrossTally

    @classmethod
    def empty(cls, layouts: Sequence[Layout]) -> Tallies:
        """The tallies of no deal at all: the zero of `+`."""
        return cls(tuple(Tally.empty(layout) for layout in layouts), CrossTally.empty(layouts))

    @classmethod
    def of(cls, batches: Sequence[ArmBatch]) -> Tallies:
        """Reduce every arm's batch for the same range of deals, in the order of the experiment."""
        blocks = [Blocks.of(batch.layout, batch.games, batch.seats) for batch in batches]
        arms = [
            Tally.of(batch.layout, batch.games, batch.seats, batch.harvests, batch.trades, blocks=part)
            for batch, part in zip(batches, blocks, strict=True)
        ]
        return cls(tuple(arms), CrossTally.of(blocks))

    def __add__(self, other: Tallies) -> Tallies:
        """Merge two disjoint ranges; exact, commutative and associative."""
        if len(self.arms) != len(other.arms):
            raise InputError("cannot merge tallies of different experiments")
        both = zip(self.arms, other.arms, strict=True)
        return Tallies(tuple(left + right for left, right in both), self.cross + other.cross)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `from_dict` reads it back."""
        deals = self.cross.ranges
        return {
            "format": TALLY_FORMAT,
            "first_deal": deals[0][0] if deals else 0,
            "deals": self.cross.deals,
            "arms": [arm.to_dict() for arm in self.arms],
            "cross": self.cross.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tallies:
        """Build from plain data; InputError when damaged or of another format."""
        if whole(data, "format") != TALLY_FORMAT:
            raise InputError(f"tallies have format {data['format']}, this version reads {TALLY_FORMAT}")
        arms = tuple(Tally.from_dict(arm) for arm in get(data, "arms", list))
        cross = CrossTally.from_dict(get(data, "cross", dict), [arm.layout for arm in arms])
        return cls(arms, cross)
