"""What compiled hooks may do with their types: attributes, methods, rows and grids.

Importing this module tells numba how `self.margin`, `self.helper(...)`, `table.coins[seat]` and
`Parent.method(self, ...)` are typed and lowered (`beansim.strategy.native` has the types).
"""

from __future__ import annotations

import operator
import types as python_types
from typing import Any

import numba
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils, imputils
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import lower_builtin, lower_getattr_generic, typeof_impl

from beansim.rules import MAX_KINDS
from beansim.strategy.base import Memory, Param, SeatField, StrategyMeta
from beansim.strategy.bits import above, add, below, lowest, mark
from beansim.strategy.native import (
    INTEGER,
    SEAT_RECORD,
    ClassType,
    GridType,
    RowType,
    SeatType,
    TableType,
    at,
    checked,
    load,
    number_type,
    offset_of,
    pointer_cast,
    store,
    worths_where,
)
from beansim.strategy.records import BURDEN_MASK, SEAT_DTYPE, SEAT_FIELDS, TABLE_DTYPE, TABLE_FIELDS, Slot
from beansim.strategy.streams import bounded, uniform

# --- methods --------------------------------------------------------------------------------

_dispatchers: dict[Any, Any] = {}


def dispatcher_of(function: Any) -> Any:
    """The compiled form of a method or helper; one for each function."""
    if hasattr(function, "py_func"):
        return function
    if function not in _dispatchers:
        inner = njit(
            boundscheck=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
        )  # Python calls the other
        _dispatchers[function] = inner(_with_compiled_helpers(function))
    return _dispatchers[function]


def _with_compiled_helpers(function: Any) -> Any:
    """A copy of the function in which the plain functions that it names are compiled.

    Numba takes no plain ones. Kept machine code names the module of each function in it and
    needs that module when it is loaded; a strategy's module changes its name with every edit of
    its file, so the copy belongs to this module.
    """
    names = function.__globals__
    helpers = {
        name: dispatcher_of(names[name])
        for name in function.__code__.co_names
        if name in names and names[name] is not function and _is_helper(names[name])
    }
    code, defaults, closure = function.__code__, function.__defaults__, function.__closure__
    changed = python_types.FunctionType(code, {**names, **helpers}, function.__name__, defaults, closure)
    changed.__qualname__, changed.__module__ = function.__qualname__, __name__
    changed.__kwdefaults__ = function.__kwdefaults__
    return changed


_KNOWN = (lowest, mark, add, above, below)
"""Functions of ours whose compiled form numba knows."""


def _is_helper(value: Any) -> bool:
    """A plain function of an author; libraries' functions are numba's to know."""
    if not isinstance(value, python_types.FunctionType):
        return False
    return value.__module__.partition(".")[0] not in ("numpy", "math", "numba") and value not in _KNOWN


def _seat_random(self: Any, limit: int) -> int:
    if limit < 1:
        raise ValueError("random(limit) needs a limit of 1 or more")
    return bounded(_record_of(self).stream, limit)


def _seat_uniform(self: Any) -> float:
    return uniform(_record_of(self).stream)


_BUILT_IN_METHODS = {"random": _seat_random, "uniform": _seat_uniform}
_record_of = pointer_cast(SEAT_RECORD)


def _method_of(cls: StrategyMeta, name: str) -> Any:
    if name in _BUILT_IN_METHODS:
        return _BUILT_IN_METHODS[name]
    value = getattr(cls, name, None)
    return value if isinstance(value, python_types.FunctionType) else None


def _constant_of(cls: StrategyMeta, name: str) -> Any:
    value = getattr(cls, name, None)
    return value if isinstance(value, int | float) else None


def _call_dispatcher(dispatcher: Any) -> Any:
    """A lowering that calls `dispatcher` with the arguments as they are."""
    dispatcher_type = types.Dispatcher(dispatcher)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        call = context.get_function(dispatcher_type, signature)
        result = call(builder, args)
        context.add_linking_libs(getattr(call, "libs", ()))
        return imputils.impl_ret_new_ref(context, builder, signature.return_type, result)

    return lower


def _bound_method(owner: Any, function: Any) -> Any:
    """Type of `self.method`: calling it calls the function with self in front."""
    dispatcher = dispatcher_of(function)
    dispatcher_type = types.Dispatcher(dispatcher)

    class Method(AbstractTemplate):
        key = ("beansim.method", owner, function)

        def generic(self, args: Any, kws: Any) -> Any:
            signature = dispatcher_type.get_call_type(self.context, (owner, *args), kws)
            lower_builtin(Method.key, *signature.args)(_call_dispatcher(dispatcher))
            return signature.as_method()

    return types.BoundFunction(Method, owner)


