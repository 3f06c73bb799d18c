"""Every answer that breaks the contract ends its own game with exactly its status, told in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Arm, Bench, describe_error, play, status, warm
from beansim.strategy import HOOKS, Entrant
from beansim.strategy.interpreted import AnswerError

DEALS = 30
SEED = 8

FALLBACK = {
    "plant_second": "Strategy.plant_second(self, table, kind)",
    "choose_field": "Strategy.choose_field(self, table, kind)",
    "choose_harvest": "Strategy.choose_harvest(self, table, kind)",
    "accept": "Strategy.accept(self, table, partner)",
    "give_copy": "self.first_copy(table, kind)",
    "harvest_early": "NONE",
    "buy_field": "False",
}
ARGUMENTS = {
    "accept": ", partner",
    **dict.fromkeys(
        ("plant_second", "choose_field", "choose_harvest", "give_copy", "plant_offered"), ", kind"
    ),
}

TEXT = '''
class Bad(Strategy):
    """Breaks the contract in some games, in one hook."""

{extra}

    def first_copy(self, table, kind):
        if table.active == self.seat and table.revealed[kind]:
            return NONE
        for position in range(self.hand_count):
            if self.hand[position] == kind:
                return position
        return NONE

    def first_held(self, table):
        for kind in range(table.kinds):
            if self.held[kind]:
                return kind
        return 0

    @hook
    def {hook}(self, table{argument}):
        if {when}:
{body}
        return {fallback}
'''


@dataclass(frozen=True)
class Case:
    """A hook's body, the status that it ends its games with, and the options that it takes."""

    status: int
    hook: str
    body: str
    name: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    answer: int | None = 1
    when: str = "table.turn > 11 and table.top_discard == 2"
    extra: str = ""
    variant: str = "base"

    def __str__(self) -> str:
        names = [name for name, code in vars(status).items() if code == self.status and name.isupper()]
        return f"{names[0].lower()}-{self.hook}{self.name and '-' + self.name}"

    def text(self) -> str:
        argument = ARGUMENTS.get(self.hook, "")
        fallback = (
            "PASS" if self.extra else FALLBACK.get(self.hook, f"Strategy.{self.hook}(self, table{argument})")
        )
        body = "\n".join(" " * 12 + line for line in self.body.splitlines())
        return TEXT.format(
            hook=self.hook, argument=argument, body=body, fallback=fallback, when=self.when, extra=self.extra
        )


