"""Numba types through which compiled hooks see the table and their seat.

In a hook `table` is a pointer to the table record and `self` a pointer to the seat's record; a
type per strategy class knows the parameters, memory and methods of that class. Attributes that
hooks may not write have no store, so hidden or shared state is out of reach by type. Every index
is range-checked and raises IndexError. Small integers are read as int64, so that compiled and
interpreted hooks compute alike.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, imputils
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model
from numba.np import arrayobj

from beansim.rules import MAX_KINDS
from beansim.strategy.base import StrategyMeta
from beansim.strategy.records import SEAT_DTYPE, TABLE_DTYPE


class ShortRecord(types.Record):
    """Numba's type of a record under a short name.

    By default the name spells out every field; it is part of every symbol, kilobytes each, which
    multiplies compile time.
    """

    def __init__(self, fields: Any, size: int, aligned: bool, name: str) -> None:
        super().__init__(fields, size, aligned)
        self.name = name

    def __repr__(self) -> str:
        return self.name


register_model(ShortRecord)(models.RecordModel)


def short_record(dtype: np.dtype[Any], name: str, parts: Mapping[str, Any] | None = None) -> ShortRecord:
    """The record type of `dtype`, called `name` in symbols; `parts` are types of nested records."""
    record = numba.from_dtype(dtype)
    fields = [
        (
            key,
            {
                "type": (parts or {}).get(key, field.type),
                "offset": field.offset,
                "alignment": field.alignment,
                "title": None,
            },
        )
        for key, field in record.fields.items()
    ]
    return ShortRecord(fields, record.size, record.aligned, name)


TABLE_RECORD = short_record(TABLE_DTYPE, "beansim.TableRecord")
SEAT_RECORD = short_record(SEAT_DTYPE, "beansim.SeatRecord")
HOOK_SIGNATURE = types.int64(TABLE_RECORD, SEAT_RECORD, types.int64)
"""The one signature of every compiled hook: (table, own seat, argument) -> answer."""

RAISED = -(2**63)
"""What the engine receives for a hook that raised."""

_BYTE = ir.IntType(8)
_POINTER = ir.PointerType(_BYTE)
INTEGER = ir.IntType(64)


class TableType(types.Type):
    """Type of `table` in a compiled hook."""

    def __init__(self) -> None:
        super().__init__(name="beansim.Table")


class SeatType(types.Type):
    """Type of `self` in the compiled hooks of one strategy class.

    Its name carries the class's source digest: numba mangles argument types into symbols, and
    two classes of the same name from different files must never share code (numba #10486).
    """

    def __init__(self, cls: StrategyMeta, digest: str) -> None:
        self.cls = cls
        super().__init__(name=f"beansim.Seat({cls.__module__}.{cls.__qualname__}-{digest})")


class ClassType(types.Opaque):
    """A strategy class named inside a hook, for `Parent.method(self, ...)`."""

    def __init__(self, cls: StrategyMeta) -> None:
        self.cls = cls
        super().__init__(name=f"beansim.Class({cls.__module__}.{cls.__qualname__}-{id(cls)})")


class RowType(types.Type):
    """A row of numbers inside a record; `code` is the NumPy code of its elements.

    A row by kind has room for MAX_KINDS, whatever its length.
    """

    def __init__(
        self, code: str, writable: bool, span: tuple[int, int] | None = None, by_kind: bool = False
    ) -> None:
        self.code, self.writable, self.span, self.by_kind = code, writable, span, by_kind
        super().__init__(name=f"beansim.Row({code},{writable},{span},{by_kind})")


class GridType(types.Type):
    """A read-only grid of numbers inside a record; a transposed one lies there column by column."""

    def __init__(
        self, code: str, shape: tuple[int, ...], span: tuple[int, int] | None, transposed: bool
    ) -> None:
        self.code, self.shape, self.span, self.transposed = code, shape, span, transposed
        super().__init__(name=f"beansim.Grid({code},{shape},{span},{transposed})")


TABLE_TYPE = TableType()


@register_model(TableType)
@register_model(SeatType)
@register_model(GridType)
class _PointerModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _POINTER)


register_model(ClassType)(models.OpaqueModel)


@register_model(RowType)
class _RowModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        members = [("data", types.CPointer(types.int8)), ("size", types.int64)]
        super().__init__(dmm, fe_type, members)


def number_type(code: str) -> types.Type:
    """Type that a number of a record has in hooks: float64 or int64."""
    return types.float64 if code == "f8" else types.int64


def offset_of(dtype: np.dtype[Any], name: str) -> int:
    """Bytes from the start of a record to a field."""
    fields = dtype.fields
    assert fields is not None
    return int(fields[name][1])


def at(builder: Any, pointer: Any, offset: Any) -> Any:
    """Pointer `offset` bytes further (an int or an LLVM value)."""
    if isinstance(offset, int):
        offset = ir.Constant(INTEGER, offset)
    return builder.gep(builder.bitcast(pointer, _POINTER), [offset])


def _element(code: str) -> Any:
    return ir.DoubleType() if code == "f8" else ir.IntType(8 * int(code[1:]))


def load(
    builder: Any, pointer: Any, code: str, span: tuple[int, int] | None = None, *, constant: bool = False
) -> Any:
    """Load one number and widen it to int64 or float64.

    LLVM may rely on `span` (least value, first one too large), and on a `constant` one being the
    same throughout the hook: what hooks cannot write changes only between their calls.
    """
    value = builder.load(builder.bitcast(pointer, ir.PointerType(_element(code))), align=1)
    if constant:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    if span is not None:
        bounds = [ir.Constant(_element(code), bound) for bound in span]
        value.set_metadata("range", builder.module.add_metadata(bounds))
    if code in ("f8", "i8"):
        return value
    return builder.sext(value, INTEGER)


def store(builder: Any, pointer: Any, code: str, value: Any) -> None:
    """Store one number, cut to the width of its field."""
    if code not in ("f8", "i8"):
        value = builder.trunc(value, _element(code))
    builder.store(value, builder.bitcast(pointer, ir.PointerType(_element(code))), align=1)


def worths_where(builder: Any, worths: Any, kinds: Any, comparison: str, coins: Any) -> Any:
    """Bit mask of the kinds whose worth, in a row at this pointer, compares so with a number of coins."""
    four = ir.VectorType(ir.DoubleType(), 4)
    rows = builder.bitcast(worths, ir.PointerType(four))
    limit = splat(builder, coins, four)

    def eight(first: int) -> Any:
        masks = []
        for place in (first, first + 4):  # four at a time: an instruction turns them into four bits
            values = builder.load(builder.gep(rows, [ir.Constant(INTEGER, place // 4)]), align=8)
            bits = builder.bitcast(builder.fcmp_ordered(comparison, values, limit), ir.IntType(4))
            masks.append(builder.shl(builder.zext(bits, INTEGER), ir.Constant(INTEGER, place)))
        # Kept apart: LLVM would join the eight in one register, which takes longer.
        apart = builder.asm(ir.FunctionType(INTEGER, [INTEGER]), "", "=r,0", [masks[1]], False)
        return builder.or_(masks[0], apart)

    few, before = eight(0), builder.block
    with builder.if_then(builder.icmp_unsigned(">", kinds, ir.Constant(INTEGER, 8))):
        many, last = builder.or_(few, eight(8)), builder.block
    mask = builder.phi(INTEGER)
    mask.add_incoming(few, before)
    mask.add_incoming(many, last)
    return mask


def splat(builder: Any, number: Any, vector: ir.VectorType) -> Any:
    """A vector of copies of a number."""
    nowhere = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nowhere, number, ir.Constant(ir.IntType(32), 0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, nowhere, places)


def checked(context: Any, builder: Any, index: Any, size: Any) -> Any:
    """The index, counted from the end when negative; IndexError when outside."""
    if isinstance(size, int):
        size = ir.Constant(INTEGER, size)
    negative = builder.icmp_signed("<", index, ir.Constant(INTEGER, 0))
    index = builder.select(negative, builder.add(index, size), index)
    outside = builder.icmp_unsigned(">=", index, size)
    with builder.if_then(outside, likely=False):
        context.call_conv.return_user_exc(builder, IndexError, ("index out of range",))
    return index


# --- records <-> pointers -------------------------------------------------------------------


def pointer_cast(target: types.Type) -> Any:
    """An intrinsic that reads a record argument as `target` (SeatType, TableType) or back."""

    @intrinsic
    def cast_to(typingctx: Any, record: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(target))

        return target(record), codegen

    return cast_to


@intrinsic
def same_kinds(typingctx: Any, table: Any, seat: Any) -> Any:
    """Let LLVM rely on both records counting the same kinds: then a loop over them checks no index."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        counts = [
            load(
                builder,
                at(builder, record, offset_of(dtype, "kinds")),
                "i8",
                (1, MAX_KINDS + 1),
                constant=True,
            )
            for record, dtype in zip(args, (TABLE_DTYPE, SEAT_DTYPE), strict=True)
        ]
        builder.assume(builder.icmp_signed("==", *counts))
        return context.get_dummy_value()

    return types.void(table, seat), codegen


