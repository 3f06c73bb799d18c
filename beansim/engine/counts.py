"""Rows of counts by kind, worked on by the bit mask of the kinds that matter.

A row is compared, copied and cleared only where its mask says so: an offer names one or two kinds.
"""

from __future__ import annotations

from typing import Any

from beansim.strategy.bits import lowest
from beansim.strategy.compiling import compiled


@compiled
def filled(row: Any, touched: int) -> int:
    """Mask of the kinds, among those touched, whose count is not zero."""
    mask = 0
    while touched:
        kind = lowest(touched)
        touched &= touched - 1
        mask |= int(row[kind] != 0) << int(kind)
    return mask


@compiled
def clear(row: Any, mask: int) -> None:
    """Set the counts of the mask to zero."""
    while mask:
        row[lowest(mask)] = 0
        mask &= mask - 1


@compiled
def copy(to: Any, row: Any, mask: int) -> None:
    """Copy the counts of the mask."""
    while mask:
        kind = lowest(mask)
        mask &= mask - 1
        to[kind] = row[kind]


@compiled
def covers(have: Any, want: Any, mask: int) -> bool:
    """True when `have` has the cards of `want` in the mask, and none of them is negative."""
    sign = 0
    while mask:
        kind = lowest(mask)
        mask &= mask - 1
        sign |= (int(have[kind]) - int(want[kind])) | int(want[kind])
    return sign >= 0


@compiled
def covers_both(one: Any, two: Any, want: Any, mask: int) -> bool:
    """True when two rows together have the cards of `want` in the mask, and none is negative."""
    sign = 0
    while mask:
        kind = lowest(mask)
        mask &= mask - 1
        sign |= (int(one[kind]) + int(two[kind]) - int(want[kind])) | int(want[kind])
    return sign >= 0


@compiled
def flags(row: Any, mask: int) -> bool:
    """True when the row holds only ones in the mask."""
    other = 0
    while mask:
        other |= int(row[lowest(mask)]) ^ 1
        mask &= mask - 1
    return other == 0


@compiled
def proper(row: Any, mask: int) -> bool:
    """True when no count of the mask is negative."""
    sign = 0
    while mask:
        sign |= int(row[lowest(mask)])
        mask &= mask - 1
    return sign >= 0


@compiled
def total(row: Any, mask: int) -> int:
    """Cards of the mask."""
    cards = 0
    while mask:
        cards += int(row[lowest(mask)])
        mask &= mask - 1
    return cards