NO_GIFTS = {"gifts": False}
SWAPS_ONLY = """
    bid = propose = silent

    @hook
    def announce(self, table):
        if table.announcements or not self.put_up_burdens(table) or not self.wish_above(table, 0.0):
            return PASS
        return OFFER
"""
SILENT_MARKET = "    announce = bid = propose = silent"
EARLY = "table.turn == 2 and kind == 2"
CASES = [
    Case(status.RAISED, "choose_harvest", "return 1 // (table.turn - table.turn)", "division", answer=0),
    Case(status.RAISED, "bid", "return self.hand[self.hand_count]", "index", answer=0),
    Case(status.RAISED, "appraise", "self.worth[table.kinds] = 1.0", "row", answer=0),
    Case(status.RAISED, "announce", "return self.random(0)", "random", answer=0),
    Case(status.RAISED, "plant_second", "raise ValueError('no')", "raise", answer=0),
    Case(status.BAD_FIELD, "choose_field", "return 9", answer=9, when=EARLY),
    Case(status.BAD_FIELD, "choose_field", "return -1", "none", answer=-1, when=EARLY),
    Case(status.BAD_HARVEST, "choose_harvest", "return table.fields[self.seat]", "beyond", answer=2),
    Case(status.BAD_HARVEST, "choose_harvest", "return -5", "negative", answer=-5),
    Case(status.BAD_HARVEST, "harvest_early", "return 3", answer=3),
    Case(status.BAD_KIND, "plant_next", "return 99", answer=99),
    Case(status.BAD_KIND, "plant_next", "return -1", "none", answer=-1),
    Case(status.BAD_ANNOUNCE, "announce", "return 7", answer=7),
    Case(status.BAD_BID_ANSWER, "bid", "return CLOSE", answer=2),
    Case(status.BAD_BID_ANSWER, "propose", "return -1", answer=-1),
    Case(status.PUTS_UP_MISSING, "announce", "self.give[0] = 50\nself.wish[1] = 1\nreturn OFFER"),
    Case(status.PUTS_UP_MISSING, "announce", "self.give[0] = -1\nself.wish[1] = 1\nreturn OFFER", "negative"),
    Case(status.BAD_WISH, "announce", "self.wish[0] = 2\nreturn OFFER"),
    Case(status.BAD_WISH, "announce", "self.wish_nothing = 3\nself.wish[0] = 1\nreturn OFFER", "nothing"),
    Case(status.NO_WISH, "announce", "Strategy.put_up_burdens(self, table)\nreturn OFFER"),
    Case(status.NOTHING_FOR_NOTHING, "announce", "self.wish_nothing = 1\nreturn OFFER"),
    Case(status.NOTHING_FOR_NOTHING, "bid", "return OFFER"),
    Case(status.NOTHING_FOR_NOTHING, "propose", "return OFFER"),
    Case(
        status.NO_GIFTS, "announce", "self.wish[0] = 1\nreturn OFFER", options=NO_GIFTS, extra=SILENT_MARKET
    ),
    Case(
        status.NO_GIFTS,
        "bid",
        "self.give[self.first_held(table)] = 1\nreturn OFFER",
        options=NO_GIFTS,
        extra=SWAPS_ONLY,
    ),
    Case(status.NO_GIFTS, "propose", "self.take[0] = 1\nreturn OFFER", options=NO_GIFTS, extra=SILENT_MARKET),
    Case(status.TAKES_NOT_PUT_UP, "bid", "self.take[0] = 100\nreturn OFFER"),
    Case(status.PAYS_MISSING, "bid", "self.give[0] = 100\nreturn OFFER"),
    Case(status.PAYS_MISSING, "propose", "self.give[0] = 100\nreturn OFFER"),
    Case(
        status.PAYS_NOT_WISHED,
        "bid",
        "for kind in range(table.kinds):\n"
        "    if self.held[kind] and not table.wished[kind]:\n"
        "        self.give[kind] = 1\n"
        "        return OFFER",
    ),
    Case(status.BAD_TAKE, "propose", "self.take[0] = -2\nreturn OFFER"),
    Case(status.BAD_SEAT, "choose_bid", "return self.seat", answer=None),
    Case(status.BAD_SEAT, "choose_bid", "return 77", "beyond", answer=77),
    Case(status.BAD_COPY, "give_copy", "return 99", answer=99),
    Case(status.BAD_YES_NO, "plant_second", "return 2", answer=2),
    Case(status.BAD_YES_NO, "accept", "return -3", answer=-3),
    Case(status.BAD_YES_NO, "buy_field", "return 4", options={"field_price": 3, "max_fields": 3}, answer=4),
    Case(status.BAD_OFFERED, "choose_offered", "return 99", answer=99, variant="duel"),
    Case(status.BAD_OFFERED, "choose_offered", "return -1", "none", answer=-1, variant="duel"),
    Case(status.BAD_OFFERED, "plant_turned", "return 99", answer=99, variant="duel"),
    Case(status.BAD_OFFERED, "plant_turned", "return -2", "negative", answer=-2, variant="duel"),
    Case(status.BAD_DISCARD, "discard_hand", "return 99", answer=99, variant="duel"),
    Case(status.BAD_DISCARD, "discard_hand", "return -2", "negative", answer=-2, variant="duel"),
    Case(status.BAD_YES_NO, "plant_offered", "return 2", answer=2, variant="duel"),
]


