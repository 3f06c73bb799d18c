"""Rows of small numbers worked on whole: sixteen counts by kind, four fields.

A row fits a vector register, so that clearing, copying and comparing it takes a few instructions
and no branch. Loops over the kinds that an offer names took 30 % of the time of a trading table,
most of it in branches that no processor can foresee. Masks have bit k set for position k.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from beansim.engine.state import MAX_PILE
from beansim.rules import MAX_FIELDS, MAX_KINDS
from beansim.strategy.bits import lowest
from beansim.strategy.compiling import compiled
from beansim.strategy.native import splat

_INTEGER = ir.IntType(64)
_BYTE = ir.IntType(8)
_KINDS = ir.VectorType(_BYTE, MAX_KINDS)
_SEATS = ir.VectorType(_BYTE, 8)
_FIELDS = ir.VectorType(_BYTE, MAX_FIELDS)

Emit = Callable[..., Any]
"""Builds the code of an operation: (builder, *operands) -> value."""


def _pointer(context: Any, builder: Any, kind: Any, row: Any, vector: ir.VectorType) -> Any:
    data = context.make_array(kind)(context, builder, row).data
    return builder.bitcast(data, ir.PointerType(vector))


def _operand(context: Any, builder: Any, kind: Any, value: Any, vector: ir.VectorType) -> Any:
    """A row as a vector; a number as it is."""
    if isinstance(kind, types.Integer):
        return value
    return builder.load(_pointer(context, builder, kind, value, vector), align=1)


def _mask(builder: Any, lanes: Any) -> Any:
    """The bit mask of a vector of truth values."""
    bits = builder.bitcast(lanes, ir.IntType(lanes.type.count))
    return builder.zext(bits, _INTEGER)


def _same(vector: ir.VectorType, number: int) -> ir.Constant:
    return ir.Constant(vector, [number] * vector.count)


def _reading(vector: ir.VectorType, operands: int, emit: Emit, interpreted: Callable[..., int]) -> Any:
    """An operation that reads rows (and numbers) and answers a number."""
    if numba.config.DISABLE_JIT:
        return interpreted

    def typed(kinds: tuple[Any, ...]) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values = [
                _operand(context, builder, kind, value, vector)
                for kind, value in zip(signature.args, args, strict=True)
            ]
            return emit(builder, *values)

        return types.int64(*kinds), codegen

    def of_one(typingctx: Any, one: Any) -> Any:
        return typed((one,))

    def of_two(typingctx: Any, one: Any, two: Any) -> Any:
        return typed((one, two))

    def of_three(typingctx: Any, one: Any, two: Any, three: Any) -> Any:
        return typed((one, two, three))

    return intrinsic((of_one, of_two, of_three)[operands - 1])


def _bits(lanes: Any) -> int:
    return sum(1 << place for place, lane in enumerate(lanes) if lane)


# --- rows by kind ---------------------------------------------------------------------------------

filled = _reading(
    _KINDS,
    1,
    lambda builder, row: _mask(builder, builder.icmp_signed("!=", row, _same(_KINDS, 0))),
    lambda row: _bits(row != 0),
)
"""filled(row): mask of the kinds whose count is not zero."""

negative = _reading(
    _KINDS,
    1,
    lambda builder, row: _mask(builder, builder.icmp_signed("<", row, _same(_KINDS, 0))),
    lambda row: _bits(row < 0),
)
"""negative(row): mask of the kinds whose count is below zero."""

not_flags = _reading(
    _KINDS,
    1,
    lambda builder, row: _mask(builder, builder.icmp_unsigned(">", row, _same(_KINDS, 1))),
    lambda row: _bits((row < 0) | (row > 1)),
)
"""not_flags(row): mask of the kinds whose number is neither 0 nor 1."""


def _emit_short(builder: Any, have: Any, want: Any) -> Any:
    lacking = builder.or_(builder.sub(have, want), want)
    return _mask(builder, builder.icmp_signed("<", lacking, _same(_KINDS, 0)))


def _emit_short_of_both(builder: Any, one: Any, two: Any, want: Any) -> Any:
    return _emit_short(builder, builder.add(one, two), want)


short = _reading(_KINDS, 2, _emit_short, lambda have, want: _bits((have < want) | (want < 0)))
"""short(have, want): mask of the kinds of which `have` lacks cards, or whose want is negative."""

short_of_both = _reading(
    _KINDS, 3, _emit_short_of_both, lambda one, two, want: _bits((one + two < want) | (want < 0))
)
"""short_of_both(one, two, want): the same with the cards of two rows together."""


def _filling(vector: ir.VectorType, number: int) -> Any:
    """An operation that sets a whole row to a number."""

    def interpreted(row: Any) -> None:
        row[:] = number

    def compiled_fill(typingctx: Any, row: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _pointer(context, builder, signature.args[0], args[0], vector)
            builder.store(_same(vector, number), place, align=1)
            return context.get_dummy_value()

        return types.void(row), codegen

    return interpreted if numba.config.DISABLE_JIT else intrinsic(compiled_fill)


def _copy_interpreted(to: Any, row: Any) -> None:
    to[:] = row


@intrinsic
def _copy_compiled(typingctx: Any, to: Any, row: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = _operand(context, builder, signature.args[1], args[1], _KINDS)
        builder.store(value, _pointer(context, builder, signature.args[0], args[0], _KINDS), align=1)
        return context.get_dummy_value()

    return types.void(to, row), codegen


def _flag_interpreted(row: Any, bits: int) -> None:
    row |= bits


@intrinsic
def _flag_compiled(typingctx: Any, row: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _pointer(context, builder, signature.args[0], args[0], _SEATS)
        more = splat(builder, builder.trunc(args[1], _BYTE), _SEATS)
        builder.store(builder.or_(builder.load(place, align=1), more), place, align=1)
        return context.get_dummy_value()

    return types.void(row, types.int64), codegen


flag = _flag_interpreted if numba.config.DISABLE_JIT else _flag_compiled
"""flag(row, bits): add these bits to eight flags, one for each seat."""


clear = _filling(_KINDS, 0)
"""clear(row): set every count to zero."""
fill = _filling(_SEATS, 1)
"""fill(row): set eight flags, one for each seat, to 1."""
withdraw = _filling(_SEATS, 0)
"""withdraw(row): set eight flags, one for each seat, to 0."""
copy = _copy_interpreted if numba.config.DISABLE_JIT else _copy_compiled
"""copy(to, row): the same counts in another row."""


@compiled
def total(row: Any) -> int:
    """Cards of all kinds."""
    cards = 0
    for kind in range(MAX_KINDS):
        cards += int(row[kind])
    return cards


# --- the fields of a seat -------------------------------------------------------------------------

equal = _reading(
    _FIELDS,
    2,
    lambda builder, row, number: _mask(
        builder, builder.icmp_signed("==", row, splat(builder, builder.trunc(number, _BYTE), _FIELDS))
    ),
    lambda row, number: _bits(row == number),
)
"""equal(fields, number): mask of the fields that hold this number."""

above = _reading(
    _FIELDS,
    2,
    lambda builder, row, number: _mask(
        builder, builder.icmp_signed(">", row, splat(builder, builder.trunc(number, _BYTE), _FIELDS))
    ),
    lambda row, number: _bits(row > number),
)
"""above(fields, number): mask of the fields that hold more than this number."""


def _mark_interpreted(row: Any, mask: int) -> None:
    row[:] = [mask >> place & 1 for place in range(MAX_FIELDS)]


@intrinsic
def _mark_compiled(typingctx: Any, row: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.trunc(args[1], ir.IntType(MAX_FIELDS))
        lanes = builder.bitcast(bits, ir.VectorType(ir.IntType(1), MAX_FIELDS))
        place = _pointer(context, builder, signature.args[0], args[0], _FIELDS)
        builder.store(builder.zext(lanes, _FIELDS), place, align=1)
        return context.get_dummy_value()

    return types.void(row, types.int64), codegen


mark = _mark_interpreted if numba.config.DISABLE_JIT else _mark_compiled
"""mark(fields, mask): 1 in the fields of the mask, 0 in the others."""


# --- piles ----------------------------------------------------------------------------------------


def _sixteen_at(context: Any, builder: Any, kind: Any, pile: Any, first: Any) -> Any:
    """Pointer to sixteen cards of a pile or a hand from a place on."""
    data = context.make_array(kind)(context, builder, pile).data
    return builder.bitcast(builder.gep(data, [first]), ir.PointerType(_KINDS))


def _lay_interpreted(pile: Any, size: int, card: int) -> None:
    pile[size : size + MAX_KINDS] = card


@intrinsic
def _lay_compiled(typingctx: Any, pile: Any, size: Any, card: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _sixteen_at(context, builder, signature.args[0], args[0], args[1])
        builder.store(splat(builder, builder.trunc(args[2], _BYTE), _KINDS), place, align=1)
        return context.get_dummy_value()

    return types.void(pile, types.int64, types.int64), codegen


lay = _lay_interpreted if numba.config.DISABLE_JIT else _lay_compiled
"""lay(pile, size, card): sixteen cards of one kind on a pile of this size; the caller counts some."""


def _close_gap_interpreted(hand: Any, front: int, position: int) -> None:
    for place in range(front + position, front, -1):
        hand[place] = hand[place - 1]


@intrinsic
def _move_back(typingctx: Any, hand: Any, front: Any, cards: Any) -> Any:
    """Move up to fifteen cards from this place on back by one; what stands at the place is lost."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one_before = builder.sub(args[1], ir.Constant(_INTEGER, 1))
        place, before = (
            _sixteen_at(context, builder, signature.args[0], args[0], first)
            for first in (args[1], one_before)
        )
        moved = builder.load(before, align=1)
        count = splat(builder, builder.trunc(args[2], _BYTE), _KINDS)
        numbers = ir.Constant(_KINDS, list(range(MAX_KINDS)))
        inside = builder.icmp_signed("<=", numbers, count)
        builder.store(builder.select(inside, moved, builder.load(place, align=1)), place, align=1)
        return context.get_dummy_value()

    return types.void(hand, types.int64, types.int64), codegen


