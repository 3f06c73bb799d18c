"""What `beansim bench` measures on this machine: each function makes a `Measurement` of figures.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from beansim.cli.figures import Measurement, Sample
from beansim.engine import Arm, Bench, play, warm
from beansim.experiment import Changes, Experiment, describe
from beansim.simulate.chunks import Chunk, Filled
from beansim.simulate.folder import RunFolder
from beansim.simulate.tallies import ArmBatch, Tallies
from beansim.simulate.work import layout_of
from beansim.strategy.cache import CACHE_VARIABLE

MILLION = 1e6
MEGABYTE = 1e6
SEED = 1

_PEAK = """
def peak():
    # Of this process alone: what getrusage says may be left from the process that started it.
    try:
        lines = open("/proc/self/status").read().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        import resource, sys
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
"""

FIRST_BATCH = (
    _PEAK
    + """
import json
from beansim.cli.play import build_arm
from beansim.engine import play
play(build_arm("base", {players!r}, "fixed"), 1, 0, 100)
print(json.dumps({{"peak": peak()}}))
"""
)

WHOLE_RUN = (
    _PEAK
    + """
import json, time
from pathlib import Path
from beansim.experiment import from_description
from beansim.report import write_report
from beansim.simulate.run import run
folder = Path({folder!r})
run(from_description(json.loads({plan!r}), "bench"), folder)
started = time.perf_counter()
write_report(folder, folder)
print(json.dumps({{"report": time.perf_counter() - started, "peak": peak()}}))
"""
)


# --- games ----------------------------------------------------------------------------------------


def speed(name: str, arm: Arm, games: int) -> Measurement:
    """Games and decisions (hook calls) a second of CPU time on one core, compiled beforehand.

    The fastest slice is what the core can do; other tenants of a processor slow down the others.
    """
    warm([arm])
    deals = max(1, games // len(arm.seatings))
    bench = Bench(arm)
    size = _deals_of_a_slice(bench)

    def measure() -> Iterator[Sample]:
        slices = list(_slices(bench, deals, size))
        seconds, decisions = (sum(column) for column in list(zip(*slices, strict=True))[1:])
        yield Sample(name, "games/s", deals * len(arm.seatings) / seconds)
        fastest = max(played / taken for played, taken, _ in slices)
        yield Sample(f"{name}, fastest slice", "games/s", fastest * len(arm.seatings))
        yield Sample(name, "decisions/s", decisions / seconds)

    return measure


SLICE_SECONDS = 0.005
"""Long enough to be timed, and short enough that there are some which nobody disturbs."""


def _deals_of_a_slice(bench: Bench) -> int:
    tried = [seconds / count for count, seconds, _ in _slices(bench, 500, 100)]
    return max(1, round(SLICE_SECONDS / min(tried)))


def _slices(bench: Bench, deals: int, size: int) -> Iterator[tuple[int, float, int]]:
    """Play so many deals, `size` of them at a time: deals, CPU seconds and decisions of each slice."""
    for first in range(0, deals, size):
        count = min(size, deals - first)
        started = time.process_time()
        batch, _ = bench.run(SEED, first, count)
        yield count, time.process_time() - started, batch.decisions


def jobs(name: str, arm: Arm, games: int, number: int) -> Measurement:
    """Games a second of wall time of so many jobs."""
    warm([arm])
    deals = max(8, games // len(arm.seatings)) // 8

    def measure() -> Iterator[Sample]:
        with Parallel(n_jobs=number, prefer="threads", batch_size=1) as pool:
            started = time.perf_counter()
            pool(delayed(play)(arm, SEED, batch * deals, deals) for batch in range(8))
            yield Sample(name, "games/s", 8 * deals * len(arm.seatings) / (time.perf_counter() - started))

    return measure


# --- results --------------------------------------------------------------------------------------


def storing(question: Experiment, games: int) -> Measurement:
    """What it costs to tally and to store a chunk of so many games, each timed by itself.

    Tallies are CPU time, as the games are; storing waits for the disk and is wall time.
    """
    arms = question.build()
    warm(arms)
    deals = max(1, games // sum(len(arm.seatings) for arm in arms))

    def measure() -> Iterator[Sample]:
        played = [play(arm, question.seed, 0, deals) for arm in arms]
        count = sum(len(batch.games) for batch in played)
        started = time.process_time()
        tallies = Tallies.of(
            [
                ArmBatch(layout_of(arm), batch.games, batch.seats, batch.harvests, batch.trades)
                for arm, batch in zip(arms, played, strict=True)
            ]
        )
        tallying, started = time.process_time() - started, time.perf_counter()
        rows = [batch.games for batch in played], [batch.seats for batch in played]
        size = _store(Filled(Chunk(0, 0, deals), tallies, *rows), max(arm.rules.run_outs for arm in arms))
        storing_seconds = time.perf_counter() - started
        unit = "s a million games"
        yield Sample("tallies", unit, tallying * MILLION / count)
        yield Sample("storing rows", unit, storing_seconds * MILLION / count)
        yield Sample("rows on disk", "bytes a game", size / count)

    return measure


def _store(filled: Filled, run_outs: int) -> int:
    """Store a chunk as a run does; the bytes of its rows."""
    with tempfile.TemporaryDirectory(prefix="beansim-bench-") as name:
        folder = RunFolder(Path(name))
        folder.chunks.mkdir()
        folder.write_chunk(filled, run_outs, "bench")
        return sum(path.stat().st_size for path in folder.chunks.glob("*.parquet"))


def whole_run(question: Experiment, games: int) -> Measurement:
    """A run that keeps tallies alone, in a process of its own: its peak memory, and its report."""
    deals = max(1, games // sum(len(arm.seatings) for arm in question.build()))
    plan = question.changed(Changes(deals=deals, keep="summary"))
    text = json.dumps(describe(plan, plan.build()))

    def measure() -> Iterator[Sample]:
        with tempfile.TemporaryDirectory(prefix="beansim-bench-") as folder:
            found = _process(WHOLE_RUN.format(folder=str(Path(folder) / "run"), plan=text))
        yield Sample("its report", "s", found["report"])
        yield Sample("peak memory of a run and its report", "MB", found["peak"] / MEGABYTE)

    return measure


# --- starting -------------------------------------------------------------------------------------


def start(players: Sequence[str], *, cold: bool = False) -> Measurement:
    """From a new process to its first finished batch, with or without kept machine code."""
    code = FIRST_BATCH.format(players=tuple(players))
    word = "cold" if cold else "warm"

    def measure() -> Iterator[Sample]:
        with tempfile.TemporaryDirectory(prefix="beansim-bench-") as folder:
            started = time.perf_counter()
            found = _process(code, {CACHE_VARIABLE: folder} if cold else {})
            yield Sample(f"{word} start to the first batch", "s", time.perf_counter() - started)
            yield Sample(f"peak memory of a {word} start", "MB", found["peak"] / MEGABYTE)

    return measure


def help_text() -> Iterator[Sample]:
    """`beansim --help` from a new process."""
    started = time.perf_counter()
    command = [sys.executable, "-c", "from beansim.cli.main import main; main(['--help'])"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    yield Sample("beansim --help", "s", time.perf_counter() - started)


def _process(code: str, changed: dict[str, str] | None = None) -> dict[str, Any]:
    """What a script prints as JSON on its last line, run in a process of its own."""
    environment = {**os.environ, **(changed or {})}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env=environment, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
