"""A process of its own that plays games one by one and says before each which one: `python -m` runs it.

Whatever ends it, its last line names the game, or in the second way of running, what a strategy was asked.

stdin: one JSON object (`Task`). stdout: a line of whole numbers before each game (arm, deal, seating) or,
with `hooks`, before each hook (seat, hook, turn), and at the end `done`, or `innocent` where `hooks` were
announced and the game ended by the rules all the same.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TextIO

from beansim.engine import Arm, Bench
from beansim.engine.status import OK
from beansim.processes import end_with
from beansim.simulate.limit import tell_crashes, time_limit
from beansim.simulate.recipe import Recipe

DONE = "done"
INNOCENT = "innocent"

Game = tuple[int, int, int]
"""Number of the arm, deal, number of the seating."""


@dataclass(frozen=True)
class Task:
    """What to play.

    Attributes:
        recipe: the work.
        seconds: that one game may take.
        games: the games, in the order in which they are played.
        hooks: play the first of them alone, with every hook interpreted and announced.
    """

    recipe: Recipe
    seconds: float
    games: tuple[Game, ...]
    hooks: bool = False

    def to_json(self) -> str:
        """Text for stdin: plain data, without what the games are reduced to."""
        recipe = {**asdict(self.recipe), "reduce": None}
        return json.dumps({**vars(self), "recipe": recipe})

    @classmethod
    def from_json(cls, text: str) -> Task:
        """Read what `to_json` wrote."""
        data = json.loads(text)
        plain = data.pop("recipe")
        sources, versions = (tuple(map(tuple, plain[name])) for name in ("sources", "versions"))
        recipe = Recipe(plain["description"], sources, versions, keep_rows=False)
        return cls(recipe, data["seconds"], tuple(map(tuple, data["games"])), data["hooks"])


def run(task: Task, told: TextIO) -> None:
    """Play, telling `told` what comes next."""
    work = task.recipe.work()
    if task.hooks:
        _say(told, _play_announced(work.arms[task.games[0][0]], work.seed, task, told))
    else:
        _play_singly(work.arms, work.seed, task, told)
        _say(told, DONE)


def _play_singly(arms: Collection[Arm], seed: int, task: Task, told: TextIO) -> None:
    benches = {arm.number: Bench(arm) for arm in arms}
    for arm, deal, seating in task.games:
        _say(told, arm, deal, seating)
        with time_limit(task.seconds, sys.stderr):
            benches[arm].run(seed, deal, 1, [seating])


def _play_announced(arm: Arm, seed: int, task: Task, told: TextIO) -> str:
    """Say before each hook who is asked; and after all, if the game ended with an error, whose it was."""
    bench = Bench(arm, interpreted=True)
    for (entry, seat), bound in bench.bound.items():
        bound.announce(partial(_say_hook, told, bench, seat))
        bench.callbacks[entry, seat] = bound.address
    _, deal, seating = task.games[0]
    with time_limit(task.seconds, sys.stderr):
        batch, _ = bench.run(seed, deal, 1, [seating])
    game = batch.games[0]
    if game["status"] == OK:
        return INNOCENT
    _say(told, *(int(game[name]) for name in ("error_seat", "error_hook", "turns")))
    return DONE


def _say_hook(told: TextIO, bench: Bench, seat: int, hook: int) -> None:
    _say(told, seat, hook, int(bench.tables["turn"][0]))


def _say(told: TextIO, *words: Any) -> None:
    told.write(" ".join(map(str, words)) + "\n")
    told.flush()


def main() -> None:
    """Read the task, keep stdout for the lines that count: a strategy may print too."""
    end_with(os.getppid())
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    tell_crashes()
    run(Task.from_json(sys.stdin.read()), told)


if __name__ == "__main__":
    main()
