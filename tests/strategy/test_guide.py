"""Every block of Python in docs/strategies.md is a strategy that keeps its contract."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import beansim as package
from beansim.checking.contract import check_strategy
from beansim.strategy import load

GUIDE = Path(package.__file__).parent.parent / "docs" / "strategies.md"
BLOCKS = re.findall(r"^## ([^\n]*)\n(?:(?!^## ).)*?^```python\n(.*?)^```", GUIDE.read_text(), re.S | re.M)
CHECKS = ["compiles", "answers legally", "deterministic by seed", "native equals interpreted"]


def test_every_block_is_found() -> None:
    assert len(BLOCKS) == GUIDE.read_text().count("```python") >= 7


@pytest.mark.parametrize(("title", "block"), BLOCKS, ids=[title for title, _ in BLOCKS])
def test_a_block_plays(title: str, block: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(block)
    found = list(check_strategy(load(str(path)), 5, checks=CHECKS))
    assert [item.detail for item in found if item.passed is False] == []
