"""Kept machine code: compiled once by many, read where it cannot be written; not what others can write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LOAD = """
import json, os, sys
if "read-only" in sys.argv:
    allowed = os.access
    os.access = lambda path, mode, **more: mode != os.W_OK and allowed(path, mode, **more)
from beansim.strategy import load
from beansim.strategy import compiled
assert compiled.hook_address(load("hermit").cls, "plant_next") > 0
(kept,) = compiled._kept.values()
print(json.dumps([sum(kept.stats.cache_hits.values()), sum(kept.stats.cache_misses.values())]))
"""


def start(cache: Path, *words: str) -> subprocess.Popen[str]:
    """A process that needs one hook."""
    environment = {**os.environ, "BEANSIM_CACHE": str(cache)}
    command = [sys.executable, "-c", LOAD, *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def counts(process: subprocess.Popen[str]) -> tuple[int, int]:
    """How often it found the hook's machine code, and how often it compiled it to be kept."""
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    hits, misses = json.loads(out)
    return hits, misses


def files(folder: Path) -> dict[str, Any]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that four cold starts have filled at the same time."""
    cache = tmp_path_factory.mktemp("cache")
    found = [counts(process) for process in [start(cache) for _ in range(4)]]
    assert sorted(found) == [(0, 1), (1, 0), (1, 0), (1, 0)], "one compiles, the others wait for it"
    return cache


def test_a_filled_cache_is_for_its_owner_alone(filled: Path) -> None:
    folders = [path for path in filled.glob("*/**/") if path.name != "__pycache__"]
    assert folders
    assert all(path.stat().st_mode & 0o077 == 0 for path in folders)


def test_a_filled_cache_is_used_where_it_cannot_be_written(filled: Path) -> None:
    before = files(filled)
    assert counts(start(filled, "read-only")) == (1, 0)
    assert files(filled) == before


def test_nothing_is_read_that_others_could_have_written(filled: Path) -> None:
    """Machine code is kept in pickles, which can run code."""
    (folder,) = filled.glob("*/")
    folder.chmod(0o777)
    before = files(filled)
    try:
        assert counts(start(filled)) == (0, 1), "compiled for this process alone"
        assert counts(start(filled, "read-only")) == (0, 1)
        assert files(filled) == before
    finally:
        folder.chmod(0o700)
    assert counts(start(filled)) == (1, 0)
