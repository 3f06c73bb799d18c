"""Records of games as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from beansim.engine import Arm, play


def sample_records(arms: Sequence[Arm], seed: int) -> Iterator[str]:
    """The game of deal 0, seating 0 of each arm as lines of a record."""
    for arm in arms:
        batch = play(arm, seed, 0, 1, log=True)
        yield from record_lines(batch.records(0))


def record_lines(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A record as JSON Lines: one compact object for each event."""
    return (json.dumps(event, separators=(",", ":"), ensure_ascii=False) for event in events)