def arm_of(case: Case, entrant: Entrant) -> Arm:
    players = 2 if case.variant == "duel" else 4
    return table_of(rules_of(case.variant, players, **case.options), (entrant,) * players)


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_a_refused_answer_ends_its_own_game_alone(case: Case, written: Callable[..., Entrant]) -> None:
    arm = arm_of(case, written(case.text()))
    batch = play(arm, SEED, 0, DEALS)
    games = batch.games
    broken, whole = games[games["status"] != 0], games[games["status"] == 0]
    assert len(broken), "the answer is given in some game"
    assert len(whole), "the other games go on"
    assert set(broken["status"].tolist()) == {case.status}
    assert {HOOKS[hook] for hook in broken["error_hook"]} == {case.hook}
    if case.answer is not None:
        assert set(broken["error_answer"].tolist()) == {case.answer}
    assert (whole["run_outs"] == arm.rules.run_outs).all()
    assert (broken["winners"] == 0).all()


def test_its_line_says_who_where_and_what(case: Case, written: Callable[..., Entrant]) -> None:
    arm = arm_of(case, written(case.text()))
    batch = play(arm, SEED, 0, DEALS)
    game = batch.games[batch.games["status"] != 0][0]
    line = describe_error(arm, game, SEED)
    assert "\n" not in line
    for part in (
        f"mine.{case.hook} ",
        status.REASONS[case.status],
        f"seed {SEED}, deal {game['deal']}, seating 0, turn {game['turns']}",
        f"seat {game['error_seat']}",
    ):
        assert part in line
    if case.status == status.RAISED:
        assert "mine.py:" in line or "base.py" in line, "an exception is shown with its place"
    else:
        assert f"(answer {game['error_answer']})" in line


def test_interpreted_hooks_are_refused_alike(case: Case, written: Callable[..., Entrant]) -> None:
    arm = arm_of(case, written(case.text()))
    compiled, interpreted = play(arm, SEED, 0, 8), play(arm, SEED, 0, 8, interpreted=True)
    np.testing.assert_array_equal(compiled.games, interpreted.games)
    raised = np.flatnonzero(interpreted.games["status"] == status.RAISED)
    assert sorted(interpreted.errors) == raised.tolist()


def test_a_plain_python_strategy_is_refused_alike(written: Callable[..., Entrant]) -> None:
    text = CASES[0].text().replace("    def first_copy", "    compiled = False\n\n    def first_copy", 1)
    arm = arm_of(CASES[0], written(text))
    batch = play(arm, SEED, 0, 8)
    assert set(batch.games["status"].tolist()) == {0, status.RAISED}
    assert {type(error) for error in batch.errors.values()} == {ZeroDivisionError}


@pytest.mark.parametrize("answer", ["0.7", "'no'", "None", "[1]"])
def test_an_interpreted_answer_that_is_no_whole_number(answer: str, written: Callable[..., Entrant]) -> None:
    text = Case(status.RAISED, "accept", f"return {answer}").text()
    text = text.replace("    def first_copy", "    compiled = False\n\n    def first_copy", 1)
    batch = play(arm_of(CASES[0], written(text)), SEED, 0, 10)
    assert set(batch.games["status"].tolist()) == {0, status.RAISED}
    assert {type(error) for error in batch.errors.values()} == {AnswerError}


def test_every_status_has_a_case() -> None:
    """But for a full log and a fault, which are the engine's own affair, and games that give no answer."""
    others = {status.LOG_FULL, status.ENGINE_FAULT, *status.LOST}
    assert {case.status for case in CASES} | others == set(status.REASONS)


def test_a_full_log_is_a_status_and_play_repeats_the_game() -> None:
    arm = table_of(rules_of("base", 3), ("trader",) * 3)
    warm([arm])
    bench = Bench(arm)
    batch, _ = bench.run(1, 0, 1, log_rows=40)
    assert batch.games["status"][0] == status.LOG_FULL
    bench.close()
    logged = play(arm, 1, 0, 1, log=True)
    assert logged.games["status"][0] == 0
    np.testing.assert_array_equal(logged.games, play(arm, 1, 0, 1).games)
