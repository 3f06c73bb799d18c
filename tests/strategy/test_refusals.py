"""Every answer that breaks the contract ends its own game, with a status and a clear line."""

from pathlib import Path

import pytest

from beansim.engine import Arm, describe_error, play
from beansim.engine import status as codes
from beansim.rules.variants import VARIANTS
from beansim.strategy import load

HEAD = "from beansim.strategy import CLOSE, NONE, OFFER, PASS, Strategy, hook\n"
CASES = {
    "raises": (codes.RAISED, "def plant_second(self, table, kind):\n        return 1 // (kind - kind)"),
    "index": (codes.RAISED, "def plant_second(self, table, kind):\n        return self.hand[99]"),
    "row": (codes.RAISED, "def bid(self, table):\n        self.take[8] = 1\n        return OFFER"),
    "field": (codes.BAD_FIELD, "def choose_field(self, table, kind):\n        return 3"),
    "harvest": (codes.BAD_HARVEST, "def choose_harvest(self, table, kind):\n        return 7"),
    "early": (codes.BAD_HARVEST, "def harvest_early(self, table):\n        return 2"),
    "kind": (codes.BAD_KIND, "def plant_next(self, table):\n        return 15"),
    "announce": (codes.BAD_ANNOUNCE, "def announce(self, table):\n        return 3"),
    "bid": (codes.BAD_BID_ANSWER, "def bid(self, table):\n        return CLOSE"),
    "puts up": (
        codes.PUTS_UP_MISSING,
        "def announce(self, table):\n        self.give[0] = 30\n        self.wish[1] = 1\n        return OFFER",
    ),
    "negative": (
        codes.PUTS_UP_MISSING,
        "def announce(self, table):\n        self.give[0] = -1\n        self.wish[1] = 1\n        return OFFER",
    ),
    "wish": (codes.BAD_WISH, "def announce(self, table):\n        self.wish[1] = 2\n        return OFFER"),
    "no wish": (codes.NO_WISH, "def announce(self, table):\n        return OFFER"),
    "nothing": (codes.NOTHING_FOR_NOTHING, "def propose(self, table):\n        return OFFER"),
    "takes": (
        codes.TAKES_NOT_PUT_UP,
        "def bid(self, table):\n        self.take[0] = 9\n        return OFFER",
    ),
    "pays": (codes.PAYS_MISSING, "def bid(self, table):\n        self.give[0] = 20\n        return OFFER"),
    "gives": (
        codes.PAYS_MISSING,
        "def propose(self, table):\n        self.give[0] = 20\n        return OFFER",
    ),
    "asks": (codes.BAD_TAKE, "def propose(self, table):\n        self.take[0] = -3\n        return OFFER"),
    "seat": (codes.BAD_SEAT, "def choose_bid(self, table):\n        return self.seat"),
    "copy": (codes.BAD_COPY, "def give_copy(self, table, kind):\n        return 77"),
    "second": (codes.BAD_YES_NO, "def plant_second(self, table, kind):\n        return 2"),
    "accept": (codes.BAD_YES_NO, "def accept(self, table, partner):\n        return -1"),
}


def broken(folder: Path, body: str, compiled: bool = True) -> str:
    path = folder / "broken.py"
    path.write_text(
        f'{HEAD}\n\nclass Broken(Strategy):\n    """Breaks the contract."""\n\n    compiled = {compiled}\n\n'
        f"    @hook\n    {body}\n"
    )
    return str(path)


def table_of(spec: str) -> Arm:
    lineup = tuple(load(name) for name in (spec, "random:talk=0.9", "generous"))
    return Arm("base", VARIANTS["base"].rules(3), lineup, ((0, 1, 2), (1, 2, 0)))


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "python"])
@pytest.mark.parametrize("case", CASES)
def test_a_bad_answer_has_its_own_status(tmp_path, case, compiled):
    code, body = CASES[case]
    batch = play(table_of(broken(tmp_path, body, compiled)), 3, 0, 12)
    bad = batch.games[batch.games["status"] != 0]
    assert len(bad) > 0
    assert set(bad["status"]) == {code}
    line = describe_error(batch.arm, bad[0], 3)
    hook = body.split("(")[0].removeprefix("def ")
    for word in ("broken", hook, "seed 3", f"deal {bad[0]['deal']}", f"turn {bad[0]['turns']}"):
        assert word in line
    assert "\n" not in line


def test_other_games_of_the_batch_go_on(tmp_path):
    body = "def plant_second(self, table, kind):\n        return 2 if table.turn > 30 and self.random(9) == 0 else 1"
    batch = play(table_of(broken(tmp_path, body)), 3, 0, 40)
    good = batch.games["status"] == 0
    assert 0 < good.sum() < len(good)
    assert (batch.games["turns"][good] > 20).all()


def test_an_exception_is_shown_with_its_line(tmp_path):
    body = "def plant_second(self, table, kind):\n        return 1 // (kind - kind)"
    batch = play(table_of(broken(tmp_path, body)), 3, 0, 1)
    line = describe_error(batch.arm, batch.games[0], 3)
    assert "ZeroDivisionError" in line
    assert "broken.py:11" in line


def test_gifts_are_refused_where_there_are_none(tmp_path):
    body = "def announce(self, table):\n        self.wish[1] = 1\n        return OFFER"
    arm = table_of(broken(tmp_path, body))
    rules = VARIANTS["base"].extended("no-gifts", {"gifts": False}).rules(3)
    batch = play(Arm("x", rules, (arm.lineup[0], load("hermit"), load("hermit")), arm.seatings), 1, 0, 3)
    assert set(batch.games["status"]) == {codes.NO_GIFTS}
