"""Interpreted hooks: the same class as ordinary Python, called back by the compiled engine.

The views over the records are bound once. An exception never crosses the C boundary (that is
undefined there): it is kept, the engine is told, and the Python side raises it with the
strategy, seed, deal and turn.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from beansim.errors import StrategyError, told
from beansim.rules import Rules
from beansim.strategy.base import HOOKS, HOOKS_WITH_ARGUMENT
from beansim.strategy.load import Entrant
from beansim.strategy.native import FOREIGN, RAISED, offset_of
from beansim.strategy.records import SEAT_DTYPE, SEAT_SLOTS, TABLE_DTYPE, TABLE_FIELDS, TABLE_SLOTS, Slot

_TOO_LARGE = 2**63
"""The first number that does not fit 64 bits."""
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def _numbers_of(dtype: np.dtype[Any], slots: Sequence[Slot]) -> Any:
    """Base class for a ctypes view of a record: single numbers are attributes, rows are left out.

    Reading such an attribute is a C function of some 30 ns; a property over a view took four times as long.
    """
    offsets = [offset_of(dtype, slot.name) for slot in slots] + [dtype.itemsize]
    fields: list[tuple[str, Any]] = []
    for slot, start, end in zip(slots, offsets, offsets[1:], strict=False):
        number = [(slot.name, ctypes.c_int64)] if not slot.shape else []
        fields += [*number, (f"_{slot.name}", ctypes.c_char * (end - start - 8 * len(number)))]
    return type("Numbers", (ctypes.Structure,), {"_fields_": fields})


_TableNumbers = _numbers_of(TABLE_DTYPE, TABLE_SLOTS)
_SeatNumbers = _numbers_of(SEAT_DTYPE, SEAT_SLOTS)


def _record_of(kind: Any, record: np.ndarray[Any, Any]) -> Any:
    """The ctypes view of a record (an array of one)."""
    return kind.from_buffer(record.view(np.uint8))


class TableView(_TableNumbers):  # type: ignore[misc, valid-type]
    """`table` in an interpreted hook: the table record, read-only."""

    @classmethod
    def of(cls, record: np.ndarray[Any, Any], kinds: int) -> TableView:
        """The view of a table record (an array of one) of a deck of so many kinds."""
        table: TableView = _record_of(cls, record)
        views = {name: _view(record, slot, kinds).toreadonly() for name, slot in TABLE_FIELDS.items()}
        vars(table).update({name: view for name, view in views.items() if TABLE_FIELDS[name].shape})
        vars(table).update(_views=views)
        return table

    def view(self, name: str) -> memoryview:
        """The read-only view of a field; of a single number, a row of one."""
        view: memoryview = self._views[name]
        return view

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"table.{name} is read-only")


def _view(record: np.ndarray[Any, Any], slot: Slot, kinds: int) -> memoryview:
    """A view of one field of a record (an array of one); rows by kind end with the last kind."""
    if not slot.shape:
        single: Any = record[slot.name]
        return memoryview(single)
    array = record[slot.name][0]
    rows: Any = array[:kinds] if slot.by_kind else array.T if slot.transposed else array
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


class AnswerError(TypeError):
    """An answer that is no whole number of 64 bits; it is told in these words alone."""


def _whole(answer: Any) -> int:
    """A hook's answer as a 64-bit whole number; anything else is an error, never cut."""
    try:
        number = int(answer) if isinstance(answer, np.bool_) else operator.index(answer)
    except TypeError as error:
        raise AnswerError(f"it answered {answer!r:.60}, expected a whole number or True or False") from error
    if not -_TOO_LARGE < number < _TOO_LARGE:
        raise AnswerError(f"it answered {number}, which does not fit 64 bits")
    return number


class Interpreted:
    """One seat's strategy as ordinary Python, bound to one table's records.

    Attributes:
        instance: the strategy object.
        address: of the C callback; goes into the seat's record.
    """

    def __init__(
        self,
        entrant: Entrant,
        rules: Rules,
        table: TableView,
        record: np.ndarray[Any, Any],
        seat: int,
        on_error: Callable[[BaseException], None],
    ) -> None:
        """Bind a strategy to a seat's record (an array of one); `on_error` is told what its hooks raise."""
        self.instance = entrant.cls.__new__(entrant.cls)
        fixed = {**entrant.values, "seat": seat, "rules": rules}
        self.instance.bind(seat_views(record, len(rules.kinds)), _record_of(_SeatNumbers, record), fixed)
        try:
            self.instance.__init__()
        except Exception as error:
            raise StrategyError(f"{entrant.label}.__init__ raised {told(error)}") from error
        self.address = 0
        self._call_back(_callback([getattr(self.instance, hook) for hook in HOOKS], table, on_error))

    def announce(self, tell: Callable[[int], object]) -> None:
        """Have `tell` called with the number of each hook before it is asked."""
        call = FOREIGN[self.address]

        def told(hook: int, argument: int) -> int:
            tell(hook)
            return int(call(hook, argument))

        self._call_back(told)

    def _call_back(self, function: Callable[[int, int], int]) -> None:
        """Have the engine call this function."""
        self.close()
        self._callback = _CALLBACK(function)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        FOREIGN[self.address] = function

    def close(self) -> None:
        """Forget the callback's address."""
        FOREIGN.pop(self.address, None)


def _callback(
    methods: list[Any], table: TableView, on_error: Callable[[BaseException], None]
) -> Callable[[int, int], int]:
    """The function that the engine calls: a hook's number and argument, its answer."""
    takes_argument = [hook in HOOKS_WITH_ARGUMENT for hook in HOOKS]
    appraise = HOOKS.index("appraise")

    def call(hook: int, argument: int) -> int:
        try:
            answer = methods[hook](table, argument) if takes_argument[hook] else methods[hook](table)
            kind = type(answer)
            if kind is bool or (kind is int and -_TOO_LARGE < answer < _TOO_LARGE):
                return answer
            return 0 if answer is None and hook == appraise else _whole(answer)
        except BaseException as error:
            on_error(error)
            return RAISED

    return call
