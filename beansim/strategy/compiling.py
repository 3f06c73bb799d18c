"""The decorator of the engine's own compiled functions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
from llvmlite import binding
from numba import njit, types
from numba.core import codegen

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F, *, from_python: bool = False) -> F:
    """Compile a function of the engine once, with every whole number as int64.

    Numba compiles a function anew for each literal and each width of integer that it is called
    with: 194 compilations of 60 functions, and eight times the time. The engine allocates nothing, so
    reference counting is left out as well; it costs a call for each row that is passed on.
    Only with `from_python` may Python call it too.
    """
    if numba.config.DISABLE_JIT:
        return function
    dispatcher = njit(_nrt=False, no_cpython_wrapper=not from_python, no_cfunc_wrapper=True)(function)
    resolve = dispatcher.get_call_template

    def widened(args: Any, kws: Any) -> Any:
        return resolve(tuple(_widen(arg) for arg in args), {name: _widen(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = widened
    return dispatcher


def _widen(kind: Any) -> Any:
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer) and kind != types.uint64:
        return types.int64
    return kind


@contextlib.contextmanager
def optimized_once(root: str) -> Iterator[None]:
    """Optimize only the module whose name starts with `root`, with all it calls linked in.

    Numba optimizes the module of every function, with all that it calls, at each level of the
    call tree again; for the engine's ninety functions that is more than half of the compile
    time, and the inlining decisions of the lower levels stand in the way of the last one. Numba
    has no public switch for it: where its internals differ, compilation is slower and the code
    is the same.
    """
    library = getattr(codegen, "CPUCodeLibrary", None)
    original = getattr(library, "_optimize_final_module", None)
    if original is None:
        yield
        return

    def only_root(self: Any) -> None:
        if self.name.startswith(root):
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == binding.Linkage.linkonce_odr:
                    function.linkage = binding.Linkage.internal
            original(self)

    library._optimize_final_module = only_root
    try:
        yield
    finally:
        library._optimize_final_module = original