@compiled
def _close_gap_compiled(hand: Any, front: int, position: int) -> None:
    while position >= MAX_KINDS:
        hand[front + position] = hand[front + position - 1]
        position -= 1
    if position:
        _move_back(hand, front, position)


close_gap = _close_gap_interpreted if numba.config.DISABLE_JIT else _close_gap_compiled
"""close_gap(hand, front, position): a card leaves the hand that begins at `front`; the others close up."""


@intrinsic
def _among_sixteen(typingctx: Any, hand: Any, front: Any, card: Any) -> Any:
    """Bit mask of the places from this one on where such a card lies."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _sixteen_at(context, builder, signature.args[0], args[0], args[1])
        wanted = splat(builder, builder.trunc(args[2], _BYTE), _KINDS)
        return _mask(builder, builder.icmp_signed("==", builder.load(place, align=1), wanted))

    return types.int64(hand, types.int64, types.int64), codegen


def _find_interpreted(hand: Any, front: int, card: int) -> int:
    position = 0
    while hand[front + position] != card:
        position += 1
    return position


@compiled
def _find_compiled(hand: Any, front: int, card: int) -> int:
    position = 0
    found = _among_sixteen(hand, front, card)
    while not found:
        position += MAX_KINDS
        found = _among_sixteen(hand, front + position, card)
    return position + lowest(found)


find = _find_interpreted if numba.config.DISABLE_JIT else _find_compiled
"""find(hand, front, card): position of the first such card, of which there must be one, after `front`."""


def _copy_pile_interpreted(to: Any, pile: Any) -> None:
    to[:] = pile


@intrinsic
def _copy_pile_compiled(typingctx: Any, to: Any, pile: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target = context.make_array(signature.args[0])(context, builder, args[0]).data
        source = context.make_array(signature.args[1])(context, builder, args[1]).data
        cgutils.raw_memcpy(builder, target, source, ir.Constant(_INTEGER, MAX_PILE), 1)
        return context.get_dummy_value()

    return types.void(to, pile), codegen


copy_pile = _copy_pile_interpreted if numba.config.DISABLE_JIT else _copy_pile_compiled
"""copy_pile(to, pile): all places of a pile, whatever its size: so it takes a few instructions."""


# --- records --------------------------------------------------------------------------------------


def _copy_words_interpreted(to: Any, first: int, words: Any, count: int) -> None:
    to[first : first + count] = words[:count]


@intrinsic
def _copy_words_compiled(typingctx: Any, to: Any, first: Any, words: Any, count: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target = context.make_array(signature.args[0])(context, builder, args[0]).data
        source = context.make_array(signature.args[2])(context, builder, args[2]).data
        cgutils.raw_memcpy(builder, builder.gep(target, [args[1]]), source, args[3], 8)
        return context.get_dummy_value()

    return types.void(to, types.int64, words, types.int64), codegen


copy_words = _copy_words_interpreted if numba.config.DISABLE_JIT else _copy_words_compiled
"""copy_words(to, first, words, count): put 64-bit words into another row from a position on."""

__all__ = [
    "above",
    "clear",
    "close_gap",
    "copy",
    "copy_pile",
    "copy_words",
    "equal",
    "fill",
    "filled",
    "find",
    "flag",
    "lay",
    "mark",
    "negative",
    "not_flags",
    "short",
    "short_of_both",
    "total",
    "withdraw",
]
