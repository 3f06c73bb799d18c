"""`table.seen` is what lies face up (docs/strategies.md), whenever anybody is asked."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import cycled, rules_of, table_of
from beansim.engine import Bench
from beansim.rules import MAX_KINDS, VARIANTS
from beansim.strategy.native import FOREIGN

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def face_up(block: Any) -> Any:
    """Cards in fields, set aside, revealed and on the discard pile, by kind."""
    table, discards = block["table"][0], block["hidden"]["discard"][0]
    cards = table["revealed"].astype(int) + table["aside"].sum(axis=0)
    for kinds, counts in zip(table["field_kind"], table["field_cards"], strict=True):
        for kind, count in zip(kinds, counts, strict=True):
            if kind >= 0:
                cards[kind] += count
    return cards + np.bincount(discards[: table["discards"]], minlength=MAX_KINDS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_seen_is_what_lies_face_up(variant: str) -> None:
    players = max(VARIANTS[variant].players)
    arm = table_of(rules_of(variant, players), cycled(("random", "trader", "early", "buyer"), players, 0))
    bench = Bench(arm, interpreted=True)
    right: list[bool] = []  # an exception would be lost in the callback

    def watched(seat: int) -> Any:
        ask = FOREIGN[bench.bound[seat, seat].address]

        def call(hook: int, argument: int) -> int:
            right.append(np.array_equal(bench.block["table"]["seen"][0], face_up(bench.block)))
            return int(ask(hook, argument))

        return _CALLBACK(call)

    kept = [watched(seat) for seat in range(players)]
    for seat, callback in enumerate(kept):
        bench.callbacks[seat, seat] = ctypes.cast(callback, ctypes.c_void_p).value or 0
    try:
        batch, _ = bench.run(7, 1, 2, [0])
    finally:
        bench.close()
    assert (batch.games["status"] == 0).all()
    assert (batch.games["run_outs"] == arm.rules.run_outs).all()
    assert len(right) > 300
    assert all(right)
