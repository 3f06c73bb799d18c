"""Bit masks of kinds and fields: number 0 is the lowest bit."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from beansim.strategy.compiling import compiled


def lowest(mask: int) -> int:
    """The lowest kind of a mask that is not empty.

    `while mask: kind = lowest(mask); mask &= mask - 1` goes through the kinds of a mask.
    """
    return (int(mask) & -int(mask)).bit_length() - 1


def mark(row: Any, mask: int) -> None:
    """Write 1 for each kind of a mask into a row by kind, 0 for the others: `mark(self.wish, wanted)`."""
    for kind in range(len(row)):
        row[kind] = mask >> kind & 1


def add(row: Any, cards: Any, mask: int) -> None:
    """Add another row's counts of the kinds of a mask: `add(self.give, self.held, burdens)`."""
    for kind in range(len(row)):
        if mask >> kind & 1:
            row[kind] += cards[kind]


def above(worths: Any, coins: float) -> int:
    """Bit mask of the kinds worth more than this: `above(self.worth, 0.0)`."""
    return sum(1 << kind for kind, worth in enumerate(worths) if worth > coins)


def below(worths: Any, coins: float) -> int:
    """Bit mask of the kinds worth less than this."""
    return sum(1 << kind for kind, worth in enumerate(worths) if worth < coins)


@compiled
def several(mask: int) -> bool:
    """True when a mask has more than one kind (or field)."""
    return mask & (mask - 1) != 0


@intrinsic
def _trailing_zeros(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@overload(lowest)
def _lowest_compiled(mask: Any) -> Any:
    def compiled_lowest(mask: Any) -> Any:
        return _trailing_zeros(mask)

    return compiled_lowest
