"""Compiled hooks: from a method of a strategy class to the address that the engine calls."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
import re
import textwrap
import types as python_types
from pathlib import Path
from typing import Any

from numba import types
from numba.core import ir
from numba.core.errors import NumbaError

from beansim.errors import StrategyError, nearest
from beansim.strategy.attributes import dispatcher_of, writable_number
from beansim.strategy.base import HOOKS_WITH_ARGUMENT, Memory, SeatField, StrategyMeta
from beansim.strategy.cache import compile_kept, is_kept
from beansim.strategy.compiling import optimized_once
from beansim.strategy.native import (
    BY_ADDRESS,
    HOOK_SIGNATURE,
    TABLE_TYPE,
    SeatType,
    callable_by_address,
    pointer_cast,
    same_kinds,
)
from beansim.strategy.reach import fingerprint, home
from beansim.strategy.records import SEAT_FIELDS, TABLE_FIELDS

_ENTRY = """
def entry(table_record, seat_record, argument):
    same_kinds(table_record, seat_record)
    callable_by_address()
    return int(method({arguments}))
"""
_ENTRY_WITHOUT_ANSWER = """
def entry(table_record, seat_record, argument):
    same_kinds(table_record, seat_record)
    callable_by_address()
    method({arguments})
    return 0
"""

_kept: dict[tuple[str, str], Any] = {}


@functools.cache
def hook_address(cls: StrategyMeta, hook: str) -> int:
    """Machine address of the compiled `hook` of `cls`.

    Compiles it, or loads it from the cache, once in a process. Raises StrategyError naming file,
    line and hook when it cannot be compiled.
    """
    owner = home(cls, hook)
    print_of_code = fingerprint(owner, hook)
    key = (_name(owner, hook), print_of_code)
    if key not in _kept:
        _kept[key] = _compile(owner, hook, print_of_code)
    compiled = _kept[key].get_compile_result(HOOK_SIGNATURE)
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name + BY_ADDRESS))


def is_warm(cls: StrategyMeta, hook: str) -> bool:
    """True when no compilation is needed for this hook."""
    owner = home(cls, hook)
    key = (_name(owner, hook), fingerprint(owner, hook))
    return key in _kept or is_kept(*key)


def _name(owner: StrategyMeta, hook: str) -> str:
    return f"{owner.__name__}.{hook}"


def _compile(owner: StrategyMeta, hook: str, print_of_code: str) -> Any:
    kept = is_kept(_name(owner, hook), print_of_code)
    if not kept:
        check_source(owner, hook)
    seat_type = SeatType(owner, print_of_code)
    method = dispatcher_of(getattr(owner, hook))
    extra = ", argument" if hook in HOOKS_WITH_ARGUMENT else ""
    arguments = f"as_seat(seat_record), as_table(table_record){extra}"
    names = {
        "method": method,
        "same_kinds": same_kinds,
        "callable_by_address": callable_by_address,
        "as_seat": pointer_cast(seat_type),
        "as_table": pointer_cast(TABLE_TYPE),
    }
    template = _ENTRY_WITHOUT_ANSWER if hook == "appraise" else _ENTRY
    try:
        if not kept:  # before anything is kept: what is refused now is refused at every start
            with optimized_once("entry"):  # no method by itself
                _check_typed(owner, hook, method, seat_type, bool(extra))
        source = template.format(arguments=arguments)
        return compile_kept(
            _name(owner, hook), print_of_code, source, names, HOOK_SIGNATURE, vectors=True, by_address=True
        )
    except NumbaError as error:
        raise StrategyError(explain(error, owner, hook)) from error


def _check_instructions(owner: StrategyMeta, hook: str) -> None:
    """Refuse what machine code would do otherwise than Python, or silently."""
    for function in _reached(owner, hook):
        for overload in dispatcher_of(function).overloads.values():
            annotation = overload.type_annotation
            for block in getattr(annotation, "blocks", {}).values():
                for store in block.find_insts(ir.SetAttr):
                    _check_store(owner, hook, function, store, annotation.typemap)
                for assignment in block.find_insts(ir.Assign):
                    _check_power(owner, hook, function, assignment, annotation.typemap)


def _check_power(owner: StrategyMeta, hook: str, function: Any, assignment: Any, kinds: Any) -> None:
    """A power of fractions: machine code and Python differ in its last digit."""
    value = assignment.value
    if not isinstance(value, ir.Expr):
        return
    if value.op in ("binop", "inplace_binop"):
        called, operands = value.fn, (value.lhs, value.rhs)
    elif value.op == "call":
        called, operands = getattr(kinds.get(value.func.name), "typing_key", None), tuple(value.args)
    else:
        return
    if called in _POWERS and any(isinstance(kinds.get(one.name), types.Float) for one in operands):
        raise StrategyError(
            f"{_place(function, assignment.loc.line)}: {owner.__name__}.{hook} cannot be compiled: a power "
            "of fractions is not the same to the last digit in machine code and in Python: multiply instead"
        )


_POWERS = (operator.pow, operator.ipow, math.pow, pow)


def _check_store(owner: StrategyMeta, hook: str, function: Any, store: Any, kinds: Any) -> None:
    """A fraction assigned to a whole number of the seat: numba would cut it silently."""
    seat_type = kinds.get(store.target.name)
    if not isinstance(seat_type, SeatType) or not isinstance(kinds.get(store.value.name), types.Float):
        return
    place = writable_number(seat_type, store.attr)
    if place is not None and place[0] != "f8":
        raise StrategyError(
            f"{_place(function, store.loc.line)}: {owner.__name__}.{hook} cannot be compiled: "
            f"self.{store.attr} is a whole number and would cut a fraction"
        )


def _check_typed(owner: StrategyMeta, hook: str, method: Any, seat_type: Any, argument: bool) -> None:
    """Only whole numbers and truth values are answers: 0.7 must never become 0 silently."""
    signature = (seat_type, TABLE_TYPE, types.int64) if argument else (seat_type, TABLE_TYPE)
    method.compile(signature)
    _check_instructions(owner, hook)
    answer = method.overloads[signature].signature.return_type
    if hook != "appraise" and not isinstance(answer, types.Integer | types.Boolean):
        place = _place(getattr(owner, hook))
        raise StrategyError(
            f"{place}: {owner.__name__}.{hook} answers {answer}, expected a whole number or True/False"
        )


def _place(function: Any, line: int | None = None) -> str:
    code = getattr(function, "py_func", function).__code__
    return f"{Path(code.co_filename).name}:{line or code.co_firstlineno}"


# --- what numba cannot compile, found beforehand ------------------------------------------------


def check_source(owner: StrategyMeta, hook: str) -> None:
    """Refuse code that numba cannot compile, or attributes that do not exist, with the line."""
    for function in _reached(owner, hook):
        tree, first = _tree(function)
        if tree is None:
            continue
        names = function.__code__.co_varnames[:2]
        for node in ast.walk(tree):
            problem = _problem(node, owner, names)
            if problem:
                line = first + getattr(node, "lineno", 1) - 1
                text = _line_of(function, line)
                name = f"{owner.__name__}.{hook}"
                raise StrategyError(
                    f"{_place(function, line)}: {name} cannot be compiled: {problem}  [{text}]"
                )


def _reached(owner: StrategyMeta, hook: str) -> list[Any]:
    """The hook and the methods of the class that it reaches."""
    todo, found = [getattr(owner, hook)], []
    while todo:
        function = todo.pop()
        if function in found or not isinstance(function, python_types.FunctionType):
            continue
        found.append(function)
        if function.__name__ in ("random", "uniform"):
            found.remove(function)
            continue
        todo.extend(getattr(owner, name, None) for name in function.__code__.co_names)
    return found


def _tree(function: Any) -> tuple[ast.AST | None, int]:
    try:
        lines, first = inspect.getsourcelines(function)
        return ast.parse(textwrap.dedent("".join(lines))), first
    except (OSError, SyntaxError, TypeError):
        return None, 1


def _line_of(function: Any, line: int) -> str:
    try:
        lines, first = inspect.getsourcelines(function)
        return lines[line - first].strip()[:100]
    except (OSError, IndexError):
        return ""


_REFUSED: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.With, "`with` cannot be compiled"),
    (ast.Import, "import inside a hook: import at the top of the file"),
    (ast.ImportFrom, "import inside a hook: import at the top of the file"),
    (ast.Lambda, "lambda: write a method"),
    (ast.JoinedStr, "an f-string cannot be compiled"),
    (ast.Yield, "a hook cannot yield"),
    (ast.Await, "a hook cannot await"),
    (ast.ClassDef, "a class inside a hook"),
)


def _problem(node: ast.AST, owner: StrategyMeta, names: tuple[str, ...]) -> str:
    for refused, why in _REFUSED:
        if isinstance(node, refused):
            return why
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
        return "super(): name the parent class, as in Parent.method(self, ...)"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _attribute_problem(node, owner, names)
    return ""


def _attribute_problem(node: ast.Attribute, owner: StrategyMeta, names: tuple[str, ...]) -> str:
    value = node.value
    assert isinstance(value, ast.Name)
    if names and value.id == names[0] == "self":
        return _self_problem(node, owner)
    if len(names) > 1 and value.id == names[1] == "table":
        if node.attr not in TABLE_FIELDS:
            return _no_attribute("table", node.attr, TABLE_FIELDS)
        if isinstance(node.ctx, ast.Store):
            return f"table.{node.attr} is read-only"
    return ""


def _self_problem(node: ast.Attribute, owner: StrategyMeta) -> str:
    declared = getattr(owner, node.attr, None)
    if declared is None:
        return _no_attribute("self", node.attr, [name for name in dir(owner) if not name.startswith("_")])
    if isinstance(node.ctx, ast.Store) and not _assignable(declared):
        return f"self.{node.attr} is read-only; declare memory(...) for what changes during a game"
    return ""


def _assignable(declared: Any) -> bool:
    if isinstance(declared, SeatField):
        return declared.single and SEAT_FIELDS[declared.name].writable
    return isinstance(declared, Memory) and not declared.size


def _no_attribute(owner: str, name: str, choices: Any) -> str:
    near = nearest(name, choices)
    hint = f" (did you mean {' or '.join(repr(item) for item in near)}?)" if near else ""
    return f"{owner} has no {name!r}{hint}"


# --- numba's errors in one line -------------------------------------------------------------------

_LOCATION = re.compile(r'File "([^"]+)", line (\d+)')
_BOILERPLATE = (
    "Failed in nopython",
    "During:",
    "There are",
    "Overload",
    "- Of which",
    ">>>",
    "File ",
    "No match",
)


def explain(error: NumbaError, owner: StrategyMeta, hook: str) -> str:
    """One line out of numba's many: file, line, hook, reason and the source text."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    function = getattr(owner, hook)
    own_files = {item.__code__.co_filename for item in _reached(owner, hook)}
    places = [(name, int(line)) for name, line in _LOCATION.findall(text)]
    inner = [place for place in places if any(file.endswith(place[0].lstrip("./")) for file in own_files)]
    line = inner[-1][1] if inner else function.__code__.co_firstlineno
    place = f"{Path(inner[-1][0]).name if inner else Path(function.__code__.co_filename).name}:{line}"
    source = next((_line_of(item, line) for item in _reached(owner, hook) if _holds(item, line)), "")
    return f"{place}: {owner.__name__}.{hook} cannot be compiled: {_reason(text)}  [{source}]"


def _holds(function: Any, line: int) -> bool:
    first = function.__code__.co_firstlineno
    try:
        return first <= line < first + len(inspect.getsourcelines(function)[0])
    except OSError:
        return False


def _reason(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(_BOILERPLATE)]
    reason = told[0] if told else "numba gives no reason"
    untyped = re.search(r"Untyped global name '(\w+)'", text)
    if untyped:
        return f"global {untyped.group(1)!r} is of a type that cannot be compiled; use numbers or tuples"
    missing = re.search(r"(?:NameError: name|global name) '(\w+)'", text)
    if missing:
        return f"name {missing.group(1)!r} is not defined"
    return reason[:200]
