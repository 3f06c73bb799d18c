"""Keyed streams of random numbers: Philox4x64-10, bit for bit as in NumPy.

Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A stream is
named by (seed, deal, purpose, index) and needs no other state, so a deal is the same for every
arm, seating, worker and machine, and a game can be played alone.

A stream is a row of 12 uint64: key (seed, deal), index, purpose, counter, four numbers drawn,
position among their eight halves, two spare. `numpy.random.Philox(key=[seed, deal],
counter=[0, 0, index, purpose])` draws the same 64-bit numbers; the 32-bit numbers are their
halves, low half first, as NumPy's `next_uint32` takes them.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from beansim.strategy.compiling import compiled, out_of_line

_compiled = functools.partial(compiled, from_python=True)

PURPOSE_SHUFFLE = 1
PURPOSE_SEAT = 2
PURPOSE_PLAYOUT = 3
STREAM_WORDS = 12
_INDEX, _PURPOSE, _COUNTER, _BUFFER, _POSITION = 2, 3, 4, 5, 9
_HALVES = 8

_M0, _M1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_W0, _W1 = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
_ROUNDS = 10
_MASK64 = (1 << 64) - 1
_MASK32 = (1 << 32) - 1


@intrinsic
def _mulhi(typingctx: Any, a: Any, b: Any) -> Any:
    """High 64 bits of a 64 x 64 bit product (numba has no such operation)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


def _refill_interpreted(stream: Any) -> None:
    counter = (int(stream[_COUNTER]) + 1) & _MASK64
    stream[_COUNTER] = counter
    c0, c1, c2, c3 = counter, 0, int(stream[_INDEX]), int(stream[_PURPOSE])
    k0, k1 = int(stream[0]), int(stream[1])
    for _ in range(_ROUNDS):
        first, second = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (
            (second >> 64) ^ c1 ^ k0,
            second & _MASK64,
            (first >> 64) ^ c3 ^ k1,
            first & _MASK64,
        )
        k0, k1 = (k0 + _W0) & _MASK64, (k1 + _W1) & _MASK64
    for position, value in enumerate((c0, c1, c2, c3)):
        stream[_BUFFER + position] = value
    stream[_POSITION] = 0


def _refill_compiled(stream: Any) -> None:
    m0, m1 = np.uint64(_M0), np.uint64(_M1)
    k0, k1 = stream[0], stream[1]
    c0 = stream[_COUNTER] + np.uint64(1)
    stream[_COUNTER] = c0
    c1, c2, c3 = np.uint64(0), stream[_INDEX], stream[_PURPOSE]
    for _ in range(_ROUNDS):
        hi0, lo0 = _mulhi(m0, c0), m0 * c0
        hi1, lo1 = _mulhi(m1, c2), m1 * c2
        c0, c1, c2, c3 = hi1 ^ c1 ^ k0, lo1, hi0 ^ c3 ^ k1, lo0
        k0, k1 = k0 + np.uint64(_W0), k1 + np.uint64(_W1)
    stream[_BUFFER], stream[_BUFFER + 1] = c0, c1
    stream[_BUFFER + 2], stream[_BUFFER + 3] = c2, c3
    stream[_POSITION] = np.uint64(0)


# The one leaf with two sources: Python integers do not wrap and NumPy's warn when they do.
_refill = _refill_interpreted if numba.config.DISABLE_JIT else out_of_line(_refill_compiled)


@_compiled
def open_stream(stream: Any, seed: int, deal: int, purpose: int, index: int) -> None:
    """Set `stream` (uint64[12]) to the start of the stream named by the other four."""
    stream[0] = np.uint64(seed)
    stream[1] = np.uint64(deal)
    stream[_INDEX] = np.uint64(index)
    stream[_PURPOSE] = np.uint64(purpose)
    stream[_COUNTER] = np.uint64(0)
    stream[_POSITION] = np.uint64(_HALVES)


@_compiled
def next32(stream: Any) -> int:
    """The next 32-bit number of the stream, as an int from 0 to 2**32 - 1."""
    position = np.int64(stream[_POSITION])
    if position >= _HALVES:
        _refill(stream)
        position = np.int64(0)
    stream[_POSITION] = np.uint64(position + 1)
    word = stream[_BUFFER + (position >> 1)]
    half = word >> np.uint64(32 * (position & 1))
    return np.int64(half & np.uint64(_MASK32))  # type: ignore[return-value]


@_compiled
def bounded(stream: Any, limit: int) -> int:
    """A uniform number from 0 to limit - 1 without bias; limit from 1 to 2**31.

    Lemire, "Fast random integer generation in an interval", TOMACS 29 (2019), as NumPy does it
    for 32-bit integers: the product's high half, rejected when its low half falls in the part
    that would favour small answers.
    """
    if limit == 1:
        return 0
    product = next32(stream) * limit
    low = product & _MASK32
    if low < limit:
        threshold = ((1 << 32) - limit) % limit
        while low < threshold:
            product = next32(stream) * limit
            low = product & _MASK32
    return product >> 32


@_compiled
def uniform(stream: Any) -> float:
    """A float from 0 up to 1 with 32 random bits, the same on every machine."""
    return next32(stream) * (1.0 / 4294967296.0)
