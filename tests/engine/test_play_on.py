"""Playing on from the middle of a turn gives the game that the engine plays, and games by the rules."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tables import assert_same_records

from beansim.checking.differential import judge
from beansim.checking.tables import cycled, rules_of, table_of
from beansim.engine import Arm, Bench, warm
from beansim.engine.playouts import RESUMABLE, resume
from beansim.engine.record import read_log, write_record
from beansim.engine.state import PLANT_SECOND
from beansim.rules import VARIANTS
from beansim.strategy import HOOKS
from beansim.strategy.native import FOREIGN

SEED = 5
LOG_ROWS = 8192
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
ASKED = [HOOKS.index(name) for name in RESUMABLE]
LINE_UP = ("random", "champion", "early:coins=2", "trader", "reshuffler", "buyer")
TABLES = [
    (variant, players)
    for variant, known in VARIANTS.items()
    for players in known.players
    if players <= 7 and rules_of(variant, players).turn == "standard"
]


@dataclass
class Position:
    """One moment of a game: what was asked and answered, and all records right after the answer."""

    asked: tuple[int, int, int, int]
    answer: int
    block: np.ndarray[Any, Any]


@dataclass
class Recorded:
    """A game and its positions."""

    arm: Arm
    positions: list[Position]
    block: np.ndarray[Any, Any]
    log: np.ndarray[Any, Any]


def record(arm: Arm, deal: int) -> Recorded:
    """Play a game with interpreted hooks and keep every position from which a game can be played on."""
    bench, native = Bench(arm, interpreted=True), Bench(arm)
    positions: list[Position] = []
    kept = [_recorded(bench, seat, positions) for seat in range(len(arm.lineup))]
    for seat, callback in enumerate(kept):
        bench.callbacks[seat, seat] = ctypes.cast(callback, ctypes.c_void_p).value or 0
    try:
        batch, log = bench.run(SEED, deal, 1, [0], LOG_ROWS)
    finally:
        bench.close()
    assert batch.games["status"][0] == 0
    for position in positions:
        position.block["hidden"]["hooks"][0, : len(arm.lineup)] = native.hook_rows
    return Recorded(arm, positions, bench.block.copy(), log)


def _recorded(bench: Bench, seat: int, positions: list[Position]) -> Any:
    ask = FOREIGN[bench.bound[seat, seat].address]
    second = {"turn": 0}

    def recorded(hook: int, argument: int) -> int:
        answer = int(ask(hook, argument))
        turn = int(bench.block["table"]["turn"][0])
        if hook in ASKED:
            asked = (hook, seat, argument, int(second["turn"] == turn))
            positions.append(Position(asked, answer, bench.block.copy()))
        if hook == PLANT_SECOND and answer:
            second["turn"] = turn
        return answer

    return _CALLBACK(recorded)


def played_on(game: Recorded, position: Position, answer: int) -> tuple[Any, Any]:
    """The block at the end and the log of the whole game, from another answer or the same."""
    block = position.block.copy()
    hidden = block["hidden"]
    log = np.zeros((LOG_ROWS, game.log.shape[1]), np.int16)
    before = int(hidden["log_size"][0])
    log[:before] = game.log[:before]
    hidden["log_address"] = log.ctypes.data
    assert resume(block, position.asked, answer) == 0
    return block, log[: int(hidden["log_size"][0])]


@pytest.mark.parametrize(("variant", "players"), TABLES)
def test_the_game_played_on_is_the_game(variant: str, players: int) -> None:
    """Every event, every record of the end: from the hooks of every phase, at tables of every size."""
    arm = table_of(rules_of(variant, players), cycled(LINE_UP, players, players))
    warm([arm])
    game = record(arm, players)
    for position in game.positions[::9]:
        block, log = played_on(game, position, position.answer)
        np.testing.assert_array_equal(log, game.log)
        for part in ("table", "seats", "tally"):
            assert_same_records(block[part], game.block[part], f"after {HOOKS[position.asked[0]]}")


def test_every_hook_of_a_look_ahead_was_among_them() -> None:
    arm = table_of(rules_of("rio-grande", 4), ("buyer", "random", "early", "champion"))
    warm([arm])
    game = record(arm, 1)
    asked = {HOOKS[position.asked[0]] for position in game.positions}
    assert asked == set(RESUMABLE)
    for name in RESUMABLE:
        some = [one for one in game.positions if HOOKS[one.asked[0]] == name]
        for position in some[:: max(1, len(some) // 4)]:
            np.testing.assert_array_equal(played_on(game, position, position.answer)[1], game.log)


def other_answers(game: Recorded, position: Position) -> Iterator[int]:
    """Legal answers but the one that was given."""
    table, (number, seat, _, _) = position.block["table"][0], position.asked
    hook = HOOKS[number]
    allowed = position.block["seats"][0, seat]["allowed"]
    answers: list[int] = []
    if hook in ("plant_second", "accept", "buy_field"):
        answers = [0, 1]
    elif hook in ("choose_harvest", "harvest_early"):
        answers = [field for field in range(len(allowed)) if allowed[field]]
        answers += [-1] if hook == "harvest_early" else []
    elif hook == "choose_bid":
        answers = [-1, *(other for other in range(len(game.arm.lineup)) if table["has_bid"][other])]
    yield from (answer for answer in answers if answer not in (position.answer, *_own(hook, table)))


def _own(hook: str, table: Any) -> tuple[int, ...]:
    """The active seat's bid is an old one."""
    return (int(table["active"]),) if hook == "choose_bid" else ()


@pytest.mark.parametrize(("variant", "players"), [("base", 3), ("rio-grande", 4), ("base", 5)])
def test_another_answer_gives_a_game_by_the_rules(variant: str, players: int) -> None:
    """The referee judges the whole record, the part before the answer included."""
    arm = table_of(rules_of(variant, players), cycled(LINE_UP, players, 1))
    warm([arm])
    game = record(arm, 0)
    tried = set()
    for position in game.positions[::7]:
        for answer in other_answers(game, position):
            block, log = played_on(game, position, answer)
            found = judge(_events(arm, block, log), HOOKS[position.asked[0]])
            assert found is None, str(found)
            tried.add(HOOKS[position.asked[0]])
    assert {"plant_second", "choose_harvest", "accept", "choose_bid", "harvest_early"} <= tried


def _events(arm: Arm, block: Any, log: Any) -> list[dict[str, Any]]:
    """The record of a game that was played on; its winner by RULES 1.2: of equals the last clockwise."""
    table = block["table"][0]
    coins = table["coins"][: len(arm.lineup)]
    winner = int(np.flatnonzero(coins == coins.max())[-1])
    game = {"deal": 0, "seating": 0, "winners": 1 << winner, "turns": int(table["turn"])}
    seats = np.zeros(len(coins), [("coins", "i2"), ("hand_left", "i2")])
    seats["coins"], seats["hand_left"] = coins, table["hand_size"][: len(coins)]
    labels = [entrant.label for entrant in arm.lineup]
    events = write_record(arm.rules, labels, SEED, game, seats, read_log(log))
    if arm.rules.tie == "hand":  # RULES A13: the winner is read off the record
        best = [seat for seat in range(len(coins)) if coins[seat] == coins.max()]
        hands = [int(table["hand_size"][seat]) for seat in best]
        winners = [seat for seat, hand in zip(best, hands, strict=True) if hand == max(hands)]
        events[-1]["winner"] = winners[0] if len(winners) == 1 else winners
    return events
