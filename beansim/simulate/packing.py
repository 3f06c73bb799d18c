"""Integer arrays and ranges of deals as plain data, and their exact sums; everything read is checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from beansim.errors import InputError

Ints: TypeAlias = NDArray[np.int64]

SAFE = 2**62
"""Sums stay below this, so that adding two of them cannot overflow int64."""


class Covered:
    """What every tally over deals can say of them.

    Attributes:
        ranges: deals covered, as (first, past).
        excluded: deals among them that are in no moment.
    """

    ranges: tuple[tuple[int, int], ...]
    excluded: int

    @property
    def deals(self) -> int:
        """Deals covered, excluded ones too."""
        return sum(past - first for first, past in self.ranges)

    @property
    def blocks(self) -> int:
        """Blocks that the moments rest on."""
        return self.deals - self.excluded


def join_ranges(
    left: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Union of disjoint ranges of deals, neighbours joined; InputError when they overlap."""
    joined: list[tuple[int, int]] = []
    for first, past in sorted((*left, *right)):
        if joined and first < joined[-1][1]:
            raise InputError(f"deals {first} to {min(past, joined[-1][1]) - 1} are tallied twice")
        if joined and first == joined[-1][1]:
            joined[-1] = (joined[-1][0], past)
        else:
            joined.append((first, past))
    return tuple(joined)


def add(left: Ints, right: Ints, name: str) -> Ints:
    """Exact sum of two arrays; InputError when a number leaves the safe range, as no games' do."""
    total = left + right
    if np.abs(total).max(initial=0) >= SAFE:
        raise InputError(f"sums in the tally {name!r} go beyond 2**62: a chunk is damaged")
    return total


def pack(values: Ints) -> dict[str, Any]:
    """An integer array as plain data: dense, or places and values where it is mostly zero."""
    flat = values.ravel()
    places = np.flatnonzero(flat)
    if 2 * len(places) < len(flat):
        return {"at": places.tolist(), "values": flat[places].tolist()}
    return {"values": flat.tolist()}


def unpack(packed: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Ints:
    """Read what `pack` wrote back to `shape`; InputError when damaged."""
    part = get(packed, name, dict)
    size = int(np.prod(shape))
    if "at" not in part:
        return dense(part.get("values"), name, (size,)).reshape(shape)
    places = dense(part["at"], name, None)
    if len(places) and (places[0] < 0 or places[-1] >= size or (np.diff(places) <= 0).any()):
        raise InputError(f"a tally is damaged: {name} has places outside {shape} or out of order")
    flat = np.zeros(size, dtype=np.int64)
    flat[places] = dense(part.get("values"), name, places.shape)
    return flat.reshape(shape)


def dense(values: Any, name: str, shape: tuple[int, ...] | None) -> Ints:
    """A list of whole numbers as an array, of length `shape[0]` if given; InputError when damaged."""
    # By the set of their types, since a long run has millions of them.
    if not isinstance(values, list) or not {*map(type, values)} <= {int}:
        raise InputError(f"a tally is damaged: {name} is not a list of whole numbers")
    if shape is not None and (len(values),) != shape:
        raise InputError(f"a tally is damaged: {name} has {len(values)} numbers, expected {shape[0]}")
    if values and (max(values) >= SAFE or min(values) <= -SAFE):
        raise InputError(f"a tally is damaged: {name} has a number that is too large")
    return np.array(values, dtype=np.int64)


def get(data: Mapping[str, Any], name: str, kind: type) -> Any:
    """The value under `name`, which must be a `kind`; InputError otherwise."""
    value = data.get(name) if isinstance(data, Mapping) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"a tally is damaged: {name} is missing or not a {kind.__name__}")
    return value


def whole(data: Mapping[str, Any], name: str) -> int:
    """The whole number from 0 up to 2**62 under `name`; InputError otherwise."""
    value: int = get(data, name, int)
    if not 0 <= value < SAFE:
        raise InputError(f"a tally is damaged: {name} is {value}")
    return value


def rows(data: Mapping[str, Any], name: str, width: int) -> list[tuple[int, ...]]:
    """The list of rows of `width` whole numbers under `name`; InputError otherwise."""
    found = get(data, name, list)
    if any(not isinstance(row, list) for row in found):
        raise InputError(f"a tally is damaged: {name} is not a list of rows")
    return [tuple(dense(row, name, (width,)).tolist()) for row in found]


def read_covered(data: Mapping[str, Any]) -> tuple[tuple[tuple[int, int], ...], int]:
    """The ranges of deals under `ranges`, joined, and how many of those deals are `excluded`.

    InputError when a range is empty, negative or overlaps another, or more are excluded than there are.
    """
    pairs = [(row[0], row[1]) for row in rows(data, "ranges", 2)]
    if any(not 0 <= first < past for first, past in pairs):
        raise InputError("a tally is damaged: a range of deals is empty or negative")
    ranges, excluded = join_ranges(pairs, ()), whole(data, "excluded")
    if excluded > sum(past - first for first, past in ranges):
        raise InputError(f"a tally is damaged: {excluded} deals are excluded, more than it covers")
    return ranges, excluded
