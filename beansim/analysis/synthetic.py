"""A synthetic engine with known effects: batches whose true means are known exactly.

It plays no Bohnanza. A seat's coins are a base, plus the effect of its strategy, of its seat, of the
luck of the deal (shared by all seatings of a block), and noise of its own. Every effect is a whole
number and every luck is symmetric about zero, so the true mean is `base + strategy + seat`. The
statistics are tested against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beansim.engine.state import GAMES_DTYPE, SEATS_DTYPE
from beansim.simulate.layout import WIN_UNITS, Layout
from beansim.simulate.packing import Ints
from beansim.simulate.tallies import ArmBatch


@dataclass(frozen=True)
class World:
    """What is true in a synthetic game.

    Attributes:
        base: mean coins where nothing else counts.
        strategy: coins a strategy gains, by label (0 where it is not named).
        seat: coins a seat gains, clockwise from the start seat (0 beyond the list).
        luck: a deal gives each seat -luck to +luck coins, the same in every seating and arm.
        noise: each seat of each game gets -noise to +noise coins of its own.
        turns: mean turns of a game.
        broken: probability that a game ends with an error.
        cocky: probability that a game hits a market cap.
    """

    base: int = 14
    strategy: Mapping[str, int] = field(default_factory=dict)
    seat: Sequence[int] = ()
    luck: int = 4
    noise: int = 3
    turns: int = 44
    broken: float = 0.0
    cocky: float = 0.0

    def coins(self, layout: Layout, entry: int, seat: int) -> int:
        """True mean coins of an entry in a seat."""
        gain = self.seat[seat] if seat < len(self.seat) else 0
        return self.base + self.strategy.get(layout.labels[entry], 0) + gain


def play(layout: Layout, world: World, seed: int, deals: int, arm: int = 0) -> ArmBatch:
    """Play `deals` synthetic deals in every seating; the luck of a deal is the same for every arm."""
    luck = np.random.default_rng((seed, 1)).integers(-world.luck, world.luck + 1, (deals, 1, layout.players))
    rng = np.random.default_rng((seed, 2, arm))
    places = np.array(layout.seatings)
    games = np.zeros((deals, len(places)), dtype=GAMES_DTYPE)
    seats = np.zeros((deals, *places.shape), dtype=SEATS_DTYPE)
    seats["coins"] = np.clip(_means(layout, world) + luck + _noise(rng, world.noise, seats.shape), 0, None)
    for rows in (games, seats):
        rows["deal"] = np.arange(deals).reshape(-1, *[1] * (rows.ndim - 1))
        rows["arm"] = arm
        rows["seating"] = np.arange(len(places)).reshape(-1, *[1] * (rows.ndim - 2))
    seats["seat"], seats["entry"] = np.arange(layout.players), places
    _fill_seats(seats, rng)
    _fill_games(games, seats, layout, world, rng)
    return tabulate(layout, games.ravel(), seats.ravel())


def tabulate(layout: Layout, games: NDArray[Any], seats: NDArray[Any]) -> ArmBatch:
    """A batch of these rows; its harvests and trades follow from the rows, so that any cut adds up."""
    kinds = len(layout.kinds)
    harvests: Ints = np.zeros((layout.players, kinds, 100, 3), dtype=np.int64)
    kind = (seats["deal"] * 5 + seats["coins"] * 3 + seats["seat"]) % kinds
    cards = 1 + (seats["coins"] + seats["deal"]) % (10 - kind)
    np.add.at(harvests, (seats["entry"], kind, cards, seats["harvests"] % 3), 1)
    trades: Ints = np.zeros((kinds + 1, kinds + 1), dtype=np.int64)
    np.add.at(trades, (games["deals"] % (kinds + 1), games["turns"] % kinds), games["deals"])
    return ArmBatch(layout, games, seats, harvests, trades)


def cut(batch: ArmBatch, first: int, past: int) -> ArmBatch:
    """The part of a batch with deals `first` to `past - 1`."""
    wanted = [rows[(rows["deal"] >= first) & (rows["deal"] < past)] for rows in (batch.games, batch.seats)]
    return tabulate(batch.layout, *wanted)


def rotations(players: int) -> tuple[tuple[int, ...], ...]:
    """The seatings of `rotate`: every entry once in every seat."""
    return tuple(tuple((entry + shift) % players for entry in range(players)) for shift in range(players))


def _means(layout: Layout, world: World) -> Ints:
    return np.array(
        [
            [world.coins(layout, entry, seat) for seat, entry in enumerate(seating)]
            for seating in layout.seatings
        ]
    )


def _noise(rng: np.random.Generator, size: int, shape: tuple[int, ...]) -> Ints:
    return rng.integers(-size, size + 1, shape)


def _fill_seats(seats: NDArray[Any], rng: np.random.Generator) -> None:
    coins = seats["coins"]
    best = coins == coins.max(axis=-1, keepdims=True)
    # Of several best seats the last clockwise wins, as in the base game.
    last = seats.shape[-1] - 1 - best[..., ::-1].argmax(axis=-1)
    np.put_along_axis(seats["win_units"], last[..., None], WIN_UNITS, axis=-1)
    seats["hand_left"] = rng.integers(0, 9, seats.shape)
    seats["harvests"] = 8 + rng.integers(0, 8, seats.shape)
    seats["zero_harvests"] = rng.binomial(3, 0.4, seats.shape)
    seats["trades"] = rng.poisson(9, seats.shape)
    seats["gifts_given"] = rng.poisson(2, seats.shape)
    seats["gifts_got"] = rng.poisson(2, seats.shape)
    seats["second_plants"] = rng.binomial(10, 0.6, seats.shape)
    seats["offers_refused"] = rng.poisson(20, seats.shape)
    seats["offers_in_vain"] = rng.poisson(20, seats.shape)


def _fill_games(
    games: NDArray[Any], seats: NDArray[Any], layout: Layout, world: World, rng: np.random.Generator
) -> None:
    games["winners"] = ((seats["win_units"] > 0) << np.arange(layout.players)).sum(axis=-1)
    games["turns"] = world.turns + rng.integers(-4, 5, games.shape)
    games["deals"] = seats["trades"].sum(axis=-1) // 2
    games["gifts"] = rng.binomial(games["deals"], 0.3)
    games["announcements"] = rng.poisson(60, games.shape)
    games["proposals"] = rng.poisson(80, games.shape)
    games["caps"] = rng.random(games.shape) < world.cocky
    games["run_outs"] = layout.run_outs
    for number in range(layout.run_outs):
        share = (number + 1) / layout.run_outs
        games["run_out_turn"][..., number] = np.round(games["turns"] * share)
        games["run_out_phase"][..., number] = rng.choice([2, 4], games.shape, p=[0.4, 0.6])
    bad = rng.random(games.shape) < world.broken
    games["status"][bad] = 3
    games["error_seat"] = np.where(bad, 1, -1)
    games["error_hook"] = np.where(bad, 2, -1)
