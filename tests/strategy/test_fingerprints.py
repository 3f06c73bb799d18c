"""Machine code is kept under what it depends on: an edit recompiles the hooks that reach it, no other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from beansim.strategy import HOOKS, load
from beansim.strategy.reach import fingerprint, home, is_silent

ORIGINAL = '''
import beansim_test_rates as rates

LIMIT = 2
STEPS = (1, 2, 3)


def rate(x: float) -> float:
    return x * 2.0


class Parent(Strategy):
    """A parent with a helper method and a class constant."""

    bonus = 1.5

    def gain(self, kind):
        return rate(self.worth[kind]) + self.bonus


class Mine(Parent):
    """Each hook reaches something else."""

    margin = param(0.5, 0.0, 9.0, "coins")
    asked = memory(0)

    @hook
    def plant_second(self, table, kind):
        return self.gain(kind) > 0.0

    @hook
    def accept(self, table, partner):
        return self.offer_gain(table) > self.margin + LIMIT

    @hook
    def choose_bid(self, table):
        return rates.fee(table.players) - 99 if STEPS[0] > 5 else NONE

    @hook
    def plant_next(self, table):
        self.asked += 1
        return Parent.plant_next(self, table)
'''

EDITS = {
    "a comment": ("# nothing\nLIMIT = 2", "LIMIT = 2", set()),
    "a helper": ("return x * 3.0", "return x * 2.0", {"plant_second"}),
    "a method of the parent": (
        "self.worth[kind]) - self.bonus",
        "self.worth[kind]) + self.bonus",
        {"plant_second"},
    ),
    "a constant of the parent": ("bonus = 2.5", "bonus = 1.5", {"plant_second"}),
    "a global number": ("LIMIT = 3", "LIMIT = 2", {"accept"}),
    "a global tuple": ("STEPS = (9, 2, 3)", "STEPS = (1, 2, 3)", {"choose_bid"}),
    "a hook": ("self.asked += 2", "self.asked += 1", {"plant_next"}),
    "the default of a parameter": ('param(0.25, 0.0, 9.0, "coins")', 'param(0.5, 0.0, 9.0, "coins")', set()),
    "the type of a parameter": ('param(1, 0, 9, "coins")', 'param(0.5, 0.0, 9.0, "coins")', {"accept"}),
    "the place of a memory": (
        "first = memory(0)\n    asked = memory(0)",
        "asked = memory(0)",
        {"plant_next"},
    ),
    "a new default hook": (
        "asked = memory(0)\n\n    bid = silent",
        "asked = memory(0)",
        {"bid"},
    ),
}
"""New text, old text, and the hooks whose machine code it changes."""


@pytest.fixture
def rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Write the module whose function a hook calls, and have it imported anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write_module(fee: int) -> None:
        (tmp_path / "beansim_test_rates.py").write_text(f"def fee(players):\n    return {fee} + players\n")
        monkeypatch.delitem(sys.modules, "beansim_test_rates", raising=False)

    return write_module


def fingerprints(path: Path) -> dict[str, str]:
    cls = load(f"{path}:Mine").cls
    return {hook: fingerprint(cls, hook) for hook in HOOKS}


def changed(one: dict[str, str], two: dict[str, str]) -> set[str]:
    return {hook for hook in HOOKS if one[hook] != two[hook]}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_changes_the_hooks_that_reach_it(
    edit: str, write: Callable[..., Path], rates: Callable[[int], None]
) -> None:
    new, old, hooks = EDITS[edit]
    rates(1)
    before = fingerprints(write(ORIGINAL))
    assert old in ORIGINAL
    assert changed(before, fingerprints(write(ORIGINAL.replace(old, new)))) == hooks


def test_an_edit_in_an_imported_helper_is_seen(
    write: Callable[..., Path], rates: Callable[[int], None]
) -> None:
    rates(1)
    before = fingerprints(write(ORIGINAL))
    rates(2)
    assert changed(before, fingerprints(write(ORIGINAL + "\n"))) == {"choose_bid"}


def test_hooks_are_compiled_for_the_most_basic_class(
    write: Callable[..., Path], rates: Callable[[int], None]
) -> None:
    rates(1)
    path = write(ORIGINAL)
    mine, parent = load(f"{path}:Mine").cls, load(f"{path}:Parent").cls
    assert home(mine, "plant_second") is mine
    assert home(parent, "bid") is home(mine, "bid") is load("hermit").cls.__mro__[1]


def test_silent_hooks_are_known() -> None:
    hermit = load("hermit").cls
    assert {hook for hook in HOOKS if is_silent(hermit, hook)} >= {"announce", "bid", "propose", "buy_field"}
    assert not is_silent(hermit, "plant_next")


RATES = """
import numpy as np

RATE = np.dtype([("size", "i1"), ("rate", "f8")], align=True)
RATES = np.full(2 * RATE.itemsize, {between}, np.uint8).view(RATE)
RATES["size"], RATES["rate"] = 1, {rate}
FEES = np.array([1, 2], np.{number})


class Mine(Strategy):
    @hook
    def plant_second(self, table, kind):
        return self.worth[kind] > RATES[0].rate

    @hook
    def accept(self, table, partner):
        return self.offer_gain(table) > FEES[0]
"""


def test_arrays_count_by_their_numbers(write: Callable[..., Path]) -> None:
    """Values, types and shapes; not the bytes between the fields of a record, which are nobody's."""

    def written(between: int = 0, rate: float = 0.5, number: str = "int64") -> dict[str, str]:
        return fingerprints(write(RATES.format(between=between, rate=rate, number=number)))

    before = written()
    assert written(between=255) == before
    assert changed(before, written(rate=0.75)) == {"plant_second"}
    assert changed(before, written(number="uint64")) == {"accept"}
