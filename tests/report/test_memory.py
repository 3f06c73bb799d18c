"""A run of many chunks takes no more memory to read than one of a few."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

from synthetic_runs import make_run

from beansim.analysis.estimates import strategy, sums_of
from beansim.analysis.run import Run


def peak_memory(folder: Path) -> int:
    """Bytes held at most while the run is read."""
    gc.collect()
    tracemalloc.start()
    try:
        Run.read(folder)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_reading_many_chunks_takes_the_memory_of_a_few(tmp_path: Path) -> None:
    few, many = make_run(tmp_path / "few", chunks=3), make_run(tmp_path / "many", chunks=60)
    Run.read(few)
    assert peak_memory(many) < 1.5 * peak_memory(few)
    assert len(Run.read(many).course) == 60


def test_the_course_ends_where_the_run_stands(tmp_path: Path) -> None:
    run = Run.read(make_run(tmp_path / "run", chunks=4))
    assert [stage.win_share[0][0, 0] for stage in run.course] == [250, 500, 750, 1000]
    tally = run.tally(0)
    found = [sums_of(tally, "win_share", strategy(label)) for label in tally.layout.strategies]
    assert run.course[-1].win_share[0].tolist() == [[one.blocks, one.total, one.squares] for one in found]
