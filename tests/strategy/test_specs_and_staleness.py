"""What a spec can name, and edits that kept machine code must notice."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play
from beansim.errors import InputError, StrategyError
from beansim.strategy import Entrant, available, load
from beansim.strategy.compiled import hook_address
from beansim.strategy.reach import fingerprint

TWO = '''
class Alpha(Strategy):
    """One."""

    bold = param(False, 0, 1, "whether")
    steps = param(3, 1, 9, "cards")


class Beta(Alpha):
    """Two."""


class _Hidden(Alpha):
    """No candidate."""
'''

ONE = 'class Mine(Strategy):\n    """A strategy."""\n'


def test_a_file_with_several_classes_asks_for_one(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="found Alpha, Beta; name it as"):
        load(str(write(TWO)))
    assert load(f"{write(TWO)}:Beta").name == "Beta"


def test_a_mistyped_class_names_the_nearest(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="did you mean 'Alpha'"):
        load(f"{write(TWO)}:Alhpa")


def test_a_file_without_a_class_says_so(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="expected one strategy class, found none"):
        load(str(write("LIMIT = 3\n")))


@pytest.mark.parametrize(
    ("value", "read"), [("true", True), ("False", False), ("1", True), ("0", False), ("TRUE", True)]
)
def test_truth_values_are_read_as_people_write_them(
    value: str, read: bool, write: Callable[..., Path]
) -> None:
    assert load(f"{write(TWO)}:Alpha:bold={value}").values["bold"] is read


@pytest.mark.parametrize(
    "piece",
    ["bold=2", "bold=maybe", "steps=0", "steps=2.5", "steps=nan", "steps=1e999", "steps=", "steps='3'"],
)
def test_a_wrong_value_names_its_bounds(piece: str, write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"(true or false from 0 to 1|a whole number from 1 to 9)$"):
        load(f"{write(TWO)}:Alpha:{piece}")


def test_a_whole_number_may_be_written_with_a_point(write: Callable[..., Path]) -> None:
    assert load(f"{write(TWO)}:Alpha:steps=4.0").values["steps"] == 4


@pytest.mark.parametrize(
    "text",
    [
        "1 / 0",
        "def broken(:",
        "import no_such_module_at_all",
        "raise SystemError('x')",
        "import sys\nsys.exit(0)",
    ],
)
def test_a_file_that_cannot_be_imported_is_one_line(text: str, write: Callable[..., Path]) -> None:
    path = write(text)
    with pytest.raises(StrategyError, match="cannot be imported") as error:
        load(str(path))
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_given_comes_before_what_is_bundled(write: Callable[..., Path]) -> None:
    path = write(ONE, "trader")
    assert available([path.parent])["trader"] == path
    assert load("trader", [path.parent]).cls.__name__ == "Mine"
    assert load("trader").cls.__name__ == "Trader"


def test_an_edited_file_loads_anew_beside_the_old_one(written: Callable[..., Entrant]) -> None:
    text = ONE + "\n    @hook\n    def plant_second(self, table, kind):\n        return {}\n"
    old, new = written(text.format("0")), written(text.format("1"))
    assert old.digest != new.digest
    batch = play(table_of(rules_of("base", 3), (old, new, "hermit")), 1, 0, 3)
    second = batch.seats["second_plants"].reshape(3, 3)
    assert (second[:, 0] == 0).all()
    assert (second[:, 1] > 0).all()


GLOBALS = {
    "a number": ("LOW = {}", "LOW"),
    "a fraction": ("LOW = {} + 0.5", "LOW"),
    "a nested tuple": ("LOW = ((0, {}), 2)", "LOW[0][1]"),
    "a named tuple": (
        "from typing import NamedTuple\n\n\nclass Steps(NamedTuple):\n    low: int\n\n\nLOW = Steps({})",
        "LOW.low",
    ),
    "an array": ("import numpy as np\n\nLOW = np.array([0, {}])", "int(LOW[1])"),
    "the default of a helper": ("def low(extra={}):\n    return extra", "low()"),
    "a helper's helper": ("def inner():\n    return {}\n\n\ndef low():\n    return inner()", "low()"),
    "a helper of a closure": (
        "def make(number):\n    def low():\n        return number\n\n    return low\n\n\nlow = make({})",
        "low()",
    ),
    "a helper compiled by its author": (
        "from numba import njit\n\n\n@njit\ndef low():\n    return {}",
        "low()",
    ),
    "a member of an enumeration": (
        "from enum import IntEnum\n\n\nclass Steps(IntEnum):\n    LOW = {}",
        "Steps.LOW",
    ),
}
"""Text at the top of a file, and how a hook reads the number in it."""

READING = """{head}


