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
LOW_HALF = (1 << 32) - 1


def _philox_interpreted(k0: int, k1: int, c0: int, c2: int, c3: int) -> tuple[int, int, int, int]:
    k0, k1, c0, c1, c2, c3 = int(k0), int(k1), int(c0), 0, int(c2), int(c3)
    for _ in range(_ROUNDS):
        first, second = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (
            (second >> 64) ^ c1 ^ k0,
            second & _MASK64,
            (first >> 64) ^ c3 ^ k1,
            first & _MASK64,
        )
        k0, k1 = (k0 + _W0) & _MASK64, (k1 + _W1) & _MASK64
    return c0, c1, c2, c3


@intrinsic
def _philox_compiled(typingctx: Any, k0: Any, k1: Any, c0: Any, c2: Any, c3: Any) -> Any:
    """The same, one round after the other without a loop; numba has no product of 128 bits."""
    word, wide = ir.IntType(64), ir.IntType(128)
    numbers = types.UniTuple(types.uint64, 4)

    def product(builder: Any, factor: int, number: Any) -> tuple[Any, Any]:
        whole = builder.mul(builder.zext(number, wide), ir.Constant(wide, factor))
        return builder.trunc(builder.lshr(whole, ir.Constant(wide, 64)), word), builder.trunc(whole, word)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        k0, k1, c0, c2, c3 = args
        c1 = ir.Constant(word, 0)
        for _ in range(_ROUNDS):
            high0, low0 = product(builder, _M0, c0)
            high1, low1 = product(builder, _M1, c2)
            c0, c1 = builder.xor(builder.xor(high1, c1), k0), low1
            c2, c3 = builder.xor(builder.xor(high0, c3), k1), low0
            k0 = builder.add(k0, ir.Constant(word, _W0))
            k1 = builder.add(k1, ir.Constant(word, _W1))
        return context.make_tuple(builder, numbers, (c0, c1, c2, c3))

    return numbers(*[types.uint64] * 5), codegen


# The one leaf with two sources: Python integers do not wrap and NumPy's warn when they do.
_philox = _philox_interpreted if numba.config.DISABLE_JIT else _philox_compiled


@compiled
def _block(stream: Any, counter: int) -> Any:
    """The four 64-bit numbers of a stream at this counter."""
    return _philox(stream[0], stream[1], np.uint64(counter), stream[_INDEX], stream[_PURPOSE])  # type: ignore[arg-type]


@out_of_line
def _refill(stream: Any) -> None:
    """Draw the next four numbers into the stream's own places."""
    counter = np.int64(stream[_COUNTER]) + 1
    stream[_COUNTER] = np.uint64(counter)
    c0, c1, c2, c3 = _block(stream, counter)  # type: ignore[arg-type]
    stream[_BUFFER], stream[_BUFFER + 1] = c0, c1
    stream[_BUFFER + 2], stream[_BUFFER + 3] = c2, c3
    stream[_POSITION] = np.uint64(0)


@compiled
def draw_ahead(stream: Any, numbers: Any, count: int) -> None:
    """The first `count` 32-bit numbers of a stream, and up to seven more, into a row; the stream stays.

    A processor works on several blocks of them at once, which drawing one by one leaves it no room for.
    """
    for place in range(0, count, _HALVES):
        block = _block(stream, (place >> 3) + 1)
        for word in range(4):
            half = place + 2 * word
            numbers[half] = block[word] & np.uint64(LOW_HALF)
            numbers[half + 1] = block[word] >> np.uint64(32)


@out_of_line
def skip(stream: Any, count: int) -> None:
    """Pass over the first `count` 32-bit numbers of a stream."""
    stream[_COUNTER] = np.uint64(count >> 3)
    stream[_POSITION] = np.uint64(_HALVES)
    for _ in range(count & 7):
        next32(stream)


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
    return np.int64(half & np.uint64(LOW_HALF))  # type: ignore[return-value]


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
    low = product & LOW_HALF
    if low < limit:
        threshold = ((1 << 32) - limit) % limit
        while low < threshold:
            product = next32(stream) * limit
            low = product & LOW_HALF
    return product >> 32


@_compiled
def uniform(stream: Any) -> float:
    """A float from 0 up to 1 with 32 random bits, the same on every machine."""
    return next32(stream) * (1.0 / 4294967296.0)
