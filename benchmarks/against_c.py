"""How far the compiled engine is from plain C: the same games played by both, timed in turns.

    python benchmarks/against_c.py [--games N] [--repeats N]

compiles `hermit.c` with the system's C compiler (`$CC`, else `cc`), plays the same deals of a table of
four `hermit` in the base rules with it and with beansim's engine, checks that every recorded number of
every game is equal, and prints CPU times of one core and their ratio. Exit code 1: a game differs.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from beansim.cli.play import build_arm
from beansim.engine import Arm, play, warm
from beansim.report.text import aligned

SOURCE = Path(__file__).with_name("hermit.c")
BUILDS: dict[str, tuple[str, ...]] = {
    "-O2": ("-O2",),
    "-O3 -march=native": ("-O3", "-march=native"),
}
"""Ways to compile. The engine is compiled for the processor it runs on, so the second is its equal."""
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-shared", "-fPIC", "-ffp-contract=off")
"""Contracted products and sums would round otherwise than the engine's and choose other fields."""
PLAYERS, KINDS, CARD_COUNTS, WHYS, RUN_OUTS = 4, 8, 100, 3, 9

GAME_ROW = np.dtype(
    [
        ("deal", "i8"),
        ("turns", "i2"),
        ("winners", "i2"),
        ("run_outs", "i1"),
        ("end", "i1"),
        ("run_out_turn", "i2", (RUN_OUTS,)),
        ("run_out_phase", "i1", (RUN_OUTS,)),
    ],
    align=True,
)
"""`GameRow` of hermit.c, with the engine's names."""
SEAT_ROW = np.dtype(
    [
        ("deal", "i8"),
        ("seat", "i1"),
        ("entry", "i1"),
        *(
            (name, "i2")
            for name in ("coins", "win_units", "hand_left", "harvests", "zero_harvests", "second_plants")
        ),
    ],
    align=True,
)
"""`SeatRow` of hermit.c, with the engine's names."""
TALLY = np.dtype(("i8", (PLAYERS, KINDS, CARD_COUNTS, WHYS)))


class DifferenceError(Exception):
    """The two programs did not play the same games."""


@dataclass(frozen=True)
class Played:
    """What a range of deals gave: rows of games, rows of seats, harvests [entry, kind, cards, why]."""

    games: np.ndarray[Any, Any]
    seats: np.ndarray[Any, Any]
    harvests: np.ndarray[Any, Any]


class Program:
    """The compiled C program, loaded into this process."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))
        sizes = {"game_row": GAME_ROW.itemsize, "seat_row": SEAT_ROW.itemsize, "tally": TALLY.itemsize}
        for name, expected in sizes.items():
            size = getattr(self.library, f"{name}_size")()
            if size != expected:
                raise DifferenceError(f"{name} of {SOURCE.name} has {size} bytes, of this script {expected}")
        rows = (np.ctypeslib.ndpointer(GAME_ROW), np.ctypeslib.ndpointer(SEAT_ROW))
        self.library.play_range.argtypes = [ctypes.c_int64] * 3 + [*rows, np.ctypeslib.ndpointer(np.int64)]
        self.library.play_range.restype = None

    def play(self, seed: int, first_deal: int, deals: int) -> Played:
        """Play the deals first_deal, first_deal + 1, ..."""
        games = np.zeros(deals, GAME_ROW)
        seats = np.zeros(deals * PLAYERS, SEAT_ROW)
        harvests = np.zeros((PLAYERS, KINDS, CARD_COUNTS, WHYS), np.int64)
        self.library.play_range(seed, first_deal, deals, games, seats, harvests)
        return Played(games, seats, harvests)


def compiler() -> str | None:
    """The C compiler, None where there is none."""
    return shutil.which(os.environ.get("CC", "cc"))


def compile_program(folder: Path, flags: Sequence[str]) -> Program:
    """Compile hermit.c into the folder and load it; subprocess.CalledProcessError where it fails."""
    found = compiler()
    if found is None:
        raise FileNotFoundError("no C compiler: install one, or name it in CC")
    library = folder / f"hermit{''.join(flags)}.so"
    subprocess.run([found, *FLAGS, *flags, str(SOURCE), "-o", str(library)], check=True)
    return Program(library)


def hermits() -> Arm:
    """The table that hermit.c plays."""
    arm = build_arm("base", ("hermit",) * PLAYERS, "fixed")
    warm([arm])
    return arm


def engine_play(arm: Arm, seed: int, first_deal: int, deals: int) -> Played:
    """The same from beansim's engine."""
    batch = play(arm, seed, first_deal, deals)
    return Played(batch.games, batch.seats, batch.harvests)


