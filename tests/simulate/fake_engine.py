"""A stand-in for the compiled engine with the same contract and no rules at all.

Every number of a game follows from (seed, deal, seating, seat) by hashing, so a game is the same in
whatever batch it is played. A strategy named "bad" breaks its contract in every tenth deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from beansim.analysis.synthetic import GAMES_DTYPE, SEATS_DTYPE


@dataclass(frozen=True)
class Batch:
    games: np.ndarray
    seats: np.ndarray
    harvests: np.ndarray
    trades: np.ndarray

    @property
    def logs(self) -> list[np.ndarray]:
        return [np.zeros((0, 9), np.int16)] * len(self.games)

    def records(self, number: int) -> list[dict[str, Any]]:
        return [{"e": "game", "record": 1, "game": int(self.games["deal"][number])}]


def mix(*keys: Any) -> np.ndarray:
    """A hash of whole numbers, element by element: splitmix64 over the keys."""
    value = np.uint64(0)
    with np.errstate(over="ignore"):
        for key in keys:
            value = (value ^ np.asarray(key).astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
            value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            value = value ^ (value >> np.uint64(31))
    return value


def play(arm: Any, seed: int, first_deal: int, deals: int, *, log: bool = False) -> Batch:
    places = np.array(arm.seatings)
    shape = (deals, *places.shape)
    deal = np.arange(first_deal, first_deal + deals)
    games, seats = np.zeros(shape[:2], GAMES_DTYPE), np.zeros(shape, SEATS_DTYPE)
    games["deal"], seats["deal"] = deal[:, None], deal[:, None, None]
    games["seating"], seats["seating"] = np.arange(shape[1]), np.arange(shape[1])[:, None]
    games["arm"], seats["arm"] = arm.number, arm.number
    seats["seat"], seats["entry"] = np.arange(shape[2]), places
    luck = mix(seed, seats["deal"], seats["seating"], seats["seat"], arm.rules.run_outs)
    seats["coins"] = luck % np.uint64(20)
    seats["harvests"] = 8
    best = (seats["coins"] + np.arange(shape[2]) / 10).argmax(axis=2)
    np.put_along_axis(seats["win_units"], best[..., None], 420, axis=2)
    games["winners"] = 1 << best
    games["turns"] = 20 + mix(seed, games["deal"], games["seating"]) % np.uint64(20)
    for number in range(arm.rules.run_outs):
        games["run_out_turn"][..., number] = 7 * (number + 1)
        games["run_out_phase"][..., number] = 4
    games["error_seat"], games["error_hook"] = -1, -1
    for entry, entrant in enumerate(arm.lineup):
        if entrant.name == "bad":
            broken = (games["deal"] % 10 == 3) & True
            games["status"][broken], games["error_hook"][broken] = 3, 2
            games["error_seat"] = np.where(broken, (places == entry).argmax(axis=1), games["error_seat"])
    harvests = np.zeros((shape[2], len(arm.rules.kinds), 100, 3), np.int64)
    np.add.at(harvests, (seats["entry"].ravel(), 0, seats["coins"].ravel(), 0), 1)
    trades = np.zeros((len(arm.rules.kinds) + 1,) * 2, np.int64)
    trades[0, 1] = games["turns"].sum()
    return Batch(games.ravel(), seats.ravel(), harvests, trades)


def warm(arms: Any) -> None:
    """Nothing to compile."""


def describe_error(arm: Any, game: Any, seed: int) -> str:
    return f"deal {game['deal']}: seat {game['error_seat']} gave a bad answer"
