from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from beansim.strategy import Entrant, load

Written = Callable[..., Entrant]

HEADER = (
    "from beansim.strategy import CLOSE, NONE, OFFER, PASS, Strategy, Table, hook, memory, param, silent\n\n"
)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write the file of a strategy: what an author imports, then the text."""

    def write_file(text: str, name: str = "mine") -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(HEADER + textwrap.dedent(text))
        return path

    return write_file


@pytest.fixture
def written(write: Callable[..., Path]) -> Written:
    """Write the file of a strategy and load it."""

    def load_text(text: str, name: str = "mine", spec: str = "") -> Entrant:
        return load(str(write(text, name)) + spec)

    return load_text
