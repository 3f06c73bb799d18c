"""Games that ended with a strategy's error, told: how many, whose, and the first few in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from beansim.engine import Arm, describe_error
from beansim.engine.status import REASONS
from beansim.strategy import HOOKS

TOLD = 10
"""Errors that are told in full."""

EXAMPLE = np.dtype(
    [
        ("deal", np.int64),
        ("seating", np.int32),
        ("status", np.int16),
        ("error_seat", np.int8),
        ("error_hook", np.int8),
        ("error_answer", np.int64),
        ("turns", np.int16),
        ("arm", np.int32),
    ]
)
"""The columns of `Batch.games` that tell of an error, in the order in which a tally keeps them."""


class Errors(Protocol):
    """Whatever counts the errors of an arm (`Tally` says how)."""

    @property
    def errors(self) -> Mapping[tuple[int, int, int], int]:
        """Games that ended with an error, by (status, entry, hook)."""

    @property
    def examples(self) -> tuple[tuple[int, ...], ...]:
        """The first errors in full."""


def error_report(arms: Sequence[Arm], tallies: Sequence[Errors], seed: int) -> dict[str, Any]:
    """Count the errors of all arms and tell the first ones by deal, arm and seating.

    Returns plain data: `games` (how many games), `by` (games for each arm, strategy, hook and
    reason), `first` (for each error told: arm, deal, seating and message).
    """
    both = list(zip(arms, tallies, strict=True))
    first = [(example[0], arm.number, example) for arm, tally in both for example in tally.examples]
    return {
        "games": sum(sum(tally.errors.values()) for tally in tallies),
        "by": [row for arm, tally in both for row in _counts(arm, tally)],
        "first": [_told(arms[number], example, seed) for _, number, example in sorted(first)[:TOLD]],
    }


def _counts(arm: Arm, tally: Errors) -> list[dict[str, Any]]:
    return [
        {
            "arm": arm.name,
            "strategy": arm.lineup[entry].label if entry >= 0 else None,
            "hook": HOOKS[hook] if hook >= 0 else None,
            "status": status,
            "reason": REASONS.get(status, ""),
            "games": games,
        }
        for (status, entry, hook), games in tally.errors.items()
    ]


def _told(arm: Arm, example: tuple[int, ...], seed: int) -> dict[str, Any]:
    row: NDArray[Any] = np.array([(*example, arm.number)], dtype=EXAMPLE)
    message = describe_error(arm, row[0], seed)
    return {"arm": arm.name, "deal": example[0], "seating": example[1], "message": message}
