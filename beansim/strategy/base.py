"""What an author of a strategy imports: the base class, `param`, `memory`, `hook`.

A strategy is a class with a docstring, parameters and hooks. Hooks are ordinary methods in which
`self` is the seat: it has the attributes of the seat record (`beansim.strategy.records`), the
strategy's parameters and memory by name, and its methods. `table` is what everyone can see.
"""

from __future__ import annotations

import inspect
import operator
import types as python_types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast, overload

from beansim.errors import StrategyError, unknown
from beansim.rules import Rules
from beansim.strategy.records import BURDEN_MASK, N_MEMORY, N_PARAMS, SEAT_FIELDS
from beansim.strategy.streams import bounded, uniform

PASS = 0
"""Answer of announce, bid and propose: nothing to offer."""
OFFER = 1
"""Answer of announce, bid and propose: the offer stands in self.give, self.take and self.wish."""
CLOSE = 2
"""Answer of announce: the market of this turn is over."""
NONE = -1
"""Answer where no field or no seat is chosen; of give_copy: the revealed card leaves."""

HOOKS: tuple[str, ...] = (
    "appraise",
    "plant_second",
    "choose_field",
    "choose_harvest",
    "harvest_early",
    "buy_field",
    "announce",
    "bid",
    "choose_bid",
    "propose",
    "accept",
    "give_copy",
    "plant_next",
    "choose_offered",
    "plant_offered",
    "discard_hand",
    "plant_turned",
)
"""Every hook, in engine order."""

DUEL_HOOKS: frozenset[str] = frozenset(HOOKS[-4:])
"""Asked in the Duel alone (RULES 2.5)."""
MARKET_HOOKS: frozenset[str] = frozenset(
    ("announce", "bid", "choose_bid", "propose", "accept", "give_copy", "plant_next")
)
"""Asked everywhere but in the Duel, which has no trading."""

MUST_ANSWER: frozenset[str] = frozenset(("plant_second", "choose_field", "choose_harvest", "plant_next"))
"""Hooks without which a turn cannot go on; all others may be silent."""

HOOKS_WITH_ARGUMENT: dict[str, str] = {
    "plant_second": "kind",
    "choose_field": "kind",
    "choose_harvest": "kind",
    "accept": "partner",
    "give_copy": "kind",
    "plant_offered": "kind",
}
"""The hooks that take one number after the table, and what it is."""

ALWAYS_ANSWER: tuple[str, ...] = ("choose_field", "choose_harvest", "plant_next")
"""The hooks without an answer that means "nothing": they cannot be silent."""

WATCHES: tuple[str, ...] = ("fields", "hand", "steps", "coined", "table")
"""What `appraise` may declare to look at: own fields and cards set aside; own hand; which steps of the
beanometers the cards not yet out of play can still reach; the cards out of play as coins; anything on the
table."""

T = TypeVar("T", int, float, bool)
F = TypeVar("F", bound=Callable[..., Any])


class Row(Protocol):
    """Numbers in a row, read by position; writable where the record says so."""

    def __getitem__(self, index: int) -> Any: ...
    def __setitem__(self, index: int, value: Any) -> None: ...
    def __len__(self) -> int: ...


class Grid(Protocol):
    """Numbers by two positions: `table.field_kind[seat, field]`."""

    def __getitem__(self, index: tuple[int, int]) -> Any: ...


@dataclass(frozen=True, slots=True)
class Param:
    """A declared parameter: default, bounds and meaning. Its type is the default's type.

    A choice among `names` is a whole number, which people read and write by its name.
    """

    default: float
    low: float
    high: float
    meaning: str
    names: tuple[str, ...] = ()
    name: str = ""
    slot: int = -1

    @property
    def kind(self) -> type:
        """int, float or bool."""
        return type(self.default)

    def text(self, value: float) -> str:
        """A value as it is written in a line-up."""
        if self.names:
            return self.names[int(value)]
        return str(int(value)) if self.kind is bool else repr(self.kind(value))

    @property
    def bounds(self) -> str:
        """What values there are, for people."""
        return " or ".join(self.names) if self.names else f"{self.low:g} to {self.high:g}"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        name = "param" if self.kind is float else "param_int"
        return self.kind(instance.views[name][self.slot])


