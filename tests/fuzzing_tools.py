"""What the fuzz tests of the readers share: damaged files, and a watch over what reading them does."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

NUMBERS = (0, -1, 1, 2**31, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"))
TEXTS = ("", "x", "../../x", "/etc/passwd", "trader", "\x00", "\ud800", "a" * 5000)
JUNK: tuple[Any, ...] = (None, True, False, *NUMBERS, *TEXTS, [], [[]], [0] * 300, {}, {"": None})
"""Values to be found where others are expected."""
TOKENS = (
    b"",
    b"\x00",
    b"\xff\xfe",
    b"[",
    b"{",
    b'"',
    b"\n",
    b"=",
    b",",
    b"-",
    b"9" * 20,
    b"[" * 2000,
    b"1e999",
)


def damaged(content: bytes) -> st.SearchStrategy[bytes]:
    """The content with some places overwritten, cut out or filled in; or anything at all."""
    piece = st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6))
    place = st.tuples(st.integers(0, len(content)), st.integers(0, 30), piece)

    def apply(changes: list[tuple[int, int, bytes]]) -> bytes:
        found = content
        for at, length, new in changes:
            found = found[:at] + new + found[at + length :]
        return found

    return st.one_of(st.lists(place, min_size=1, max_size=4).map(apply), st.binary(max_size=200))


def changed_json(text: str | bytes) -> st.SearchStrategy[bytes]:
    """The JSON text with one or two of its values exchanged, left out, doubled or renamed."""

    def change(seed: int) -> bytes:
        chance = random.Random(seed)
        data = json.loads(text)
        for _ in range(chance.choice((1, 1, 2))):
            _change_one(data, chance)
        return json.dumps(data).encode()

    return st.one_of(
        st.integers(0, 2**32).map(change), damaged(text if isinstance(text, bytes) else text.encode())
    )


def _change_one(data: Any, chance: random.Random) -> None:
    """Walk down at random and change what is found there."""
    while isinstance(data, dict | list) and data:
        keys = list(data) if isinstance(data, dict) else range(len(data))
        key = chance.choice(keys)
        if not isinstance(data[key], dict | list) or not data[key] or chance.random() < 0.3:
            _exchange(data, key, chance)
            return
        data = data[key]


def _exchange(data: Any, key: Any, chance: random.Random) -> None:
    how = chance.randrange(6)
    if how == 0:
        del data[key]
    elif how == 1 and isinstance(data, dict):
        data[str(chance.choice(JUNK))] = data.pop(key)
    elif how == 2 and isinstance(data, list):
        data.insert(chance.randrange(len(data) + 1), data[key])
    elif how == 3 and isinstance(data[key], int):
        data[key] = data[key] + chance.choice((-1, 1, 255, -(2**40)))
    else:
        data[key] = chance.choice(JUNK)


# --- what reading must not do -----------------------------------------------------------------------

_watches: list[Callable[[str, tuple[Any, ...]], None]] = []
_FORBIDDEN = (
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "subprocess.Popen",
    "pickle.find_class",
    "socket.connect",
)
_CHANGES = (
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.truncate",
)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    for watch in _watches:
        watch(event, arguments)


sys.addaudithook(_audit)


@contextmanager
def harmless(folder: Path) -> Iterator[None]:
    """AssertionError when the block runs or unpickles anything, or writes outside the folder."""
    found: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _FORBIDDEN or (
            (event in _CHANGES or _writes(event, arguments)) and not _inside(arguments[0], folder)
        ):
            found.append(f"{event} {arguments}"[:200])

    _watches.append(watch)
    try:
        yield
    finally:
        _watches.remove(watch)
    assert not found


def _writes(event: str, arguments: tuple[Any, ...]) -> bool:
    if event != "open" or isinstance(arguments[0], int):
        return False
    return bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def _inside(path: Any, folder: Path) -> bool:
    return Path(os.path.realpath(os.fsdecode(path))).is_relative_to(os.path.realpath(folder))
