"""Rows of counts by kind: what they hold, whether one covers another.

Branch-free loops over single bytes, on purpose: hooks write these rows byte by byte just before
the engine checks them, and a wide load of freshly written bytes must wait for all of them (a
version on 64-bit words, eight kinds at a time, played a third fewer games).
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from beansim.strategy.compiling import compiled


@intrinsic
def _trailing_zeros(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


def _lowest_interpreted(mask: int) -> int:
    return (int(mask) & -int(mask)).bit_length() - 1


def _lowest_compiled(mask: int) -> int:
    return _trailing_zeros(mask)


lowest = _lowest_interpreted if numba.config.DISABLE_JIT else compiled(_lowest_compiled)
"""The lowest kind of a bit mask that is not empty."""


@compiled
def mask_of(row: Any, kinds: int) -> int:
    """Bit mask of the kinds of which the row has cards."""
    mask = 0
    for kind in range(kinds):
        mask |= int(row[kind] != 0) << kind
    return mask


@compiled
def clear(row: Any, kinds: int) -> None:
    """Set every count to zero."""
    for kind in range(kinds):
        row[kind] = 0


@compiled
def copy(to: Any, row: Any, kinds: int) -> None:
    """Copy all counts."""
    for kind in range(kinds):
        to[kind] = row[kind]


@compiled
def covers(have: Any, want: Any, kinds: int) -> bool:
    """True when `have` has the cards of `want`, and `want` has no negative count."""
    sign = 0
    for kind in range(kinds):
        sign |= (int(have[kind]) - int(want[kind])) | int(want[kind])
    return sign >= 0


@compiled
def covers_both(one: Any, two: Any, want: Any, kinds: int) -> bool:
    """True when two rows together have the cards of `want`, and `want` has no negative count."""
    sign = 0
    for kind in range(kinds):
        sign |= (int(one[kind]) + int(two[kind]) - int(want[kind])) | int(want[kind])
    return sign >= 0


@compiled
def flags(row: Any, kinds: int) -> bool:
    """True when the row holds only zeros and ones."""
    other = 0
    for kind in range(kinds):
        other |= int(row[kind]) & ~1
    return other == 0


@compiled
def proper(row: Any, kinds: int) -> bool:
    """True when no count is negative."""
    sign = 0
    for kind in range(kinds):
        sign |= int(row[kind])
    return sign >= 0