@dataclass(frozen=True, slots=True)
class Memory:
    """A declared number (or row of numbers) of scratch memory, reset before every game."""

    initial: float
    size: int
    name: str = ""
    slot: int = -1

    @property
    def kind(self) -> type:
        """int or float."""
        return type(self.initial)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        view = self._view(instance)
        return view[self.slot : self.slot + self.size] if self.size else view[self.slot]

    def __set__(self, instance: Any, value: Any) -> None:
        if self.size:
            raise AttributeError(f"self.{self.name} is a row: assign to its elements")
        self._view(instance)[self.slot] = self.kind(value)

    def _view(self, instance: Any) -> Any:
        return instance.views["memory" if type(self.initial) is float else "memory_int"]


def param(default: T, low: float, high: float, meaning: str) -> T:
    """Declare a parameter: its default, least and greatest value, and what it means.

    The default's type is the parameter's type. Inside hooks `self.<name>` is its value. Raises
    StrategyError when the default lies outside its bounds.
    """
    if not isinstance(default, int | float) or not low <= default <= high:
        raise StrategyError(
            f"param({default!r}, {low}, {high}): the default must be a number within its bounds"
        )
    return cast(T, Param(default, low, high, meaning))


def choice(default: str, names: tuple[str, ...], meaning: str) -> int:
    """Declare a parameter that is one of several names.

    In a line-up it is written by its name; inside hooks `self.<name>` is its number in `names`. Raises
    StrategyError when the default is none of them.
    """
    if default not in names:
        raise StrategyError(str(unknown("default", default, names, "choice(...)")))
    return cast(int, Param(names.index(default), 0, len(names) - 1, meaning, names))


@overload
def memory(initial: int) -> int: ...
@overload
def memory(initial: float) -> float: ...
@overload
def memory(initial: float, size: int) -> Row: ...


def memory(initial: float, size: int = 0) -> Any:
    """Declare scratch memory: one number, or with `size` a row of numbers, kept for the game."""
    if isinstance(initial, bool) or not isinstance(initial, int | float) or not 0 <= size <= N_MEMORY:
        raise StrategyError(
            f"memory({initial!r}, {size}): expected a number and a size of at most {N_MEMORY}"
        )
    return Memory(initial, size)


def hook(method: F) -> F:
    """Mark a method as a hook; a name that is no hook is an error when the class is made."""
    if method.__name__ not in HOOKS:
        raise StrategyError(str(unknown("hook", method.__name__, HOOKS)))
    return method


def silent(self: Any, table: Any, *rest: Any) -> int:
    """A hook that never acts: `announce = bid = propose = silent`. The engine does not ask it.

    Every hook can be silent but those of `ALWAYS_ANSWER`.
    """
    return PASS


class SeatField:
    """An attribute of the seat record; reads its view in an interpreted strategy.

    Rows and the seat's number are found without it: an interpreted strategy has them as attributes of its
    own, which Python reads first and faster (`Seat.bind`).
    """

    def __init__(self, name: str) -> None:
        self.name = name
        slot = SEAT_FIELDS[name]
        self.__doc__ = slot.doc
        self.single = not slot.shape
        self.writable = slot.writable

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        view = instance.views[self.name]
        if self.name == "hand":
            front = instance._numbers.hand_front
            return view[front : front + instance._numbers.hand_count]
        return view


