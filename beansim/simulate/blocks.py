"""From the rows of a batch to block values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beansim.simulate.layout import GAME_METRICS, SEAT_METRICS, Layout


@dataclass(frozen=True)
class Blocks:
    """Block values of a range of deals of one arm.

    Attributes:
        table: the rows that were summed.
        values: float64 [metrics, deals, groups], sums over the seats of a group and all seatings: whole
            numbers, so small that their sums and products are exact too.
        game_values: float64 [deals, game metrics], sums over all seatings, whole numbers too.
    """

    table: Table
    values: NDArray[np.float64]
    game_values: NDArray[np.float64]

    @classmethod
    def of(cls, layout: Layout, games: NDArray[Any], seats: NDArray[Any]) -> Blocks:
        """Sum the rows of a batch (structured arrays ordered by deal, seating, seat) to blocks."""
        table = Table.of(layout, games, seats)
        member = layout.membership.astype(np.float64)
        values = np.empty((len(SEAT_METRICS), table.deals, member.shape[1]))
        # One metric at a time: fresh memory for all of them at once costs more than the sums do.
        for rows, sums in zip(table.seat_values, values, strict=True):
            np.matmul(rows.reshape(-1, len(member)).astype(np.float64), member, out=sums)
        return cls(table, values, table.game_values.sum(axis=1).astype(np.float64))

    @property
    def fine_values(self) -> NDArray[np.float64]:
        """`values` of the fine deals alone."""
        return self.values if self.fine.all() else self.values[:, self.fine]

    @property
    def fine_game_values(self) -> NDArray[np.float64]:
        """`game_values` of the fine deals alone."""
        return self.game_values if self.fine.all() else self.game_values[self.fine]

    @property
    def layout(self) -> Layout:
        """The arm's layout."""
        return self.table.layout

    @property
    def first_deal(self) -> int:
        """Number of the first deal; the rest follow without a gap."""
        return self.table.first_deal

    @property
    def fine(self) -> NDArray[np.bool_]:
        """For each deal whether none of its games ended with an error, bool [deals]."""
        return self.table.fine


@dataclass(frozen=True)
class Table:
    """A batch's rows as arrays with one axis for each of deal, seating and seat.

    Attributes:
        seat_values: int32 [metrics, deals, seatings, seats].
        game_values: int32 [deals, seatings, game metrics].
    """

    layout: Layout
    games: NDArray[Any]
    first_deal: int
    fine: NDArray[np.bool_]
    seat_values: NDArray[np.int32]
    game_values: NDArray[np.int32]

    @property
    def deals(self) -> int:
        """Deals in the range."""
        return len(self.fine)

    @classmethod
    def of(cls, layout: Layout, games: NDArray[Any], seats: NDArray[Any]) -> Table:
        """Shape the rows and work out what they do not hold (ValueError when they are out of order)."""
        rows = Rows.of(layout, games, seats)
        values = _seat_values(rows.seats), _game_values(layout, rows.games, rows.seats["coins"])
        return cls(layout, rows.games, rows.first_deal, rows.fine, *values)


@dataclass(frozen=True)
class Rows:
    """A batch's rows as they are, with one axis for each of deal, seating and seat.

    Attributes:
        layout: the arm's layout.
        games: structured [deals, seatings].
        seats: structured [deals, seatings, seats].
    """

    layout: Layout
    games: NDArray[Any]
    seats: NDArray[Any]

    @classmethod
    def of(cls, layout: Layout, games: NDArray[Any], seats: NDArray[Any]) -> Rows:
        """Shape the rows and check that they stand in the order agreed (ValueError otherwise)."""
        places = np.array(layout.seatings)
        shape = (len(games) // len(places), *places.shape)
        if len(games) != shape[0] * shape[1] or len(seats) != shape[0] * places.size:
            raise ValueError(
                f"{len(games)} games and {len(seats)} seats do not fill {shape} deals x seatings x seats"
            )
        if not (seats["entry"].reshape(shape) == places).all():
            raise ValueError("seats are not ordered by deal, seating and seat, or not seated as the arm says")
        rows = cls(layout, games.reshape(shape[:2]), seats.reshape(shape))
        first = rows.first_deal
        if not (rows.games["deal"] == np.arange(first, first + shape[0])[:, None]).all():
            raise ValueError("a batch must hold consecutive deals, all seatings of each")
        return rows

    @property
    def deals(self) -> int:
        """Deals in the range."""
        return len(self.games)

    @property
    def first_deal(self) -> int:
        """Number of the first deal; the rest follow without a gap."""
        return int(self.games["deal"][0, 0]) if len(self.games) else 0

    @property
    def fine(self) -> NDArray[np.bool_]:
        """For each deal whether none of its games ended with an error, bool [deals]."""
        fine: NDArray[np.bool_] = (self.games["status"] == 0).all(axis=1)
        return fine


def _seat_values(seats: NDArray[Any]) -> NDArray[np.int32]:
    values = np.empty((len(SEAT_METRICS), *seats.shape), dtype=np.int32)
    coins = seats["coins"].astype(np.int32)
    derived = {"rank_halves": _rank_halves, "margin": _margins}
    for row, metric in enumerate(SEAT_METRICS):
        values[row] = derived[metric](coins) if metric in derived else seats[metric]
    return values


def _rank_halves(coins: NDArray[np.int32]) -> NDArray[np.int32]:
    """Twice the mid-rank: 2 + 2 * (seats with more) + (other seats with as many)."""
    ranks = np.ones_like(coins)  # The seat itself is one with as many.
    for seat in range(coins.shape[-1]):
        other = coins[..., seat, None]
        ranks += 2 * (other > coins) + (other == coins)
    return ranks


def _margins(coins: NDArray[np.int32]) -> NDArray[np.int32]:
    ordered = np.sort(coins, axis=-1)
    best, second = ordered[..., -1:], ordered[..., -2:-1]
    return coins - np.where(coins == best, second, best)


def _game_values(layout: Layout, games: NDArray[Any], coins: NDArray[Any]) -> NDArray[np.int32]:
    derived = {
        "table_coins": coins.sum(axis=-1, dtype=np.int32),
        "spread": coins.max(axis=-1) - coins.min(axis=-1),
    }
    columns = [derived[metric] if metric in derived else games[metric] for metric in GAME_METRICS]
    turns = games["run_out_turn"][..., : layout.run_outs]
    came = [turns[..., number] > 0 for number in range(layout.run_outs)]
    return np.stack([*columns, *np.moveaxis(turns, -1, 0), *came], axis=-1).astype(np.int32)
