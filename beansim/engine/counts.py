"""Arithmetic on rows of counts, all kinds at once.

A row of 16 counts per kind is also two 64-bit words of eight bytes. As counts stay below 128,
the high bit of each byte is free to catch a borrow, so one subtraction compares eight kinds.
All functions take the words of a row (uint64[2]).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from beansim.strategy.compiling import compiled

_HIGH = np.uint64(0x8080808080808080)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_BYTE = np.uint64(0xFF)
_NO = np.uint64(0)


@compiled
def any_of(row: Any) -> bool:
    """True when the row has any card."""
    return (row[0] | row[1]) != _NO


@compiled
def clear(row: Any) -> None:
    """Set every count to zero."""
    row[0] = _NO
    row[1] = _NO


@compiled
def copy(to: Any, row: Any) -> None:
    """Copy all counts."""
    to[0] = row[0]
    to[1] = row[1]


@compiled
def proper(row: Any) -> bool:
    """True when no count is negative (or too large for a byte)."""
    return ((row[0] | row[1]) & _HIGH) == _NO


@compiled
def covers(have: Any, want: Any) -> bool:
    """True when `have` has at least the cards of `want`; `want` must be proper."""
    first = ((have[0] | _HIGH) - want[0]) & _HIGH
    second = ((have[1] | _HIGH) - want[1]) & _HIGH
    return (first & second) == _HIGH


@compiled
def covers_both(one: Any, two: Any, want: Any) -> bool:
    """True when two rows together have at least the cards of `want`; `want` must be proper."""
    first = (((one[0] + two[0]) | _HIGH) - want[0]) & _HIGH
    second = (((one[1] + two[1]) | _HIGH) - want[1]) & _HIGH
    return (first & second) == _HIGH


@compiled
def flags_within(row: Any, kinds: Any) -> bool:
    """True when the row is 0 or 1 for each kind of `kinds` (a row of ones) and 0 elsewhere."""
    return ((row[0] & (kinds[0] ^ _ALL)) | (row[1] & (kinds[1] ^ _ALL))) == _NO


@compiled
def within(row: Any, flags: Any) -> bool:
    """True when the row has cards of flagged kinds only; flags are 0 or 1."""
    first = row[0] & ((flags[0] * _BYTE) ^ _ALL)
    second = row[1] & ((flags[1] * _BYTE) ^ _ALL)
    return (first | second) == _NO


@compiled
def share(row: Any, flags: Any) -> bool:
    """True when the row has a card of any flagged kind; flags are 0 or 1."""
    return ((row[0] & (flags[0] * _BYTE)) | (row[1] & (flags[1] * _BYTE))) != _NO
