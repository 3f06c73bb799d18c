"""Reading files that people hand in, TOML and JSON, and values checked where they enter."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from beansim.errors import InputError, unknown

MAX_FILE_BYTES = 1_000_000
"""Largest TOML file that is read."""
MAX_RESULT_BYTES = 500_000_000
"""Largest JSON file of a run that is read; the tallies of 156 arms take five million bytes."""


def read_limited(path: Path, most: int) -> bytes:
    """What is in a file; InputError where that is more than so many bytes. OSError passes through."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InputError(f"{path}: larger than {most:,} bytes, beansim writes and reads no such file")
    return content


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; InputError when it cannot be read, is too large, or is no TOML."""
    try:
        return tomllib.loads(read_limited(path, MAX_FILE_BYTES).decode())
    except OSError as error:
        raise InputError(f"cannot read the experiment {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8") from error
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise InputError(f"{path}: broken TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{path}: broken TOML: nested too deep") from error


def parse_json(text: str | bytes) -> Any:
    """What a JSON text says; ValueError when it is none, or nested too deep to be one of ours."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Say in every InputError of the block where its cause stands."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def check_keys(where: str, what: str, data: Mapping[str, Any], known: Sequence[str]) -> None:
    """InputError for a key that is not among the known ones."""
    for key in data:
        if key not in known:
            raise unknown(what, key, known, where)


def check_number(where: str, name: str, value: Any, low: int, high: int) -> None:
    """InputError unless the value is a whole number from low to high."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(at(where, f"{name} is {value!r}, expected a whole number from {low} to {high}"))


def check_word(where: str, name: str, value: Any, words: Sequence[str]) -> None:
    """InputError unless the value is one of the words."""
    if value not in words:
        raise unknown(f"value of {name}", value, words, where)


def check_text(where: str, name: str, value: Any) -> None:
    """InputError unless the value is text."""
    if not isinstance(value, str):
        raise InputError(at(where, f"{name} is {value!r}, expected text in quotes"))


def at(where: str, message: str) -> str:
    """A message with its place before it, where there is one to name."""
    return f"{where}: {message}" if where else message
