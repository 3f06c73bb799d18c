"""Playing an arm in another process, where numba is switched to another way of working.

`NUMBA_DISABLE_JIT=1` interprets the whole engine, `NUMBA_BOUNDSCHECK=1` checks every index of it. Both
have to be set before numba is imported, so they need a process of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from beansim.checking.games import Event, arm_from, arm_recipe
from beansim.engine import Arm, play
from beansim.errors import BeansimError

INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}
"""Environment in which the whole engine is ordinary Python."""
BOUNDS_CHECKED = {"NUMBA_BOUNDSCHECK": "1"}
"""Environment in which the compiled engine checks every index; compiled apart, the first time."""


class ElsewhereError(BeansimError):
    """The other process broke down; the message ends with the last it said."""


def play_elsewhere(
    arm: Arm, seed: int, first_deal: int, deals: int, environment: dict[str, str]
) -> Iterator[list[Event]]:
    """Records of every game of a range, in order, played in a process with `environment` set.

    Raises ElsewhereError when that process ends in any other way than having played them.
    """
    task = {"arm": arm_recipe(arm), "seed": seed, "first": first_deal, "deals": deals}
    done = subprocess.run(
        [sys.executable, "-m", "beansim.checking.elsewhere"],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ElsewhereError(f"playing with {environment}: {said[-1]}")
    yield from map(json.loads, done.stdout.splitlines())


def _main(task: dict[str, Any]) -> None:
    batch = play(arm_from(task["arm"]), task["seed"], task["first"], task["deals"], log=True)
    for row in range(len(batch.games)):
        events = batch.records(row)
        # A game that a strategy's error ended has no end event, and its status is part of the result.
        events.append({"e": "status", "status": int(batch.games["status"][row])})
        print(json.dumps(events, separators=(",", ":")))


if __name__ == "__main__":
    _main(json.load(sys.stdin))
