"""The contract test: every strategy that comes with beansim passes it, and cheats do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beansim.checking.blind import peeks, record_calls, scramble
from beansim.checking.contract import CHECKS, Finding, check_strategy
from beansim.checking.tables import rules_of, table_of
from beansim.cli.main import run_main
from beansim.engine import Bench, play, warm
from beansim.strategy import HOOKS, Entrant, available, load
from beansim.strategy.base import DUEL_HOOKS, MARKET_HOOKS

QUICK = [name for name in CHECKS if name not in ("survives bounds checking", "speed")]
"""Bounds checking compiles an engine of its own, and speed is for people to look at."""


def failed(findings: list[Finding]) -> dict[str, str]:
    return {found.check: found.detail for found in findings if found.passed is False}


THINKERS = {"rollout": "rollout:samples=4,depth=1,policy=trader"}
"""Strategies whose games take long, in a form that takes less; they play fewer deals."""


@pytest.mark.parametrize("name", sorted(available()))
def test_every_strategy_keeps_its_contract(name: str) -> None:
    entrant, deals = load(THINKERS.get(name, name)), 2 if name in THINKERS else 40
    findings = list(check_strategy(entrant, deals, seed=2, checks=QUICK))
    assert failed(findings) == {}
    assert all(found.passed for found in findings if entrant.compiled)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(available()))
def test_every_strategy_keeps_its_whole_contract(name: str) -> None:
    deals = 10 if name in THINKERS else 1000
    assert failed(list(check_strategy(load(name), deals, seed=3))) == {}


@pytest.mark.parametrize("name", sorted(available()))
def test_every_strategy_is_documented(name: str) -> None:
    cls = load(name).cls
    assert cls.__doc__
    assert "Idea:" in cls.__doc__
    assert "Source:" in cls.__doc__
    assert all(item.meaning for item in cls.params.values())


CHEATS = {
    "a hand told through a global": (
        """
        HANDS = {}


        class Mine(Strategy):
            \"\"\"Tells its copies what it holds.\"\"\"

            compiled = False

            @hook
            def plant_second(self, table, kind):
                HANDS[self.seat] = [self.hand[place] for place in range(self.hand_count)]
                others = [hand for seat, hand in HANDS.items() if seat != self.seat]
                return bool(others) and len(others[0]) % 2 == 0
        """,
        {"blind to hidden cards"},
    ),
    "memory read behind the view": (
        """
        import numpy as np
        from beansim.engine.state import GAME_DTYPE


        def whole(row):
            array = np.asarray(row)
            while array.base is not None and isinstance(getattr(array.base, "obj", array.base), np.ndarray):
                array = getattr(array.base, "obj", array.base)
            return array


        class Mine(Strategy):
            \"\"\"Climbs from its own record to the block that holds all of them.\"\"\"

            compiled = False

            @hook
            def plant_second(self, table, kind):
                memory = whole(self.views["held"])
                first = -memory.ctypes.data % 64
                block = memory[first : first + GAME_DTYPE.itemsize].view(GAME_DTYPE)
                return int(block["seats"][0, 1 - min(self.seat, 1)]["hand"][0]) % 2
        """,
        {"blind to hidden cards"},
    ),
    "luck of its own": (
        """
        import random as luck


        class Mine(Strategy):
            \"\"\"Tosses a coin that is not the seat's stream.\"\"\"

            compiled = False

            @hook
            def plant_second(self, table, kind):
                return luck.random() < 0.5
        """,
        {"deterministic by seed"},
    ),
    "games remembered": (
        """
        class Mine(Strategy):
            \"\"\"Counts on from game to game.\"\"\"

            compiled = False

            def __init__(self):
                self.asked = 0

            @hook
            def plant_second(self, table, kind):
                self.asked += 1
                return self.asked % 3 == 0
        """,
        {"deterministic by seed"},
    ),
    "an illegal answer": (
        """
        class Mine(Strategy):
            \"\"\"Answers 2 to a question of yes or no.\"\"\"

            @hook
            def plant_second(self, table, kind):
                return 2 if table.turn > 30 else 0
        """,
        {"answers legally"},
    ),
    "code that cannot compile": (
        """
        class Mine(Strategy):
            \"\"\"A slip of the pen.\"\"\"

            @hook
            def plant_second(self, table, kind):
                return self.hnad[0] > 2
        """,
        {"compiles"},
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_broken_contract_is_found(name: str, written: Callable[..., Entrant]) -> None:
    text, checks = CHEATS[name]
    found = failed(list(check_strategy(written(text), 30, checks=QUICK)))
    assert checks <= set(found), found


def test_ordinary_python_can_keep_the_contract(written: Callable[..., Entrant]) -> None:
    text = """
    class Mine(Strategy):
        \"\"\"Ordinary Python with a parameter and memory.\"\"\"

        compiled = False
        limit = param(3, 0, 9, "cards")
        asked = memory(0)

        @hook
        def plant_second(self, table, kind):
            self.asked += 1
            return self.hand_count > self.limit and self.asked % 2 == 0
    """
    findings = list(check_strategy(written(text), 5, checks=QUICK))
    assert failed(findings) == {}
    assert {found.check for found in findings if found.passed is None} == {"native equals interpreted"}


def test_scrambling_keeps_what_a_seat_can_see() -> None:
    arm = table_of(rules_of("base", 4), ("random",) * 4)
    warm([arm])
    bench = Bench(arm)
    bench.run(1, 0, 1)
    block = bench.block
    block["table"]["pile"], block["hidden"]["next_card"] = 12, 3
    before = block.copy()
    scramble(block, 1, np.random.default_rng(0))
    for now, was in ((block["table"], before["table"]), (block["seats"][0, 1], before["seats"][0, 1])):
        for name in was.dtype.names or ():
            np.testing.assert_array_equal(now[name], was[name])
    np.testing.assert_array_equal(block["seats"]["hand_count"], before["seats"]["hand_count"])
    np.testing.assert_array_equal(hidden_cards(block), hidden_cards(before))
    assert block["seats"][0, 2]["hand"].tobytes() != before["seats"][0, 2]["hand"].tobytes()


def hidden_cards(block: Any) -> Any:
    """The multiset of cards that seat 1 cannot see."""
    seats = block["seats"][0]
    ends = seats["hand_front"] + seats["hand_count"]
    hands = [seats["hand"][seat, seats["hand_front"][seat] : ends[seat]] for seat in (0, 2, 3)]
    return np.sort(np.concatenate([block["hidden"]["pile"][0, 3:15], *hands]))


def test_every_hook_that_is_asked_is_recorded() -> None:
    arm = table_of(rules_of("base", 4), ("random", "trader", "random", "trader"))
    warm([arm])
    asked = {HOOKS[call.hook] for seat in (0, 1) for call in record_calls(arm, seat, 1, 0)}
    assert asked == set(HOOKS) - {"buy_field"} - DUEL_HOOKS


def test_every_hook_that_is_asked_in_a_duel_is_recorded() -> None:
    arm = table_of(rules_of("duel-rio-grande", 2), ("random", "trader"))
    warm([arm])
    asked = {HOOKS[call.hook] for deal in range(20) for call in record_calls(arm, deal % 2, 1, deal)}
    assert asked == set(HOOKS) - MARKET_HOOKS


@pytest.mark.parametrize(("variant", "players"), [("base", 3), ("duel", 2)])
def test_a_silent_hook_that_must_answer_says_no(variant: str, players: int, tmp_path: Path) -> None:
    path = tmp_path / "mute.py"
    path.write_text(
        "from beansim.strategy import Strategy, silent\n\n\n"
        'class Mute(Strategy):\n    """Plants one card a turn, and nothing on offer."""\n\n'
        "    plant_second = choose_offered = plant_offered = discard_hand = plant_turned = silent\n"
    )
    arm = table_of(rules_of(variant, players), (str(path),) * players)
    compiled, interpreted = play(arm, 1, 0, 3), play(arm, 1, 0, 3, interpreted=True)
    assert (compiled.games["status"] == 0).all()
    assert (compiled.seats["second_plants"] == 0).all()
    assert (compiled.seats["coins"] == interpreted.seats["coins"]).all()
    assert peeks(arm, 0, 1, 0) == ""


def test_the_command_prints_a_table_and_fails_by_its_exit_code(
    write: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(["check", "hermit", "--deals", "5", "--no-bounds"]) == 0
    said = capsys.readouterr().out
    assert "blind to hidden cards" in said
    assert "hermit: keeps its contract" in said
    path = write(CHEATS["code that cannot compile"][0])
    assert run_main(["check", str(path), "--deals", "5"]) == 1
    said = capsys.readouterr().out
    assert "FAIL" in said
    assert "did you mean 'hand'" in " ".join(said.split())
    assert "not tried" in said


def test_the_command_is_used_one_way_or_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(["check"]) == 2
    assert run_main(["check", "trader", "--engine"]) == 2
    assert run_main(["check", "tradre"]) == 2
    assert "did you mean 'trader'" in capsys.readouterr().err


def test_a_file_that_cannot_be_imported_fails(
    write: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(["check", str(write("1 / 0"))]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_worths_that_are_no_numbers_are_found(written: Callable[..., Entrant]) -> None:
    nan = written(
        "class Nan(Strategy):\n    @hook\n    def appraise(self, table):\n"
        "        Strategy.appraise(self, table)\n        self.worth[1] = 1e308 * 10.0 - 1e308 * 10.0\n"
    )
    findings = list(check_strategy(nan, 2, checks=["compiles", "worths are numbers"]))
    assert failed(findings) == {"worths are numbers": "base: appraise leaves NaN in self.worth"}
