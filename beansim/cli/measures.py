"""Measurements of this machine for `beansim bench`: plain functions that return plain data."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from joblib import Parallel, delayed

from beansim.engine import Arm, play, warm
from beansim.experiment import Changes, Experiment
from beansim.report import write_report
from beansim.simulate.run import run
from beansim.strategy.cache import CACHE_VARIABLE

REPEATS = 3
"""Each speed is the best of so many tries: whatever else runs can only make it slower."""

FIRST_BATCH = """
from beansim.cli.play import build_arm
from beansim.engine import play
play(build_arm("base", {players!r}, "fixed"), 1, 0, 100)
"""


def speed(arm: Arm, games: int) -> dict[str, float]:
    """Games and decisions (hook calls) a second of CPU time on one core, compiled beforehand."""
    warm([arm])
    deals = max(1, games // len(arm.seatings))
    play(arm, 1, 0, max(1, deals // 100))
    best, decisions = min(cpu_seconds(arm, deals) for _ in range(REPEATS))
    played = deals * len(arm.seatings)
    return {
        "games_per_second": played / best,
        "microseconds_per_game": 1e6 * best / played,
        "decisions_per_second": decisions / best,
        "decisions_per_game": decisions / played,
    }


def cpu_seconds(arm: Arm, deals: int) -> tuple[float, int]:
    """CPU time of playing so many deals, and the decisions made."""
    started = time.process_time()
    batch = play(arm, 1, 0, deals)
    return time.process_time() - started, batch.decisions


def scaling(arm: Arm, games: int) -> dict[str, float]:
    """Wall time of one job over that of two, for the same games."""
    warm([arm])
    deals = max(8, games // len(arm.seatings)) // 8
    one, two = (min(_wall_seconds(arm, deals, jobs) for _ in range(REPEATS)) for jobs in (1, 2))
    return {"one_job_seconds": one, "two_jobs_seconds": two, "times_as_fast": one / two}


def _wall_seconds(arm: Arm, deals: int, jobs: int) -> float:
    """Eight batches of `deals` deals each."""
    with Parallel(n_jobs=jobs, prefer="threads", batch_size=1) as pool:
        started = time.perf_counter()
        pool(delayed(play)(arm, 1, number * deals, deals) for number in range(8))
        return time.perf_counter() - started


def start_up(players: Sequence[str], cold: bool) -> float:
    """Seconds from a new process to its first finished batch, with or without kept machine code."""
    code = FIRST_BATCH.format(players=tuple(players))
    with tempfile.TemporaryDirectory(prefix="beansim-bench-") as folder:
        changed = {CACHE_VARIABLE: folder} if cold else {}
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **changed})
        return time.perf_counter() - started


def overhead(plan: Experiment, games: int) -> dict[str, float]:
    """What storing and reporting cost beside the games of an experiment, one job, wall time."""
    arms = plan.build()
    warm(arms)
    deals = max(1, games // sum(len(arm.seatings) for arm in arms))
    alone = _seconds_alone(arms, plan.seed, deals)
    with tempfile.TemporaryDirectory(prefix="beansim-bench-") as folder:
        outcome = run(plan.changed(Changes(deals=deals)), Path(folder))
        started = time.perf_counter()
        write_report(outcome.folder, outcome.folder)
        report = time.perf_counter() - started
    return _shares(outcome.games, alone, outcome.seconds - alone, report)


def _seconds_alone(arms: Sequence[Arm], seed: int, deals: int) -> float:
    started = time.perf_counter()
    for arm in arms:
        play(arm, seed, 0, deals)
    return time.perf_counter() - started


def _shares(games: int, alone: float, storing: float, report: float) -> dict[str, float]:
    # The report takes as long for a million games, everything else grows with their number.
    million = 1e6 / games
    return {
        "games": games,
        "games_seconds": alone,
        "storing_seconds": storing,
        "report_seconds": report,
        "extra_share": (storing + report) / alone,
        "extra_share_of_a_million": (storing * million + report) / (alone * million),
    }
