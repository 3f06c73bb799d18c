"""Watched games: the first deals of a run, played again with their events logged.

What a game's rows do not hold (who deals with whom, which kinds a strategy gives and gets, how coins
come in turn by turn) is counted in them. They are the run's own games, of its first deals in every
seating, so they are whole blocks; how many follows from the experiment alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beansim.engine import Arm, LostGame, play_around
from beansim.engine.events import HARVEST, PLANT, TRADE, TRADE_CARD
from beansim.engine.events import TURN as TURN_BEGINS
from beansim.simulate.layout import TURNS, Layout
from beansim.simulate.packing import Ints, get, pack, unpack, whole
from beansim.simulate.record import sample_records
from beansim.simulate.work import Work, layout_of

WATCHED_FORMAT = 1

WATCHED_GAMES = 256
"""Games watched of each arm, if the run has so many: a fraction of a second."""

SLOW_WATCHED_GAMES = 32
"""The same where a strategy is not compiled."""

TURN, SEAT = 1, 3
"""Columns of an event row: the turn, and for most events the seat (`engine.events`)."""


@dataclass(frozen=True)
class Watched:
    """What was counted in the watched games of one arm; rows and columns are its strategies.

    Attributes:
        layout: the arm's layout.
        deals: deals watched, those with an error left out.
        arrays: int64 arrays of the shapes of `shapes`: `coins` [strategy, turn], the sum over all games and
            seats of the coins harvested up to that turn (a game that is over keeps what it has), and
            `coin_squares`, the sum of the squares of its block values; `own_turns` [strategy];
            `second_plants` [strategy];
            `deals` [active strategy, partner]; `gifts` [giver, receiver], deals in which the giver got
            nothing; `cards` [giver, receiver]; `given` and `got` [strategy, kind], cards.
    """

    layout: Layout
    deals: int
    arrays: Mapping[str, Ints]

    @property
    def games(self) -> int:
        """Games watched."""
        return self.deals * len(self.layout.seatings)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        arrays = {name: pack(values) for name, values in self.arrays.items()}
        return {"deals": self.deals, "arrays": arrays}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], layout: Layout) -> Watched:
        """Build from plain data; InputError when anything in it is missing, mistyped or misshapen."""
        packed = get(data, "arrays", dict)
        arrays = {name: unpack(packed, name, shape) for name, shape in shapes(layout).items()}
        return cls(layout, whole(data, "deals"), arrays)


def shapes(layout: Layout) -> dict[str, tuple[int, ...]]:
    """Shape of every array of `Watched`, by name."""
    strategies, kinds = len(layout.strategies), len(layout.kinds)
    pair = (strategies, strategies)
    return {
        "coins": (strategies, TURNS),
        "coin_squares": (strategies, TURNS),
        "own_turns": (strategies,),
        "second_plants": (strategies,),
        "deals": pair,
        "gifts": pair,
        "cards": pair,
        "given": (strategies, kinds),
        "got": (strategies, kinds),
    }


@dataclass(frozen=True)
class FirstGames:
    """What the first games of a run are played for once more: plain data for its files.

    Attributes:
        sample: lines of `sample.jsonl`.
        watched: what `watched.json` holds.
    """

    sample: list[str]
    watched: dict[str, Any]


def first_games(work: Work, first: int, deals: int, lost: Collection[LostGame] = ()) -> FirstGames:
    """Play the first of all `deals` deals (`first` is 0) with events logged, around the `lost` games."""
    watched = [watch(arm, work.seed, deals, lost).to_dict() for arm in work.arms]
    sample = list(sample_records(work.arms, work.seed, lost))
    return FirstGames(sample, {"format": WATCHED_FORMAT, "arms": watched})


def deals_watched(arm: Arm, deals: int) -> int:
    """How many of an arm's `deals` deals are watched."""
    most = WATCHED_GAMES if arm.compiled else SLOW_WATCHED_GAMES
    return min(deals, max(1, most // len(arm.seatings)))


def watch(arm: Arm, seed: int, deals: int, lost: Collection[LostGame] = ()) -> Watched:
    """Play the first of an arm's `deals` deals with their events logged, and count."""
    layout = layout_of(arm)
    batch = play_around(arm, seed, 0, deals_watched(arm, deals), lost, log=True)
    arrays = {name: np.zeros(shape, dtype=np.int64) for name, shape in shapes(layout).items()}
    statuses = batch.games["status"].reshape(-1, len(arm.seatings))
    fine = np.flatnonzero((statuses == 0).all(axis=1))
    for deal in fine:
        block = np.zeros_like(arrays["coins"])
        for number, seating in enumerate(layout.seatings):
            log = batch.logs[deal * len(layout.seatings) + number]
            sits = np.array([layout.strategies.index(layout.labels[entry]) for entry in seating])
            _count_coins(block, log, sits)
            _count_turns(arrays, log, sits)
            _count_deals(arrays, log, sits)
        arrays["coins"] += block
        arrays["coin_squares"] += block * block
    return Watched(layout, len(fine), arrays)


def _count_coins(block: Ints, log: NDArray[np.int16], sits: Ints) -> None:
    """Coins harvested up to the end of each turn; the final harvests belong to the last one."""
    rows = log[log[:, 0] == HARVEST]
    came = np.zeros_like(block)
    np.add.at(came, (sits[rows[:, SEAT]], np.minimum(rows[:, TURN], TURNS - 1)), rows[:, 7])
    block += came.cumsum(axis=1)


def _count_turns(arrays: Mapping[str, Ints], log: NDArray[np.int16], sits: Ints) -> None:
    turns = log[log[:, 0] == TURN_BEGINS]
    np.add.at(arrays["own_turns"], sits[turns[:, SEAT]], 1)
    plants = log[(log[:, 0] == PLANT) & (log[:, 2] == 1)]
    # Of two plantings in phase 1 of one turn, the second one was a choice.
    second = plants[1:][plants[1:, TURN] == plants[:-1, TURN]]
    np.add.at(arrays["second_plants"], sits[second[:, SEAT]], 1)


def _count_deals(arrays: Mapping[str, Ints], log: NDArray[np.int16], sits: Ints) -> None:
    places = np.flatnonzero(log[:, 0] == TRADE)
    deals = log[places]
    active, partner = sits[deals[:, 3]], sits[deals[:, 4]]
    np.add.at(arrays["deals"], (active, partner), 1)
    gave, took = deals[:, 6] == 0, deals[:, 5] == 0
    np.add.at(arrays["gifts"], (active[gave], partner[gave]), 1)
    np.add.at(arrays["gifts"], (partner[took], active[took]), 1)
    at = np.flatnonzero(log[:, 0] == TRADE_CARD)
    # The cards of a deal are the rows behind it.
    deal = np.searchsorted(places, at) - 1
    by_active, kind = log[at, 3] == 0, log[at, 4]
    giver = np.where(by_active, active[deal], partner[deal])
    receiver = np.where(by_active, partner[deal], active[deal])
    np.add.at(arrays["cards"], (giver, receiver), 1)
    np.add.at(arrays["given"], (giver, kind), 1)
    np.add.at(arrays["got"], (receiver, kind), 1)
