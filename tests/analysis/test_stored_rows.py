"""Rows that are not what the run wrote are refused before anybody reads them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from beansim import open_run
from beansim.analysis.convergence import Settling
from beansim.analysis.frames import block_frame
from beansim.analysis.run import Run
from beansim.errors import InputError
from beansim.experiment import Changes, find_experiment, read_experiment
from beansim.simulate.run import run


def _flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "a number": lambda path: _flip(path, 40),
    "the description": lambda path: _flip(path, path.stat().st_size - 40),
    "the end": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "all": Path.unlink,
}
"""Of the second, polars makes an end of the process, or a panic that no `except Exception` catches."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows") / "whole"
    changes = Changes(deals=30, players=("hermit", "hermit", "hermit", "hermit"), keep="games")
    run(read_experiment(find_experiment("two-pass")).changed(changes), folder)
    return folder


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("table", ["games", "seats"])
def test_damaged_rows_are_named(whole: Path, tmp_path: Path, table: str, damage: str) -> None:
    shutil.copytree(whole, tmp_path / "run")
    DAMAGE[damage](tmp_path / "run" / "chunks" / f"{table}-00000.parquet")
    found = Run.read(tmp_path / "run")
    assert found.problems == (f"{table}-00000.parquet is damaged: only its tallies are used.",)
    with pytest.raises(InputError, match=rf"{table}-00000\.parquet is damaged; `beansim run --resume"):
        block_frame(found)
    with pytest.raises(InputError, match="damaged"):
        getattr(open_run(tmp_path / "run"), table)
    # The tallies are there still: what settled is seen chunk by chunk.
    assert len(Settling(found).win_shares(0, "hermit")) == 1


def test_rows_that_nobody_wrote_are_not_read(whole: Path, tmp_path: Path) -> None:
    """A file that no chunk speaks of."""
    shutil.copytree(whole, tmp_path / "run")
    shutil.copy(tmp_path / "run/chunks/games-00000.parquet", tmp_path / "run/chunks/games-00001.parquet")
    assert block_frame(Run.read(tmp_path / "run")).equals(block_frame(Run.read(whole)))