{cls}
    @hook
    def plant_second(self, table, kind):
        return kind > {expression}
"""


@pytest.mark.parametrize("name", GLOBALS)
def test_an_edited_global_is_never_stale(name: str, written: Callable[..., Entrant]) -> None:
    """Compiled before and after the edit, the hook computes with the number that stands in its file."""
    head, expression = GLOBALS[name]
    prints, counts = [], []
    for number in (1, 6):
        text = READING.format(head=head.format(number), cls=ONE, expression=expression)
        entrant = written(text, f"reads{number}")
        prints.append(fingerprint(entrant.cls, "plant_second"))
        arm = table_of(rules_of("base", 3), (entrant,) * 3)
        compiled, interpreted = play(arm, 4, 0, 3), play(arm, 4, 0, 3, interpreted=True)
        assert (compiled.seats == interpreted.seats).all()
        counts.append(int(compiled.seats["second_plants"].sum()))
    assert prints[0] != prints[1]
    assert counts[0] > counts[1]


UNTYPED = {
    "a class": "class LOW:\n    number = 1",
    "a dictionary": "LOW = {1: 2}",
    "a set": "LOW = {1, 2}",
}


@pytest.mark.parametrize("what", UNTYPED)
def test_a_global_that_cannot_be_compiled_is_one_line(what: str, written: Callable[..., Entrant]) -> None:
    text = READING.format(head=UNTYPED[what], cls=ONE, expression="LOW")
    with pytest.raises(
        StrategyError, match=r"mine\.py:\d+: Mine\.plant_second cannot be compiled: .*LOW"
    ) as error:
        hook_address(written(text).cls, "plant_second")
    assert "\n" not in str(error.value)


def test_a_defined_name_is_not_told_as_undefined(written: Callable[..., Entrant]) -> None:
    text = READING.format(head=UNTYPED["a dictionary"], cls=ONE, expression="LOW[1]")
    with pytest.raises(StrategyError) as error:
        hook_address(written(text).cls, "plant_second")
    assert "is not defined" not in str(error.value)


def test_the_digest_covers_parent_classes(tmp_path, monkeypatch):
    """A run must not go on with a strategy whose parent was edited."""
    monkeypatch.syspath_prepend(str(tmp_path))
    child = tmp_path / "child.py"
    child.write_text('from its_parent import Parent\n\n\nclass Child(Parent):\n    """C."""\n')
    digests = []
    for answer in ("True", "False", "True"):
        (tmp_path / "its_parent.py").write_text(
            "from beansim.strategy import Strategy, hook\n\n\nclass Parent(Strategy):\n"
            f'    """P."""\n\n    @hook\n    def plant_second(self, table, kind):\n        return {answer}\n'
        )
        digests.append(load(str(child)).digest)
        for name in [name for name in sys.modules if name == "its_parent" or "strategy_child" in name]:
            monkeypatch.delitem(sys.modules, name)  # as another process sees it
    assert digests[0] == digests[2] != digests[1]


def test_a_parameter_given_twice_is_refused():
    with pytest.raises(InputError, match="margin is given twice"):
        load("trader:margin=1,growth=0,margin=2")


@pytest.mark.parametrize(
    ("hook", "written", "expected"),
    [
        ("plant_second", "self, table", "self, table, kind"),
        ("accept", "self", "self, table, partner"),
        ("propose", "self, table, kind", "self, table"),
        ("plant_second", "self, table, kind, *, more", "self, table, kind"),
    ],
)
def test_a_hook_with_other_arguments_is_refused(
    hook: str, written: str, expected: str, write: Callable[..., Path]
) -> None:
    text = f"class Mine(Strategy):\n    @hook\n    def {hook}({written}):\n        return 0\n"
    with pytest.raises(StrategyError) as caught:
        load(str(write(text)))
    assert f"Mine.{hook} takes ({written}), expected ({expected})" in str(caught.value)
    assert re.search(r"mine\.py:\d+: Mine", str(caught.value))


def test_a_hook_may_take_any_arguments(write: Callable[..., Path]) -> None:
    text = (
        "class Mine(Strategy):\n    compiled = False\n\n    def propose(self, *seen):\n        return PASS\n"
    )
    assert load(str(write(text))).name == "mine"
