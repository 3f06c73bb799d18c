"""`compiled = False`: what such a strategy may do, and what its mistakes look like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import beansim
from beansim.checking.tables import rules_of, table_of
from beansim.engine import Bench, describe_error, play
from beansim.engine.state import FOREIGN
from beansim.errors import StrategyError
from beansim.strategy import HOOKS, Entrant

Written = Callable[..., Entrant]

SECOND = """
class Mine(Strategy):
    \"\"\"Ordinary Python.\"\"\"

    compiled = {compiled}
    limit = param(3, 0, 9, "cards")

    @hook
    def plant_second(self, table, kind):
        return self.hand_count > self.limit
"""


def called_back(entrant: Entrant) -> set[str]:
    bench = Bench(table_of(rules_of("base", 3), (entrant, "hermit", "hermit")))
    bench.close()
    return {HOOKS[number] for number, address in enumerate(bench.hook_rows[0]) if address == FOREIGN}


def test_only_hooks_of_its_own_run_as_python(written: Written) -> None:
    """Inherited ones stay machine code, and the games are those of the compiled class."""
    python, native = (written(SECOND.format(compiled=flag), f"as{flag}") for flag in (False, True))
    assert called_back(python) == {"plant_second"}
    assert called_back(native) == set()
    games = [
        play(table_of(rules_of("base", 4), (one, "trader", "miser", "random")), 7, 0, 20)
        for one in (python, native)
    ]
    assert (games[0].seats == games[1].seats).all()


def test_a_changed_helper_brings_every_hook_that_uses_it_to_python(written: Written) -> None:
    text = """
    import math


    class Mine(Strategy):
        \"\"\"Changes what default hooks ask.\"\"\"

        compiled = False

        def least_gain(self, table):
            return math.erf(0.1)
    """
    assert called_back(written(text)) == {"bid", "choose_bid", "accept"}


def test_an_exception_is_told_with_everything(written: Written) -> None:
    text = """
    class Mine(Strategy):
        \"\"\"Breaks down late.\"\"\"

        compiled = False

        @hook
        def plant_second(self, table, kind):
            return {1: True}[table.turn] if table.turn > 8 else False
    """
    arm = table_of(rules_of("base", 3), (written(text), "trader", "trader"))
    batch = play(arm, 5, 2, 2)
    assert (batch.games["status"] == 1).all()
    assert isinstance(batch.errors[0], KeyError)
    said = describe_error(arm, batch.games[0], 5)
    for word in (
        "mine.plant_second",
        "raised an exception",
        "KeyError",
        "mine.py:",
        "seed 5",
        "deal 2",
        "turn 10",
    ):
        assert word in said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("self.worth = 3", "self.worth is a row"),
        ("self.limit = 3", "self.limit is read-only"),
        ("self.seat = 3", "self.seat is read-only"),
        ("self.hand_count = 3", "self.hand_count is read-only"),
        ("self.hand = 3", "self.hand is read-only"),
    ],
)
def test_what_is_not_its_own_cannot_be_assigned(line: str, words: str, written: Written) -> None:
    text = SECOND.format(compiled=False).replace("return self", f"{line}\n        return self")
    arm = table_of(rules_of("base", 3), (written(text), "hermit", "hermit"))
    batch = play(arm, 1, 0, 1)
    assert words in str(batch.errors[0])


def test_results_do_not_depend_on_processes(written: Written) -> None:
    """Processes get the strategy by its file; state on `self` never crosses from game to game here."""
    spec = written(SECOND.format(compiled=False)).spec
    players = [spec, "hermit", "hermit"]
    one, two = (beansim.simulate(players=players, deals=30, jobs=jobs) for jobs in (1, 2))
    assert one.seats.equals(two.seats)


def test_every_exception_of_a_range_belongs_to_its_game(written: Written) -> None:
    """A range of deals is one call of the engine, in which several games can break down."""
    text = """
    class Mine(Strategy):
        \"\"\"Breaks down on some hands.\"\"\"

        compiled = False

        @hook
        def plant_second(self, table, kind):
            if kind == 7:
                raise RuntimeError(f"turn {table.turn}")
            return False
    """
    arm = table_of(rules_of("base", 3), (written(text), "trader", written(text, "other")), rotate=True)
    batch = play(arm, 5, 0, 6)
    failed = np.flatnonzero(batch.games["status"])
    assert len(failed) > 0
    assert list(batch.errors) == failed.tolist()
    for row, error in batch.errors.items():
        assert str(error) == f"turn {batch.games['turns'][row]}"
        game = batch.games[row]
        alone = play(arm, 5, int(game["deal"]), 1, seatings=[int(game["seating"])])
        assert str(alone.errors[0]) == str(error)


WHOLE = """
from beansim.strategies.trader import Trader


