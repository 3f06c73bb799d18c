"""beansim beside other game simulators that pip can install: whole games a second on one core.

    python -m venv peers && peers/bin/pip install -r benchmarks/requirements.txt
    python benchmarks/peers.py --python peers/bin/python

runs `peer_games.py` with the other interpreter and beansim's tables with this one, in turns, and prints a
Markdown table: the best of the rounds and their median. A library that cannot be loaded stands in it with
the reason. Without --python the libraries are looked for beside beansim.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import beansim
from beansim.cli.play import build_arm
from beansim.engine import Arm, play, warm

GAMES = Path(__file__).with_name("peer_games.py")
TABLES = {"random": "four random players", "hermit": "four hermits, no trading", "trader": "four traders"}
"""Strategies of which beansim plays a table of four: the first is what the others play."""
BATCH = 2_000
"""Deals that beansim plays at once."""
COLUMNS = ("library", "game", "loop", "games/s", "median", "decisions/s", "decisions a game")
NOTE = """
One core, CPU time; best and median of {rounds} rounds in turns. The others play their own random players
by the loop named. Decisions are players' moves, in beansim calls of a strategy's hooks."""
KEY = ("library", "game", "loop")


def measure_table(name: str, arm: Arm, seconds: float) -> dict[str, Any]:
    """A table of four of one strategy, as `peer_games.measure` tells of the others."""
    warm([arm])
    play(arm, 1, 0, 100)
    games = decisions = 0
    started = time.process_time()
    while (spent := time.process_time() - started) < seconds:
        decisions += play(arm, 1, games, BATCH).decisions
        games += BATCH
    return {
        "library": "beansim",
        "game": f"Bohnanza, {TABLES[name]}",
        "loop": "compiled",
        "version": beansim.__version__,
        "games_per_second": games / spent,
        "decisions_per_second": decisions / spent,
        "decisions_per_game": decisions / games,
    }


def peer_round(python: str, seconds: float) -> list[dict[str, Any]]:
    """All other libraries once, in their own interpreter."""
    command = [python, str(GAMES), "--seconds", str(seconds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def rounds(python: str, number: int, seconds: float) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """What each round found, by library, game and loop."""
    arms = {name: build_arm("base", (name,) * 4, "fixed") for name in TABLES}
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for _ in range(number):
        ours = [measure_table(name, arm, seconds) for name, arm in arms.items()]
        for one in (*ours, *peer_round(python, seconds)):
            found.setdefault(tuple(one[name] for name in KEY), []).append(one)
    return found


def table(found: dict[tuple[str, ...], list[dict[str, Any]]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * 3}{'---:|' * 4}"
    for (library, game, loop), measured in found.items():
        best = max(measured, key=lambda one: float(one.get("games_per_second", 0)))
        if "missing" in best:
            yield f"| {library} | {game} | {loop} | not measured: {best['missing']} | | | |"
            continue
        median = statistics.median(one["games_per_second"] for one in measured)
        cells = (
            f"{library} {best['version']}",
            game,
            loop,
            _figure(best["games_per_second"]),
            _figure(median),
            _figure(best["decisions_per_second"]),
            _figure(best["decisions_per_game"]),
        )
        yield f"| {' | '.join(cells)} |"


def _figure(number: float) -> str:
    """Three digits that count, no more, since machines are noisy."""
    digits = max(0, len(str(int(number))) - 3)
    return f"{round(number, -digits):,.0f}" if number >= 100 else f"{number:.3g}"


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the other libraries")
    parser.add_argument("--rounds", type=int, default=5, help="times that everything is measured [5]")
    parser.add_argument("--seconds", type=float, default=1.5, help="CPU time of each measurement [1.5]")
    given = parser.parse_args()
    if given.rounds < 1 or given.seconds <= 0:
        parser.error("--rounds must be 1 or more and --seconds more than 0")
    print("\n".join(table(rounds(given.python, given.rounds, given.seconds))))
    print(NOTE.format(rounds=given.rounds))


if __name__ == "__main__":
    main()
