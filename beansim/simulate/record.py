"""Records of games as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from beansim.engine import Arm, LostGame, play_around


def sample_records(arms: Sequence[Arm], seed: int, lost: Collection[LostGame] = ()) -> Iterator[str]:
    """The game of deal 0, seating 0 of each arm as lines of a record; a `lost` one is left out."""
    gone = {game.arm for game in lost if (game.deal, game.seating) == (0, 0)}
    for arm in arms:
        if arm.number not in gone:
            batch = play_around(arm, seed, 0, 1, lost, log=True)
            yield from record_lines(batch.records(0))


def record_lines(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A record as JSON Lines: one compact object for each event."""
    return (json.dumps(event, separators=(",", ":"), ensure_ascii=False) for event in events)
