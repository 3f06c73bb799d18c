"""Kept machine code: compiled once by many, read where it cannot be written; not what others can write."""

from __future__ import annotations

import json
import os
import shutil
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
if "full disk" in sys.argv:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
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


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["empty", "cut", "garbled"])
def test_what_is_damaged_is_compiled_anew(filled: Path, tmp_path: Path, kind: str, damage: str) -> None:
    """A loss of power leaves empty files and cut ones."""
    cache = Path(shutil.copytree(filled, tmp_path / "cache"))
    (path,) = cache.rglob(f"*.{kind}")
    content = path.read_bytes()
    path.write_bytes({"empty": b"", "cut": content[:300], "garbled": b"?" * len(content)}[damage])
    assert counts(start(cache))[1] == 1
    assert counts(start(cache)) == (1, 0)


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_full_disk_keeps_nothing_and_stops_nobody(tmp_path: Path) -> None:
    assert counts(start(tmp_path, "full disk")) == (0, 1), "compiled for this process alone"
    assert counts(start(tmp_path)) == (0, 1)
    assert counts(start(tmp_path)) == (1, 0)


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
