"""What was counted in the watched games: the first deals of a run, played again with their events logged.

What a game's rows do not hold (who deals with whom, which kinds a strategy gives and gets, how coins
come in turn by turn) is counted in them. They are the run's own games, of its first deals in every
seating, so they are whole blocks; how many follows from the experiment alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from beansim.simulate.layout import TURNS, Layout
from beansim.simulate.packing import Ints, get, pack, unpack, whole

WATCHED_FORMAT = 1


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