@infer_getattr
class _SeatAttributes(AttributeTemplate):
    key = SeatType

    def generic_resolve(self, seat: Any, name: str) -> Any:
        declared = getattr(seat.cls, name, None)
        if isinstance(declared, SeatField):
            return _field_type(SEAT_FIELDS[name])
        if name in seat.cls.params:
            return types.boolean if seat.cls.params[name].kind is bool else _memory_type(declared)
        if name in seat.cls.memories:
            memory = seat.cls.memories[name]
            return RowType(_memory_code(memory), True) if memory.size else _memory_type(memory)
        function = _method_of(seat.cls, name)
        if function is not None:
            return _bound_method(seat, function)
        constant = _constant_of(seat.cls, name)
        return None if constant is None else _constant_type(constant)


def _field_type(slot: Slot) -> Any:
    if not slot.shape:
        return number_type(slot.code)
    if len(slot.shape) == 1:
        return RowType(slot.code, slot.writable, slot.span, slot.by_kind)
    return GridType(slot.code, slot.shape, slot.span, slot.transposed)


def _memory_type(item: Any) -> Any:
    return types.float64 if item.kind is float else types.int64


def _memory_code(item: Any) -> str:
    return "f8" if item.kind is float else "i8"


def _constant_type(value: Any) -> Any:
    if isinstance(value, bool):
        return types.boolean
    return types.int64 if isinstance(value, int) else types.float64


@infer_getattr
class _TableAttributes(AttributeTemplate):
    key = TableType

    def generic_resolve(self, table: Any, name: str) -> Any:
        return _field_type(TABLE_FIELDS[name]) if name in TABLE_FIELDS else None


@infer_getattr
class _ClassAttributes(AttributeTemplate):
    key = ClassType

    def generic_resolve(self, owner: Any, name: str) -> Any:
        function = _method_of(owner.cls, name)
        if function is not None:
            return types.Dispatcher(dispatcher_of(function))
        constant = _constant_of(owner.cls, name)
        return None if constant is None else _constant_type(constant)


@typeof_impl.register(StrategyMeta)
def _typeof_class(value: StrategyMeta, context: Any) -> Any:
    return ClassType(value)


# --- lowering of attributes -------------------------------------------------------------------


def _row(context: Any, builder: Any, row_type: Any, pointer: Any, size: Any) -> Any:
    proxy = cgutils.create_struct_proxy(row_type)(context, builder)
    proxy.data = builder.bitcast(pointer, proxy.data.type)
    proxy.size = ir.Constant(INTEGER, size) if isinstance(size, int) else size
    return proxy._getvalue()


def _engine_number(
    builder: Any, dtype: Any, record: Any, name: str, span: tuple[int, int] | None = None
) -> Any:
    return load(builder, at(builder, record, offset_of(dtype, name)), "i8", span, constant=True)


def _lower_field(context: Any, builder: Any, dtype: Any, slot: Slot, record: Any) -> Any:
    pointer = at(builder, record, offset_of(dtype, slot.name))
    if not slot.shape:
        return load(builder, pointer, slot.code, slot.span, constant=not slot.writable)
    if len(slot.shape) == 2:
        return pointer
    size: Any = slot.shape[0]
    if slot.name == "hand":
        size = _engine_number(builder, dtype, record, "hand_count")
        pointer = at(builder, pointer, _engine_number(builder, dtype, record, "hand_front"))
    elif slot.by_kind:
        size = _engine_number(builder, dtype, record, "kinds", (1, MAX_KINDS + 1))
    return _row(context, builder, _field_type(slot), pointer, size)


