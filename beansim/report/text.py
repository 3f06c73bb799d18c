"""Plain text for stdout: columns that line up and prose that fits the width of the terminal.

Numbers are never cut: what is too wide is put below, and only names are shortened.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

from beansim.report.names import shorten_all

LEAST_PROSE = 24
"""Columns in which a text can be read; a narrower last column is put below instead."""

LEAST_WORDS = 12
"""Columns of a text that is put below and still has too little room."""

LEAST_NAME = 8
"""Letters that are left of a name at least."""

PROSE = 4
"""Words of letters alone that make a cell prose; a number with its unit and interval has fewer."""

GAP = 2
"""Spaces between two columns."""


def terminal_width() -> int:
    """Columns of the terminal, or what COLUMNS says; 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def filled(text: str, indent: str = "", more: str | None = None, width: int | None = None) -> str:
    """Prose in lines that fit; those after the first begin with `more` (or `indent` again)."""
    return textwrap.fill(
        text,
        max(width or terminal_width(), LEAST_PROSE),
        initial_indent=indent,
        subsequent_indent=indent if more is None else more,
        break_long_words=False,
        break_on_hyphens=False,
    )


def aligned(
    rows: Sequence[Sequence[object]], indent: str = "", *, keys: int = 1, width: int | None = None
) -> str:
    """Rows as lines whose cells line up; the last cell of a row is never padded.

    Where they are too wide for the terminal, a last column of prose is wrapped; otherwise the columns that
    do not fit stand in another table below, behind the same first `keys` columns.

    Args:
        rows: the cells; the first row may be a heading.
        indent: what every line begins with.
        keys: columns that tell what a row is about.
        width: of the terminal, if not the one that it has.
    """
    room = (width or terminal_width()) - len(indent)
    cells = _with_short_names([[str(cell) for cell in row] for row in rows], keys, room)
    sizes = _sizes(cells)
    if _total(sizes) <= room or _room_for_prose(cells, room) >= LEAST_PROSE:
        cuts = [(keys, len(sizes))]
    else:
        cuts = _cuts(sizes, keys, room)
    parts = (_lines([[*row[:keys], *row[first:past]] for row in cells], room) for first, past in cuts)
    return "\n\n".join("\n".join(indent + line for line in part) for part in parts)


def _lines(cells: list[list[str]], room: int) -> list[str]:
    """The rows of one table; a last column of prose is wrapped if need be."""
    sizes = _sizes(cells)
    if _total(sizes) > room and (left := _room_for_prose(cells, room)):
        sizes[-1] = max(left, min(LEAST_WORDS, sizes[-1]))
        return [line for row in cells for line in _wrapped(row, sizes)]
    return [_padded(row, sizes) for row in cells]


def _room_for_prose(cells: list[list[str]], room: int) -> int:
    """Columns that are left for the last column; 0 where it holds no prose."""
    if not any(sum(word.strip(",.;:()").isalpha() for word in row[-1].split()) >= PROSE for row in cells):
        return 0
    return max(1, room - _total(_sizes(cells)[:-1]) - GAP)


def _sizes(cells: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*cells, strict=True)]


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + GAP * max(0, len(sizes) - 1)


def _with_short_names(cells: list[list[str]], keys: int, room: int) -> list[list[str]]:
    """The last of the key columns holds names: they leave room for the widest number."""
    sizes, column = _sizes(cells), keys - 1
    numbers = sizes[keys:-1] if _room_for_prose(cells, room) else sizes[keys:]
    left = min(room // 2, room - _total(sizes[:column]) - max(numbers, default=0) - 2 * GAP)
    most = max(LEAST_NAME, left)
    if sizes[column] <= most or _total(sizes) <= room:
        return cells
    names = list(dict.fromkeys(row[column] for row in cells))
    short = dict(zip(names, shorten_all(names, most), strict=True))
    return [[*row[:column], short[row[column]], *row[column + 1 :]] for row in cells]


def _cuts(sizes: Sequence[int], keys: int, room: int) -> list[tuple[int, int]]:
    """Ranges of columns that fit behind the keys, one column at least in each."""
    left, cuts, first = room - _total(sizes[:keys]), [], keys
    for place in range(keys, len(sizes)):
        if place > first and sum(sizes[first : place + 1]) + GAP * (place + 1 - first) > left:
            cuts.append((first, place))
            first = place
    return [*cuts, (first, len(sizes))]


def _padded(row: Sequence[str], sizes: Sequence[int]) -> str:
    return (" " * GAP).join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip()


def _wrapped(row: Sequence[str], sizes: Sequence[int]) -> list[str]:
    lines = textwrap.wrap(row[-1], sizes[-1], break_long_words=False, break_on_hyphens=False) or [""]
    blank = [""] * (len(row) - 1)
    return [_padded([*(blank if number else row[:-1]), line], sizes) for number, line in enumerate(lines)]
