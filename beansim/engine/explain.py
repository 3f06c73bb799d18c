"""An error of a strategy in words: who, where, what, and how to see it again."""

from __future__ import annotations

from typing import Any

from beansim.engine.batch import Arm, Bench
from beansim.engine.status import GATHERED, LOST, OK, RAISED, REASONS
from beansim.errors import told
from beansim.strategy.base import HOOKS
from beansim.strategy.interpreted import AnswerError


def describe_error(arm: Arm, game: Any, seed: int) -> str:
    """One line for a game that ended with a refused answer.

    Names strategy, hook, answer, rule, seed, deal, seating and turn. The game is played again with
    interpreted hooks to show what the seat had written, or where it raised; but not a game of which
    nothing came back (`status.LOST`).
    """
    if int(game["status"]) == OK:
        return "the game ended by the rules"
    seat, hook = int(game["error_seat"]), int(game["error_hook"])
    if seat < 0:
        return _of_nobody(arm, game, seed)
    entry = arm.seatings[int(game["seating"])][seat]
    place = (
        f"seed {seed}, deal {int(game['deal'])}, seating {int(game['seating'])}, turn {int(game['turns'])}"
    )
    where = f"seat {seat} in arm {arm.name!r}"
    reason = REASONS[int(game["status"])]
    unanswered = int(game["status"]) in LOST
    detail = "" if unanswered else _replay(arm, game, seed, seat, hook)
    answer = "" if unanswered or int(game["status"]) == RAISED else f" (answer {int(game['error_answer'])})"
    return f"{arm.lineup[entry].label}.{HOOKS[hook]} {reason}{answer}{detail}; {place}, {where}"


def _of_nobody(arm: Arm, game: Any, seed: int) -> str:
    """A game that was lost, and nobody knows by whom."""
    lineup = ", ".join(dict.fromkeys(entrant.label for entrant in arm.lineup))
    place = f"seed {seed}, deal {int(game['deal'])}, seating {int(game['seating'])}"
    return f"one of {lineup} {REASONS[int(game['status'])]}; {place}, arm {arm.name!r}"


def _replay(arm: Arm, game: Any, seed: int, seat: int, hook: int) -> str:
    bench = Bench(arm, interpreted=True)
    try:
        batch, _ = bench.run(seed, int(game["deal"]), 1, [int(game["seating"])])
        if int(batch.games["status"][0]) != int(game["status"]):
            return ""
        if batch.errors:
            error = batch.errors[0]
            return f": {error if isinstance(error, AnswerError) else told(error)}"
        rows = [f"{name}={_counts(bench, seat, name, arm)}" for name in GATHERED.get(hook, ())]
        return f" with {', '.join(rows)}" if rows else ""
    finally:
        bench.close()


def _counts(bench: Bench, seat: int, name: str, arm: Arm) -> str:
    row = bench.seats[name][seat]
    shown = [f"{kind}:{int(row[number])}" for number, kind in enumerate(arm.rules.kind_names) if row[number]]
    return "{" + " ".join(shown) + "}"
