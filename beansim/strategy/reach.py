"""What a compiled hook depends on: the fingerprint under which its machine code is kept.

Numba's own cache looks at one file only; an edit in a helper, a parent class or a constant would
go unseen (numba #8851, #8926). The fingerprint covers everything that a hook reaches: its code,
the methods it calls on `self` and on parent classes, functions and numbers it names in any
module, and the slots of its parameters and memory.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import types
from collections.abc import Iterator
from typing import Any

from beansim.strategy.base import MUST_ANSWER, Memory, Param, SeatField, StrategyMeta, silent


@functools.cache
def fingerprint(cls: StrategyMeta, hook: str) -> str:
    """Hash of all that `hook` reaches when called on `cls`; equal means equal machine code."""
    lines: list[str] = []
    _walk(getattr(cls, hook), cls, lines, set())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@functools.cache
def home(cls: StrategyMeta, hook: str) -> StrategyMeta:
    """The most basic class for which `hook` reaches the same as for `cls`.

    Compiling there lets all strategies share the hooks they inherit unchanged.
    """
    wanted = fingerprint(cls, hook)
    bases = [base for base in reversed(cls.__mro__) if isinstance(base, StrategyMeta)]
    return next(base for base in bases if hasattr(base, hook) and fingerprint(base, hook) == wanted)


def is_native(cls: StrategyMeta, hook: str) -> bool:
    """True where the hook runs as machine code.

    In ordinary Python (`compiled = False`) that are the hooks that reach nothing but what they reach in a
    compiled parent: all that they read and write lies in the records, so nobody can tell.
    """
    return bool(cls.compiled or home(cls, hook).compiled)


def is_silent(cls: StrategyMeta, hook: str) -> bool:
    """True where the hook never acts, so the engine need not ask it.

    A hook that has to answer is always asked: `plant_second = silent` means "never".
    """
    return getattr(cls, hook) is silent and hook not in MUST_ANSWER


def _walk(function: Any, cls: StrategyMeta, lines: list[str], done: set[Any]) -> None:
    function = getattr(function, "py_func", function)
    if not isinstance(function, types.FunctionType) or function in done:
        return
    done.add(function)
    lines.append(f"function {function.__qualname__} {_code_digest(function.__code__)}")
    lines.append(f"defaults {function.__defaults__!r}")
    names = sorted(set(_names(function.__code__)))
    for name in names:
        _walk_attribute(name, cls, lines, done)
        if name in function.__globals__:
            _walk_global(name, function.__globals__[name], names, cls, lines, done)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        _walk_global(name, cell.cell_contents, names, cls, lines, done)


def _walk_attribute(name: str, cls: StrategyMeta, lines: list[str], done: set[Any]) -> None:
    """`self.name`, whatever object it is really read from: too much is safe, too little is not."""
    value = getattr(cls, name, None)
    if isinstance(value, SeatField):
        return
    if isinstance(value, Param):
        lines.append(f"param {name} {value.slot} {value.kind.__name__}")
    elif isinstance(value, Memory):
        lines.append(f"memory {name} {value.slot} {value.kind.__name__} {value.size}")
    elif isinstance(value, types.FunctionType):
        lines.append(f"method {name}")
        _walk(value, cls, lines, done)
    elif isinstance(value, int | float | str | tuple):
        lines.append(f"constant {name} {value!r}")


def _walk_global(
    name: str, value: Any, names: list[str], cls: StrategyMeta, lines: list[str], done: set[Any]
) -> None:
    if isinstance(value, StrategyMeta):
        lines.append(f"class {name} {value.__qualname__}")
        for member in names:
            _walk_global(f"{name}.{member}", getattr(value, member, None), names, cls, lines, done)
    elif isinstance(value, enum.EnumMeta):
        lines.append(f"enumeration {name} {[(key, item.value) for key, item in value.__members__.items()]!r}")
    elif isinstance(value, types.ModuleType):
        lines.append(f"module {name} {value.__name__} {getattr(value, '__version__', '')}")
        _walk_module(value, names, cls, lines, done)
    elif callable(value) and hasattr(getattr(value, "py_func", value), "__code__"):
        lines.append(f"helper {name}")
        _walk(value, cls, lines, done)
    elif isinstance(value, int | float | complex | str | tuple | bytes):
        lines.append(f"global {name} {value!r}")
    elif hasattr(value, "tobytes"):
        lines.append(f"array {name} {_numbers(value)}")


def _numbers(value: Any) -> str:
    """An array or a NumPy number; what lies between the fields of a record is no part of it."""
    fields = value.dtype.names
    if fields:
        return ", ".join(f"{field} {_numbers(value[field])}" for field in fields)
    return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"


def _walk_module(
    module: types.ModuleType, names: list[str], cls: StrategyMeta, lines: list[str], done: set[Any]
) -> None:
    """Helpers through a module (`rates.slope(...)`); libraries are covered by their version."""
    if getattr(module, "__version__", "") or module.__name__ in ("math", "operator"):
        return
    for member in names:
        if hasattr(module, member):
            _walk_global(f"{module.__name__}.{member}", getattr(module, member), names, cls, lines, done)


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _code_digest(code: types.CodeType) -> str:
    """Hash of the instructions and constants, without line numbers: comments do not recompile."""
    parts: list[Any] = [code.co_code, code.co_names, code.co_varnames, code.co_argcount]
    for constant in code.co_consts:
        parts.append(_code_digest(constant) if isinstance(constant, types.CodeType) else repr(constant))
    return hashlib.sha256(repr(parts).encode()).hexdigest()