class SeatNumber(property, SeatField):
    """A single number of the seat record, which hooks may assign where the record says so.

    Its getter is a C function: hooks of ordinary Python read little else.
    """

    def __init__(self, name: str) -> None:
        reader = _burden_mask if name == BURDEN_MASK.name else operator.attrgetter(f"_numbers.{name}")
        property.__init__(self, reader, self._assign)
        SeatField.__init__(self, name)

    def _assign(self, instance: Any, value: Any) -> None:
        if not self.writable:
            raise AttributeError(f"self.{self.name} is read-only")
        setattr(instance._numbers, self.name, value)


def _burden_mask(seat: Any) -> int:
    mask, bit = 0, 1
    for worth in seat.worth:
        if worth < 0.0:
            mask |= bit
        bit <<= 1
    return mask


SEAT_ROWS = frozenset(name for name, slot in SEAT_FIELDS.items() if slot.shape and name != "hand")
"""Rows of the seat record that stay where they are; the hand's length changes."""


class StrategyMeta(type):
    """Collects parameters and memory, and lets compiled hooks name a parent class.

    Numba dispatches on the type of a value, so `Parent.method(self, ...)` inside a hook needs
    strategy classes to have a type of their own.
    """

    params: dict[str, Param]
    memories: dict[str, Memory]

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        params: dict[str, Param] = {}
        memories: dict[str, Memory] = {}
        for base in reversed(cls.__mro__):
            for key, value in base.__dict__.items():
                _collect(params, memories, key, value)
        cls.params, cls.memories = params, memories
        for key, item in (params | memories).items():
            # with several parents a declaration can have another slot here than in its own class
            if key in namespace or getattr(cls, key).slot != item.slot:
                setattr(cls, key, item)
        _check_slots(cls, namespace)


def _collect(params: dict[str, Param], memories: dict[str, Memory], key: str, value: Any) -> None:
    """Give each declaration its slot; a subclass that declares a name again keeps the slot."""
    if isinstance(value, Param):
        slot = params[key].slot if key in params else len(params)
        params[key] = replace(value, name=key, slot=slot)
    elif isinstance(value, Memory):
        used = sum(max(1, item.size) for item in memories.values())
        slot = memories[key].slot if key in memories else used
        memories[key] = Memory(value.initial, value.size, key, slot)


def _check_slots(cls: StrategyMeta, namespace: dict[str, Any]) -> None:
    used = sum(max(1, item.size) for item in cls.memories.values())
    if len(cls.params) > N_PARAMS:
        raise StrategyError(f"{cls.__name__}: {len(cls.params)} parameters, at most {N_PARAMS}")
    if used > N_MEMORY:
        raise StrategyError(f"{cls.__name__}: {used} numbers of memory, at most {N_MEMORY}")
    for watch in getattr(cls, "watches", ()):
        if watch not in WATCHES:
            raise StrategyError(f"{cls.__name__}: {unknown('watch', watch, WATCHES)}")
    for name in ALWAYS_ANSWER:
        if getattr(cls, name, None) is silent:
            raise StrategyError(f"{cls.__name__}: {name} must answer, it cannot be silent")
    for name in HOOKS:
        if isinstance(namespace.get(name), python_types.FunctionType):
            _check_arguments(cls, name, namespace[name])
    taken = set(namespace) & set(SEAT_FIELDS) if namespace.get("__module__") != __name__ else set()
    if taken:
        raise StrategyError(
            f"{cls.__name__}: {sorted(taken)[0]!r} is a field of the seat, choose another name"
        )


def _check_arguments(cls: StrategyMeta, name: str, function: python_types.FunctionType) -> None:
    """A hook can be called with what it is called with."""
    wanted = ["self", "table", *([HOOKS_WITH_ARGUMENT[name]] if name in HOOKS_WITH_ARGUMENT else [])]
    try:
        inspect.signature(function).bind(*wanted)
    except TypeError as error:
        code = function.__code__
        raise StrategyError(
            f"{Path(code.co_filename).name}:{code.co_firstlineno}: {cls.__name__}.{name} takes "
            f"{inspect.signature(function)}, expected ({', '.join(wanted)})"
        ) from error