def check_same(ours: Played, theirs: Played) -> None:
    """DifferenceError naming the first game and number in which the engine and the C program differ."""
    for what in ("games", "seats"):
        mine, other = getattr(ours, what), getattr(theirs, what)
        if len(mine) != len(other):
            raise DifferenceError(f"{what}: {len(mine)} rows of the engine, {len(other)} of the C program")
        for name in other.dtype.names:
            _check_column(what, name, mine, other)
    if not np.array_equal(ours.harvests, theirs.harvests):
        place = tuple(int(index) for index in np.argwhere(ours.harvests != theirs.harvests)[0])
        raise DifferenceError(
            f"harvests of (entry, kind, cards, why) {place}: engine {ours.harvests[place]}, "
            f"C {theirs.harvests[place]}"
        )


def _check_column(what: str, name: str, mine: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> None:
    differ = (mine[name] != other[name]).reshape(len(mine), -1).any(axis=1)
    if differ.any():
        row = int(np.argmax(differ))
        raise DifferenceError(
            f"{what}: {name} of deal {mine['deal'][row]} (row {row}) is {mine[name][row]} in the engine, "
            f"{other[name][row]} in the C program ({int(differ.sum())} of {len(mine)} rows differ)"
        )


def cpu_seconds(run: Callable[[], object]) -> float:
    """CPU time of one call."""
    started = time.process_time()
    run()
    return time.process_time() - started


def measure(games: int, repeats: int) -> dict[str, list[float]]:
    """CPU seconds of each program in each repeat; the programs take turns, so that all meet the same load."""
    arm = hermits()
    with tempfile.TemporaryDirectory(prefix="beansim-c-") as folder:
        programs = {f"C {name}": compile_program(Path(folder), flags) for name, flags in BUILDS.items()}
        ours = engine_play(arm, 1, 0, games)
        for program in programs.values():
            check_same(ours, program.play(1, 0, games))
        runs: dict[str, Callable[[], object]] = {
            "beansim": partial(engine_play, arm, 1, 0, games),
            **{name: partial(program.play, 1, 0, games) for name, program in programs.items()},
        }
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(repeats):
            for name, run in runs.items():
                seconds[name].append(cpu_seconds(run))
    return seconds


def lines(games: int, seconds: dict[str, list[float]]) -> str:
    """The table of speeds, and how many times as long as each C program beansim takes."""
    ours = seconds["beansim"]
    rows = [
        ("", "games/s, best", "median", "us a game, best", "beansim takes, best", "median of the repeats")
    ]
    for name, found in seconds.items():
        times = [mine / other for mine, other in zip(ours, found, strict=True)]
        best = min(found)
        rows.append(
            (
                name,
                f"{games / best:,.0f}",
                f"{games / statistics.median(found):,.0f}",
                f"{1e6 * best / games:.2f}",
                f"{min(ours) / best:.2f} times as long",
                f"{statistics.median(times):.2f}",
            )
        )
    return aligned(rows)


def main() -> int:
    """Parse, measure, print; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=100_000, help="games of each repeat [100000]")
    parser.add_argument("--repeats", type=int, default=7, help="times that each program plays them [7]")
    given = parser.parse_args()
    if given.games < 1 or given.repeats < 1:
        parser.error("--games and --repeats must be 1 or more")
    if compiler() is None:
        parser.error("no C compiler found: install one, or name it in the environment variable CC")
    try:
        seconds = measure(given.games, given.repeats)
    except DifferenceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(
        f"four hermits, base rules, {given.games:,} games, every recorded number equal; CPU time of one "
        f"core, {given.repeats} repeats in turns; {platform.machine()}, {compiler()}\n"
    )
    print(lines(given.games, seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
