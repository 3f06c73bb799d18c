"""Watches games: plays the first deals of a run again with their events logged, and counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beansim.engine import Arm, LostGame, play_around
from beansim.engine.events import HARVEST, PLANT, TRADE, TRADE_CARD
from beansim.engine.events import TURN as TURN_BEGINS
from beansim.simulate.layout import TURNS
from beansim.simulate.packing import Ints
from beansim.simulate.record import sample_records
from beansim.simulate.watched import WATCHED_FORMAT, Watched, shapes
from beansim.simulate.work import Work, layout_of

WATCHED_GAMES = 256
"""Games watched of each arm, if the run has so many: a fraction of a second."""

SLOW_WATCHED_GAMES = 32
"""The same where a strategy is not compiled."""

TURN, SEAT = 1, 3
"""Columns of an event row: the turn, and for most events the seat (`engine.events`)."""


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