if TYPE_CHECKING:

    class Table:
        """What everyone at the table can see (`beansim.strategy.records.TABLE_SLOTS`)."""

        players: int
        kinds: int
        active: int
        start: int
        turn: int
        phase: int
        token: int
        pile: int
        discards: int
        top_discard: int
        run_outs: int
        last_run_out: int
        reveal: int
        draw: int
        everyone_draws: int
        max_fields: int
        gifts: int
        field_price: int
        announcements: int
        wish_nothing: int
        field_kind: Grid
        field_cards: Grid
        fields: Row
        coins: Row
        hand_size: Row
        aside: Grid
        aside_mask: Row
        revealed: Row
        revealed_mask: int
        put_up_mask: int
        wished_mask: int
        seen: Row
        coined: Row
        count: Row
        field_at: Row
        put_up: Row
        wished: Row
        has_bid: Row
        bid_give: Grid
        bid_give_mask: Row
        bid_take: Grid
        bid_take_mask: Row
        offer_give: Row
        offer_give_mask: int
        offer_take: Row
        offer_take_mask: int
        pay: Grid
        needed: Grid
        missing: Grid
        unpaid: Grid
        slope: Grid
else:

    class Table:
        """What everyone at the table can see (`beansim.strategy.records.TABLE_SLOTS`)."""


class Seat(metaclass=StrategyMeta):
    """The attributes of a seat: its number, hand, worths and the rows its offers are written to."""

    compiled: ClassVar[bool] = True
    watches: ClassVar[tuple[str, ...]] = ("fields",)

    seat: int = cast(int, SeatField("seat"))
    hand_count: int = cast(int, SeatNumber("hand_count"))
    worth: Row = cast(Row, SeatField("worth"))
    loss: Row = cast(Row, SeatField("loss"))
    held: Row = cast(Row, SeatField("held"))
    held_mask: int = cast(int, SeatNumber("held_mask"))
    burden_mask: int = cast(int, SeatNumber("burden_mask"))
    give: Row = cast(Row, SeatField("give"))
    take: Row = cast(Row, SeatField("take"))
    wish: Row = cast(Row, SeatField("wish"))
    wish_nothing: int = cast(int, SeatNumber("wish_nothing"))
    allowed: Row = cast(Row, SeatField("allowed"))
    hand: Row = cast(Row, SeatField("hand"))

    views: dict[str, Any]
    """Views of the seat's record, bound once; interpreted strategies only."""
    rules: Rules
    """The rule set of the table; interpreted strategies only."""

    @classmethod
    def prepare(cls, rules: Rules, values: Mapping[str, float]) -> None:
        """Called before games of a rule set are played, once in each process that plays them.

        The place to compile what the hooks of ordinary Python call; `values` are the parameters.
        """

    _numbers: Any

    def bind(self, views: dict[str, Any], numbers: Any, fixed: Mapping[str, Any]) -> None:
        """Give an interpreted strategy its record, and what never changes as plain numbers.

        Args:
            views: views of the record's fields by name.
            numbers: the record with its single numbers as attributes.
            fixed: what is the same throughout: parameters, the seat's number, the rules.
        """
        rows = {name: view for name, view in views.items() if name in SEAT_ROWS}
        vars(self).update(rows, **fixed, views=views, _numbers=numbers)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in SEAT_ROWS:
            raise AttributeError(f"self.{name} is a row: assign to its elements")
        if name in ("seat", "hand") or name in type(self).params:
            raise AttributeError(f"self.{name} is read-only")
        object.__setattr__(self, name, value)

    def random(self, limit: int) -> int:
        """A whole number from 0 to limit - 1 from this seat's own stream."""
        if limit < 1:
            raise ValueError("random(limit) needs a limit of 1 or more")
        return int(bounded(self.views["stream"], limit))

    def uniform(self) -> float:
        """A number from 0 up to 1 (never 1) from this seat's own stream."""
        return float(uniform(self.views["stream"]))