def records_cast(record: Any, dtype: np.dtype[Any]) -> Any:
    """A function that reads words (uint64 [n, record words]) as an array of `n` records."""
    if numba.config.DISABLE_JIT:
        return lambda words: words.reshape(-1).view(dtype).view(np.recarray)
    array_type = types.Array(record, 1, "C")

    @intrinsic
    def cast_to(typingctx: Any, words: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source = context.make_array(signature.args[0])(context, builder, args[0])
            array = context.make_array(array_type)(context, builder)
            arrayobj.populate_array(
                array,
                data=builder.bitcast(source.data, array.data.type),
                shape=[cgutils.unpack_tuple(builder, source.shape)[0]],
                strides=[ir.Constant(INTEGER, dtype.itemsize)],
                itemsize=dtype.itemsize,
                meminfo=source.meminfo,
                parent=source.parent,
            )
            return imputils.impl_ret_borrowed(context, builder, array_type, array._getvalue())

        return array_type(words), codegen

    return cast_to


@intrinsic
def store16(typingctx: Any, address: Any, value: Any) -> Any:
    """Store a 16-bit number at an address (the event log, whose size is not known beforehand)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        store(builder, builder.inttoptr(args[0], _POINTER), "i2", args[1])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


BY_ADDRESS = ".by_address"
"""How the symbol ends under which the engine calls a hook."""


def _hook_type(context: Any) -> ir.FunctionType:
    return ir.FunctionType(INTEGER, [context.get_value_type(kind) for kind in HOOK_SIGNATURE.args])


@intrinsic
def callable_by_address(typingctx: Any) -> Any:
    """Give the function in whose body this stands an entry that answers as plain C does.

    Numba's functions hand their answer over in memory, and a status that must be looked at; here a hook
    that raised answers RAISED. The exception itself is dropped: the game ends with a status, and the
    Python side plays it again with interpreted hooks to show where and why.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        hook = builder.function
        hook.attributes.add("alwaysinline")
        hook.linkage = "internal"  # called from nowhere else, so that LLVM inlines all that it calls
        entry = ir.Function(builder.module, _hook_type(context), hook.name + BY_ADDRESS)
        for record in entry.args[:2]:
            record.add_attribute("noalias")  # table and seat lie apart
        body = ir.IRBuilder(entry.append_basic_block())
        status, answer = context.call_conv.call_function(
            body, hook, types.int64, HOOK_SIGNATURE.args, entry.args
        )
        body.ret(body.select(status.is_error, ir.Constant(INTEGER, RAISED), answer))
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def call_address(typingctx: Any, address: Any, table: Any, seat: Any, argument: Any) -> Any:
    """Call the compiled hook at `address`; RAISED when the hook raised."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        hook = builder.inttoptr(args[0], ir.PointerType(_hook_type(context)))
        return builder.call(hook, args[1:])

    return types.int64(types.int64, table, seat, types.int64), codegen


@intrinsic
def call_foreign(typingctx: Any, address: Any, hook: Any, argument: Any) -> Any:
    """Call a C function `int64 (int64 hook, int64 argument)` at `address` (interpreted hooks)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = ir.PointerType(ir.FunctionType(INTEGER, [INTEGER, INTEGER]))
        return builder.call(builder.inttoptr(args[0], function), args[1:])

    return types.int64(types.int64, types.int64, types.int64), codegen


FOREIGN: dict[int, Any] = {}
"""Interpreted callbacks by address, for the interpreted engine."""

if numba.config.DISABLE_JIT:  # the whole engine interpreted: intrinsics have no Python form

    def call_foreign(address: int, hook: int, argument: int) -> int:  # type: ignore[misc]
        """Call an interpreted hook from the interpreted engine."""
        return int(FOREIGN[int(address)](int(hook), int(argument)))

    def store16(address: int, value: int) -> None:  # type: ignore[misc]
        """Store a 16-bit number at an address."""
        ctypes.c_int16.from_address(int(address)).value = int(value)

    def call_address(address: int, table: Any, seat: Any, argument: int) -> int:  # type: ignore[misc]
        """There are no compiled hooks in the interpreted engine."""
        raise RuntimeError("compiled hook in an interpreted engine")
