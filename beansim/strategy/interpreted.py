"""Interpreted hooks: the same class as ordinary Python, called back by the compiled engine.

The views over the records are bound once. An exception never crosses the C boundary (that is
undefined there): it is kept, the engine is told, and the Python side raises it with the
strategy, seed, deal and turn.
"""

from __future__ import annotations

import ctypes
import operator
from typing import Any

import numpy as np

from beansim.rules import Rules
from beansim.strategy.base import HOOKS, HOOKS_WITH_ARGUMENT
from beansim.strategy.load import Entrant
from beansim.strategy.native import FOREIGN, RAISED
from beansim.strategy.records import SEAT_SLOTS, TABLE_FIELDS, Slot

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class TableView:
    """`table` in an interpreted hook: read-only views of the table record."""

    def __init__(self, record: np.ndarray[Any, Any], kinds: int) -> None:
        for name, slot in TABLE_FIELDS.items():
            hidden = name if slot.shape else f"_{name}"
            self.__dict__[hidden] = _view(record, slot, kinds).toreadonly()

    def view(self, name: str) -> memoryview:
        """The read-only view of a field; of a single number, a row of one."""
        view: memoryview = self.__dict__[name if TABLE_FIELDS[name].shape else f"_{name}"]
        return view


def _scalar(name: str) -> property:
    hidden = f"_{name}"
    return property(lambda self: self.__dict__[hidden][0], doc=TABLE_FIELDS[name].doc)


for _name, _slot in TABLE_FIELDS.items():
    if not _slot.shape:
        setattr(TableView, _name, _scalar(_name))


def _view(record: np.ndarray[Any, Any], slot: Slot, kinds: int) -> memoryview:
    """A view of one field of a record (an array of one); rows by kind end with the last kind."""
    if not slot.shape:
        single: Any = record[slot.name]
        return memoryview(single)
    array = record[slot.name][0]
    rows: Any = array[:kinds] if slot.by_kind else array
    return memoryview(rows)


def seat_views(record: np.ndarray[Any, Any], kinds: int) -> dict[str, Any]:
    """Views of one seat's record (an array of one), by name; writable where hooks may write."""
    views: dict[str, Any] = {}
    for slot in SEAT_SLOTS:
        view = _view(record, slot, kinds)
        engine_only = slot.name in ("param", "memory", "stream")
        views[slot.name] = view if slot.writable or engine_only else view.toreadonly()
    views["param_int"] = memoryview(record["param_int"][0])
    views["memory_int"] = memoryview(record["memory_int"][0])
    views["stream"] = record["stream"][0]
    return views


def _whole(answer: Any) -> int:
    """A hook's answer as a 64-bit whole number; anything else is an error, never cut."""
    number = int(answer) if isinstance(answer, np.bool_) else operator.index(answer)
    if not -(2**63) < number < 2**63:
        raise OverflowError(f"the answer {number} does not fit 64 bits")
    return number


class Interpreted:
    """One seat's strategy as ordinary Python, bound to one table's records.

    Attributes:
        instance: the strategy object.
        address: of the C callback; goes into the seat's record.
        error: the exception of the last hook that raised, or None.
    """

    def __init__(
        self, entrant: Entrant, rules: Rules, table: TableView, record: np.ndarray[Any, Any], seat: int
    ) -> None:
        self.instance = entrant.cls.__new__(entrant.cls)
        fixed = {**entrant.values, "seat": seat, "rules": rules}
        self.instance.bind(seat_views(record, len(rules.kinds)), fixed)
        self.instance.__init__()
        self.error: BaseException | None = None
        self._table = table
        self._methods = [getattr(self.instance, hook) for hook in HOOKS]
        self._takes_argument = [hook in HOOKS_WITH_ARGUMENT for hook in HOOKS]
        self._callback = _CALLBACK(self._call)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        FOREIGN[self.address] = self._call

    def _call(self, hook: int, argument: int) -> int:
        try:
            method = self._methods[hook]
            answer = method(self._table, argument) if self._takes_argument[hook] else method(self._table)
            return 0 if answer is None and HOOKS[hook] == "appraise" else _whole(answer)
        except BaseException as error:
            self.error = error
            return RAISED

    def close(self) -> None:
        """Forget the callback's address."""
        FOREIGN.pop(self.address, None)