@lower_getattr_generic(TableType)
def _lower_table(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
    return _lower_field(context, builder, TABLE_DTYPE, TABLE_FIELDS[name], value)


@lower_getattr_generic(SeatType)
def _lower_seat(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
    if name == BURDEN_MASK.name:
        worths = at(builder, value, offset_of(SEAT_DTYPE, "worth"))
        kinds = _engine_number(builder, SEAT_DTYPE, value, "kinds", (1, MAX_KINDS + 1))
        return worths_where(builder, worths, kinds, "<", ir.Constant(ir.DoubleType(), 0.0))
    if isinstance(getattr(typ.cls, name, None), SeatField):
        return _lower_field(context, builder, SEAT_DTYPE, SEAT_FIELDS[name], value)
    if name in typ.cls.params:
        return _lower_param(builder, typ.cls.params[name], value)
    if name in typ.cls.memories:
        return _lower_memory(context, builder, typ.cls.memories[name], value)
    return _lower_constant(context, builder, _constant_of(typ.cls, name))


def _lower_param(builder: Any, item: Param, record: Any) -> Any:
    code = "f8" if item.kind is float else "i8"
    pointer = at(builder, record, offset_of(SEAT_DTYPE, "param") + 8 * item.slot)
    number = load(builder, pointer, code, constant=True)
    return builder.trunc(number, ir.IntType(1)) if item.kind is bool else number


def _lower_memory(context: Any, builder: Any, item: Memory, record: Any) -> Any:
    pointer = at(builder, record, offset_of(SEAT_DTYPE, "memory") + 8 * item.slot)
    if item.size:
        return _row(context, builder, RowType(_memory_code(item), True), pointer, item.size)
    return load(builder, pointer, _memory_code(item))


def _lower_constant(context: Any, builder: Any, value: Any) -> Any:
    return context.get_constant(_constant_type(value), value)


@lower_getattr_generic(ClassType)
def _lower_class(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
    if _method_of(typ.cls, name) is not None:
        return context.get_dummy_value()
    return _lower_constant(context, builder, _constant_of(typ.cls, name))


@imputils.lower_constant(ClassType)
def _lower_class_constant(context: Any, builder: Any, typ: Any, value: Any) -> Any:
    return context.get_dummy_value()


def writable_number(typ: SeatType, name: str) -> tuple[str, int] | None:
    """Code and offset of a single number that hooks may assign, or None."""
    if name in typ.cls.memories and not typ.cls.memories[name].size:
        item = typ.cls.memories[name]
        return _memory_code(item), offset_of(SEAT_DTYPE, "memory") + 8 * item.slot
    slot = SEAT_FIELDS.get(name)
    if slot is not None and slot.writable and not slot.shape:
        return slot.code, offset_of(SEAT_DTYPE, name)
    return None


def _lower_seat_store(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    seat_type, value_type = signature.args
    place = writable_number(seat_type, name)
    if place is None:
        raise numba.core.errors.TypingError(f"self.{name} is read-only")
    code, offset = place
    value = context.cast(builder, args[1], value_type, number_type(code))
    store(builder, at(builder, args[0], offset), code, value)


imputils.builtin_registry.lower_setattr_generic(SeatType)(_lower_seat_store)


# --- rows and grids ---------------------------------------------------------------------------


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 2 or kws:
            return None
        where, index = args
        if isinstance(where, RowType) and isinstance(index, types.Integer):
            return number_type(where.code)(where, types.int64)
        if isinstance(where, GridType) and isinstance(index, types.BaseTuple) and len(index) == 2:
            return number_type(where.code)(where, types.UniTuple(types.int64, 2))
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 3 or kws or not isinstance(args[0], RowType) or not args[0].writable:
            return None
        if args[0].code != "f8" and not isinstance(args[2], types.Integer | types.Boolean):
            return None  # a fraction would be cut silently
        return types.void(args[0], types.int64, number_type(args[0].code))


@infer_global(len)
class _Len(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return types.int64(args[0]) if len(args) == 1 and isinstance(args[0], RowType) else None


def _row_element(context: Any, builder: Any, row_type: Any, value: Any, index: Any) -> Any:
    row = cgutils.create_struct_proxy(row_type)(context, builder, value)
    index = checked(context, builder, index, row.size)
    offset = builder.mul(index, ir.Constant(INTEGER, int(row_type.code[1:])))
    return at(builder, row.data, offset)


@lower_builtin(operator.getitem, RowType, types.int64)
def _lower_row_get(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    row_type = signature.args[0]
    pointer = _row_element(context, builder, row_type, *args)
    return load(builder, pointer, row_type.code, row_type.span, constant=not row_type.writable)


@lower_builtin(operator.setitem, RowType, types.int64, types.int64)
@lower_builtin(operator.setitem, RowType, types.int64, types.float64)
def _lower_row_set(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    row_type = signature.args[0]
    row = cgutils.create_struct_proxy(row_type)(context, builder, args[0])
    index = checked(context, builder, args[1], row.size)
    offset = builder.mul(index, ir.Constant(INTEGER, int(row_type.code[1:])))
    value = _clamped(builder, args[2]) if row_type.code == "i1" else args[2]
    store(builder, at(builder, row.data, offset), row_type.code, value)
    return context.get_dummy_value()


def _clamped(builder: Any, value: Any) -> Any:
    """A count that fits no byte becomes -1, which the engine refuses: never a silent wrap."""
    fits = builder.icmp_unsigned("<=", value, ir.Constant(INTEGER, 127))
    return builder.select(fits, value, ir.Constant(INTEGER, -1))


@lower_builtin(len, RowType)
def _lower_row_len(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).size


@lower_builtin(operator.getitem, GridType, types.UniTuple)
def _lower_grid_get(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    grid = signature.args[0]
    first, second = cgutils.unpack_tuple(builder, args[1], 2)
    first = checked(context, builder, first, grid.shape[0])
    second = checked(context, builder, second, grid.shape[1])
    row, place, length = (second, first, grid.shape[0]) if grid.transposed else (first, second, grid.shape[1])
    position = builder.add(builder.mul(row, ir.Constant(INTEGER, length)), place)
    offset = builder.mul(position, ir.Constant(INTEGER, int(grid.code[1:])))
    return load(builder, at(builder, args[0], offset), grid.code, grid.span, constant=True)


# --- rows by kind worked on whole ---------------------------------------------------------------
#
# One store for a whole row: sixteen single ones would each have to reach memory before the engine's
# next load of the whole row could start.

_COUNTS = ir.VectorType(ir.IntType(8), MAX_KINDS)
_FLAGS = ir.VectorType(ir.IntType(1), MAX_KINDS)


def _is_counts(kind: Any, writable: bool = False) -> bool:
    return isinstance(kind, RowType) and kind.by_kind and kind.code == "i1" and kind.writable >= writable


def _counts_at(context: Any, builder: Any, row_type: Any, value: Any) -> Any:
    """Pointer to a row of counts as a whole."""
    data = cgutils.create_struct_proxy(row_type)(context, builder, value).data
    return builder.bitcast(data, ir.PointerType(_COUNTS))


def _flags(context: Any, builder: Any, row_type: Any, row: Any, mask: Any) -> Any:
    """The kinds of the row that are in the mask, as a vector of truth values."""
    size = cgutils.create_struct_proxy(row_type)(context, builder, row).size
    one = ir.Constant(INTEGER, 1)
    within = builder.and_(mask, builder.sub(builder.shl(one, size), one))
    return builder.bitcast(builder.trunc(within, ir.IntType(MAX_KINDS)), _FLAGS)


@infer_global(mark)
class _Mark(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 2 and not kws and _is_counts(args[0], True) and isinstance(args[1], types.Integer):
            return types.void(args[0], types.int64)
        return None


@lower_builtin(mark, RowType, types.int64)
def _lower_mark(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    row_type = signature.args[0]
    flags = _flags(context, builder, row_type, *args)
    builder.store(builder.zext(flags, _COUNTS), _counts_at(context, builder, row_type, args[0]), align=1)
    return context.get_dummy_value()


@infer_global(add)
class _Add(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 3 or kws or not isinstance(args[2], types.Integer):
            return None
        rows_fit = _is_counts(args[0], True) and _is_counts(args[1])
        return types.void(args[0], args[1], types.int64) if rows_fit else None


@lower_builtin(add, RowType, RowType, types.int64)
def _lower_add(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    row_type, cards_type, _ = signature.args
    flags = _flags(context, builder, row_type, args[0], args[2])
    place = _counts_at(context, builder, row_type, args[0])
    cards = builder.load(_counts_at(context, builder, cards_type, args[1]), align=1)
    added = builder.select(flags, cards, ir.Constant(_COUNTS, [0] * MAX_KINDS))
    # Two counts whose sum fits no byte give a negative number, which the engine refuses.
    builder.store(builder.add(builder.load(place, align=1), added), place, align=1)
    return context.get_dummy_value()


class _Where(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 2 or kws or not isinstance(args[1], types.Number):
            return None
        worths = isinstance(args[0], RowType) and args[0].by_kind and args[0].code == "f8"
        return types.int64(args[0], types.float64) if worths else None


def _register_where(function: Any, comparison: str) -> None:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0])
        mask = worths_where(builder, row.data, row.size, comparison, args[1])
        one = ir.Constant(INTEGER, 1)
        return builder.and_(mask, builder.sub(builder.shl(one, row.size), one))

    infer_global(function)(type(f"_{function.__name__}", (_Where,), {}))
    lower_builtin(function, RowType, types.float64)(lower)


_register_where(above, ">")
_register_where(below, "<")