class Mine(Trader):
    \"\"\"The trader, every hook of it in ordinary Python.\"\"\"

    compiled = False
"""
ASKED = (
    "appraise",
    "plant_second",
    "choose_field",
    "choose_harvest",
    "announce",
    "bid",
    "choose_bid",
    "propose",
)
ASKED += ("accept", "plant_next")


def in_python(hooks: tuple[str, ...]) -> str:
    """The trader, with these hooks in Python."""
    text = WHOLE
    for name in hooks:
        more = {"choose_field": "kind", "choose_harvest": "kind", "plant_second": "kind", "accept": "partner"}
        rest = f", {more[name]}" if name in more else ""
        text += f"\n    @hook\n    def {name}(self, table{rest}):\n"
        text += f"        return Trader.{name}(self, table{rest})\n"
    return text


@pytest.mark.parametrize("hooks", [("appraise",), ASKED], ids=["appraise", "all"])
def test_a_trader_in_python_plays_as_the_trader(hooks: tuple[str, ...], written: Written) -> None:
    entrant = written(in_python(hooks))
    assert called_back(entrant) == set(hooks)
    ours = play(table_of(rules_of("base", 4), (entrant, *["trader"] * 3)), 3, 0, 5)
    assert (ours.games["status"] == 0).all()
    assert (ours.seats == play(table_of(rules_of("base", 4), ("trader",) * 4), 3, 0, 5).seats).all()


@pytest.mark.slow
@pytest.mark.parametrize("hooks", [("plant_second",), ("appraise",), ASKED], ids=["one", "appraise", "all"])
def test_such_a_seat_is_fast_enough(hooks: tuple[str, ...], written: Written) -> None:
    """At least 500 games a second of CPU time at a table of four, the others compiled traders."""
    import time

    arm = table_of(rules_of("base", 4), (written(in_python(hooks)), *["trader"] * 3))
    play(arm, 1, 0, 5)
    best = 0.0
    for _ in range(3):  # the best of three: other programs slow the processor down
        started = time.process_time()
        play(arm, 1, 0, 300)
        best = max(best, 300 / (time.process_time() - started))
    assert best >= 500


BEGUN = """
class Begun(Strategy):
    compiled = False

    def __init__(self):
        raise RuntimeError("no\\nway")

    def plant_second(self, table, kind):
        return True
"""


def test_an_init_that_raises_is_told_with_its_line(written: Callable[..., Entrant]) -> None:
    begun = written(BEGUN)
    with pytest.raises(StrategyError, match=r"^mine\.__init__ raised RuntimeError: no way at mine\.py:\d+"):
        play(table_of(rules_of("base", 3), (begun,) * 3), 1, 0, 1)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("None", "it answered None, expected a whole number or True or False"),
        ("3.7", "it answered 3.7, expected a whole number or True or False"),
        ("'soy'", "it answered 'soy', expected a whole number or True or False"),
        ("10**30", f"it answered {10**30}, which does not fit 64 bits"),
    ],
)
def test_an_answer_that_is_none_is_told(answer: str, said: str, written: Callable[..., Entrant]) -> None:
    odd = written(
        "class Odd(Strategy):\n    compiled = False\n\n    def plant_second(self, table, kind):\n"
        f"        return {answer}\n"
    )
    arm = table_of(rules_of("base", 3), (odd,) * 3)
    batch = play(arm, 1, 0, 1)
    text = describe_error(arm, batch.games[0], 1)
    assert said in text
    assert "interpreted.py" not in text
