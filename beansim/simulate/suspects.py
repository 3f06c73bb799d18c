"""Finds the games that end, or hold up, whatever process plays them, and the strategy that does so.

A batch whose worker died says nothing of itself. Its games are played once more, one by one, in a process of
their own (`alone`); where that dies too, the game is known, and once more with every hook announced, the
strategy and the hook.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass, replace

from beansim.engine import LostGame
from beansim.engine.status import CRASHED, HUNG
from beansim.errors import BeansimError
from beansim.simulate.alone import DONE, INNOCENT, Game, Task
from beansim.simulate.recipe import Recipe
from beansim.simulate.work import Work

TRIES = 3
"""Kills from outside (SIGKILL: an operator, or no memory left) that a game meets before it is blamed."""

_TIMED_OUT = re.compile(r"^Timeout \(", re.MULTILINE)
_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.*)$', re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """A lost game, and where its strategy was when it was lost: `file.py:12 in accept`, or empty."""

    game: LostGame
    where: str = ""


@dataclass(frozen=True)
class _Ending:
    """How a process of its own ended."""

    code: int
    last: tuple[int, ...]
    word: str
    errors: str

    @property
    def status(self) -> int:
        return HUNG if self.code == 1 and _TIMED_OUT.search(self.errors) else CRASHED

    @property
    def killed(self) -> bool:
        return self.code == -9

    def where(self, recipe: Recipe) -> str:
        """The innermost frame in a strategy's own file."""
        names = {path.rpartition("/")[2] for path, _ in recipe.sources}
        for frame in _FRAME.finditer(self.errors):
            name = frame["file"].rpartition("/")[2]
            if name in names:
                return f"{name}:{frame['line']} in {frame['name']}"
        return ""


def find_lost(
    work: Work, recipe: Recipe, first: int, deals: int, known: Collection[LostGame], seconds: float, most: int
) -> list[Found]:
    """The lost games among the deals `first` and on, the first `most` of them.

    Args:
        work, recipe: what is played, twice.
        first, deals: the range of deals.
        known: lost games that are known already and not played.
        seconds: that a game may take.
        most: stop looking when so many are found.
    """
    left = _games(work, first, deals, known)
    found: list[Found] = []
    killed = 0
    while left and len(found) < most:
        ending = _play_alone(Task(recipe, seconds, tuple(left)))
        if ending.word == DONE:
            break
        if ending.last not in left:
            raise BeansimError(f"a process that plays games one by one cannot start: {_last_line(ending)}")
        place = left.index(ending.last)
        killed = killed + 1 if ending.killed else 0
        left = left[place:]
        if not ending.killed or killed >= TRIES:
            found.append(_blamed(recipe, left.pop(0), ending, seconds))
            killed = 0
    return found


def _games(work: Work, first: int, deals: int, known: Collection[LostGame]) -> list[Game]:
    gone = {(game.arm, game.deal, game.seating) for game in known}
    games = (
        (arm.number, deal, seating)
        for deal in range(first, first + deals)
        for arm in work.arms
        for seating in range(len(arm.seatings))
    )
    return [game for game in games if game not in gone]


def _blamed(recipe: Recipe, game: Game, ending: _Ending, seconds: float) -> Found:
    """Who ended the game's process, found by playing it with every hook announced.

    Nobody, where the game ends by the rules once its hooks are interpreted, or played after no other game.
    """
    lost = LostGame(*game, status=ending.status)
    asked = _play_alone(Task(recipe, seconds, (game,), hooks=True))
    if asked.last and asked.word != INNOCENT:
        seat, hook, turn = asked.last
        lost = replace(lost, seat=seat, hook=hook, turn=turn)
    return Found(lost, asked.where(recipe) or ending.where(recipe))


def _play_alone(task: Task) -> _Ending:
    command = [sys.executable, "-m", "beansim.simulate.alone"]
    done = subprocess.run(
        command, input=task.to_json(), capture_output=True, text=True, errors="replace", check=False
    )
    lines = done.stdout.splitlines()
    word = lines.pop() if lines and lines[-1] in (DONE, INNOCENT) else ""
    last = tuple(map(int, lines[-1].split())) if lines else ()
    return _Ending(done.returncode, last, word, done.stderr)


def _last_line(ending: _Ending) -> str:
    return (ending.errors.strip().splitlines() or [f"exit code {ending.code}"])[-1]
