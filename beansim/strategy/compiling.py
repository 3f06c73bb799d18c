"""The decorator of the engine's own compiled functions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numba
from llvmlite import binding
from numba import njit, types
from numba.core import codegen, compiler, itanium_mangler
from numba.np import arrayobj

F = TypeVar("F", bound=Callable[..., Any])

_NOT_NEEDED = (
    "with_lifting",
    "inline_closure_likes",
    "dead_branch_prune",
    "make_function_op_code_to_jit_function",
    "inline_inlinables",
    "find_literally",
    "literal_unroll",
    "LiteralPropagation",
    "inline_overloads",
    "nopython_rewrites",
)
"""Steps of numba for closures, context managers, literal arguments, arithmetic of whole arrays, and functions
that numba inlines: the engine has none of these, and is compiled in a sixth less time without them."""


class _EngineCompiler(compiler.CompilerBase):
    """Numba's steps from a function to machine code, without those that find nothing in the engine."""

    def define_pipelines(self) -> list[Any]:
        """The steps in their order, as numba asks for them."""
        manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [step for step in manager.passes if step[0].name() not in _NOT_NEEDED]
        manager.finalize()
        return [manager]


def compiled(function: F, *, from_python: bool = False) -> F:
    """Compile a function of the engine once, with every whole number as int64.

    Numba compiles a function anew for each literal and each width of integer that it is called
    with: 194 compilations of 60 functions, and eight times the time. The engine allocates nothing, so
    reference counting is left out as well; it costs a call for each row that is passed on.
    Only with `from_python` may Python call it too.
    """
    if numba.config.DISABLE_JIT:
        return function
    wrappers = {"no_cpython_wrapper": not from_python, "no_cfunc_wrapper": True}
    dispatcher = njit(pipeline_class=_EngineCompiler, _nrt=False, **wrappers)(function)
    resolve = dispatcher.get_call_template

    def widened(args: Any, kws: Any) -> Any:
        return resolve(tuple(_widen(arg) for arg in args), {name: _widen(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = widened
    return dispatcher


_inlining: dict[str, str] = {}
"""LLVM's attribute of the functions whose place is not left to it, by the start of their symbol."""


def out_of_line(function: F) -> F:
    """Compile a function of the engine that is seldom called: it stays out of its callers' code."""
    return _placed(function, "noinline")


def in_line(function: F) -> F:
    """Compile a function of the engine whose code is repeated at each place that calls it."""
    return _placed(function, "alwaysinline")


def _placed(function: F, attribute: str) -> F:
    name = f"{function.__module__}.{function.__qualname__}"
    _inlining[itanium_mangler.mangle(name, ()).removesuffix("E")] = attribute
    return compiled(function)


def _place(function: Any) -> None:
    """Give a function of a module its attribute."""
    for symbol, attribute in _inlining.items():
        if function.name.startswith(symbol):
            function.add_function_attribute(attribute)
            return
    if len(list(function.blocks)) == 1:
        # Left to itself, LLVM would have its callers pass what it reads, and forget that it never changes.
        function.add_function_attribute("alwaysinline")


def _widen(kind: Any) -> Any:
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer) and kind != types.uint64:
        return types.int64
    return kind


@contextlib.contextmanager
def optimized_once(root: str, *, vectors: bool = False) -> Iterator[None]:
    """Optimize only the module whose name starts with `root`, with all it calls linked in.

    Numba optimizes the module of every function, with all that it calls, and makes machine code of it,
    at each level of the call tree again; for the engine's hundred functions that is most of the compile
    time, and the inlining decisions of the lower levels stand in the way of the last one. Numba has no
    public switch for it: where its internals differ, compilation is slower and the code is the same.

    Args:
        root: how the name of the module begins.
        vectors: let LLVM work on several kinds at once.
    """
    originals: list[Any] = [getattr(getattr(codegen, owner, None), name, None) for owner, name in _STEPS]
    if not all(originals):
        yield
        return
    _, finish, set_environment = originals

    def optimize(self: Any) -> None:
        if self.name.startswith(root):
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == binding.Linkage.linkonce_odr:
                    function.linkage = binding.Linkage.internal
                    _place(function)
            _optimize(self, vectors)

    def finish_callable(self: Any) -> None:
        if self.name.startswith(root) or _has_wrapper(self._final_module):
            finish(self)
        else:
            # Its code is part of the root's, and nobody calls it by itself: no machine code is made of it.
            self._finalized = True

    def set_environment_of_finished(self: Any, name: str, environment: Any) -> None:
        if self._engine.is_symbol_defined(name):
            set_environment(self, name, environment)

    _replace_steps((optimize, finish_callable, set_environment_of_finished))
    try:
        yield
    finally:
        _replace_steps(originals)


_STEPS = (
    ("CPUCodeLibrary", "_optimize_final_module"),
    ("CPUCodeLibrary", "_finalize_final_module"),
    ("JITCPUCodegen", "set_env"),
)
"""What is done with a module of numba's: it is optimized, made machine code, given its Python objects."""


def _replace_steps(steps: Iterable[Any]) -> None:
    for (owner, name), step in zip(_STEPS, steps, strict=True):
        setattr(getattr(codegen, owner), name, step)


def _has_wrapper(module: Any) -> bool:
    """Whether Python can call a function of this module."""
    return any(
        function.name.startswith(_WRAPPED) and not function.is_declaration for function in module.functions
    )


_WRAPPED = itanium_mangler.prepend_namespace("_ZN1xE", ns="cpython").removesuffix("1xE")
"""How the symbols of wrappers for Python begin."""


@contextlib.contextmanager
def natural_indices() -> Iterator[None]:
    """Take array indices as they are: the engine never counts from the end.

    Python's negative indices cost three instructions at every access. Numba has no public switch
    for it either.
    """
    original = getattr(arrayobj, "fix_integer_index", None)
    if original is None:
        yield
        return

    def natural(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = natural
    try:
        yield
    finally:
        arrayobj.fix_integer_index = original


def _optimize(library: Any, vectors: bool) -> None:
    """Optimize a whole module for loops over a few fields, seats or kinds.

    Unrolled, such loops spend more on finding out how short they are than on running; so do those of the
    engine in vectors: the no-trade game took 12.1 us with LLVM's defaults and 9.8 us without. Loops of hooks
    go mostly through the kinds, and gain by vectors: four traders took 10 % less time.
    """
    tuning = binding.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_unrolling = False
    tuning.loop_interleaving = False
    tuning.loop_vectorization = vectors
    tuning.slp_vectorization = vectors
    builder = binding.create_pass_builder(library._codegen._tm, tuning)
    builder.getModulePassManager().run(library._final_module, builder)
