"""Compiled code kept between runs, in the user's cache folder.

Each compiled thing has a small generated file of its own, whose folder is named by a hash over
all compiled sources, the versions and the processor, and by the fingerprint of what it reaches.
Numba keeps the machine code beside that file. The package itself may be read-only, and so may a cache
folder that is filled already. Of several cold starts one compiles, and the others wait for it.

Numba's files are pickles, which can run code when they are read: whoever can write to the cache folder
can run code as its owner. So it is made for its owner alone, and nothing is read from a folder that others
can write to (docs/safety.md).
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import hashlib
import importlib.util
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba import njit
from numba.core.errors import NumbaError

import beansim
from beansim.strategy.compiling import optimized_once

CACHE_VARIABLE = "BEANSIM_CACHE"
"""Environment variable that names another cache folder."""
_STAMP = 1_000_000_000


@functools.cache
def engine_hash() -> str:
    """Hash of everything that the machine code of all hooks and the engine depends on."""
    parts = [
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        platform.python_version(),
        llvmlite.binding.get_host_cpu_name(),
        str(llvmlite.binding.get_host_cpu_features().flatten()),
        str(numba.config.BOUNDSCHECK),
        str(numba.config.OPT),
    ]
    package = Path(beansim.__file__).parent
    for folder in ("rules", "strategy", "engine"):
        for path in sorted((package / folder).glob("*.py")):
            parts.append(f"{folder}/{path.name}:{hashlib.sha256(path.read_bytes()).hexdigest()}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def cache_folder() -> Path:
    """Folder for the machine code of this engine hash."""
    return Path(os.environ.get(CACHE_VARIABLE) or _user_folder()) / engine_hash()


@functools.cache
def _user_folder() -> str:
    return platformdirs.user_cache_dir("beansim", appauthor=False)


def compile_kept(
    name: str,
    fingerprint: str,
    source: str,
    names: dict[str, Any],
    signature: Any,
    *,
    vectors: bool = False,
    by_address: bool = False,
) -> Any:
    """Compile the function `entry` of `source`, or load its machine code where it is kept.

    Args:
        name: readable name of the folder.
        fingerprint: hash of all that the source reaches through `names`.
        source: text of a module that defines `entry`.
        names: objects put into the module's globals before it runs.
        signature: numba signature of `entry`.
        vectors: let LLVM work on several kinds at once.
        by_address: only compiled code calls it, none of Python.

    Returns:
        The compiled dispatcher. Numba's errors pass through.
    """
    folder = cache_folder() / f"{name}-{fingerprint}"
    _load_arrays()
    keep = _write_once(folder, source)
    if not keep and _is_filled(folder) and _is_ours(folder) and _is_ours(folder.parent):
        folder, keep = _copied(folder), True
    with _one_at_a_time(folder, keep), _no_collection(), optimized_once("entry", vectors=vectors):
        title = f"beansim_kept_{name.replace('.', '_').replace('-', '_')}_{fingerprint}"
        options = {"nogil": True, "_nrt": False, "no_cpython_wrapper": by_address, "no_cfunc_wrapper": True}

        def entry(keep: bool) -> Any:
            module = _module(title, folder, source, keep)
            module.__dict__.update(names)
            return njit(signature, cache=keep, **options)(module.entry)

        return _sound(entry, folder) if keep else entry(keep=False)


def _sound(entry: Callable[[bool], Any], folder: Path) -> Any:
    """What `entry` loads from the folder, or compiles to be kept there; once more where that fails.

    Unpickling finds in many ways that files are damaged; they are written anew. A full disk keeps nothing.
    """
    try:
        return entry(True)
    except NumbaError:
        raise
    except Exception as error:
        for path in folder.glob("__pycache__/*.nb?"):
            with contextlib.suppress(OSError):
                path.unlink()
        return entry(not isinstance(error, OSError))


def _copied(folder: Path) -> Path:
    """A copy of a filled folder that cannot be written to, for this process: numba reads no other."""
    copy = Path(tempfile.mkdtemp(prefix="beansim-cache-"))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    return Path(shutil.copytree(folder, copy / folder.name))


@contextlib.contextmanager
def _one_at_a_time(folder: Path, keep: bool) -> Iterator[None]:
    """Wait while another process compiles the same thing; then its machine code is there to be read."""
    if not keep or _is_filled(folder):
        yield
        return
    with contextlib.ExitStack() as stack:
        # Where files cannot be locked each process compiles; what the last one keeps is right too.
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            file = stack.enter_context((folder / ".lock").open("w"))
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Collect no garbage meanwhile: a compilation makes millions of objects, and keeps most of them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@functools.cache
def _load_arrays() -> None:
    """Load numba's functions on arrays without the BLAS that it would take out of SciPy.

    No hook needs one: nothing compiled here allocates arrays. Importing scipy.linalg takes a fifth of a
    second of every start, and inner products would depend on the BLAS of the machine.
    """
    name = "scipy.linalg"
    known = sys.modules.get(name)
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        arrays = importlib.import_module("numba.np.arraymath")
    finally:
        if known is None:
            del sys.modules[name]
        else:
            sys.modules[name] = known
    arrays._HAVE_BLAS = False


def is_kept(name: str, fingerprint: str) -> bool:
    """True when the machine code of this thing is already there (a warm start)."""
    return _is_filled(cache_folder() / f"{name}-{fingerprint}")


def keeps() -> bool:
    """Whether what is compiled now can be kept for the next start, and for other processes."""
    return _made(cache_folder())


def _is_filled(folder: Path) -> bool:
    # Numba writes its index first, and only then the code.
    return all(any(folder.glob(f"__pycache__/*.{kind}")) for kind in ("nbi", "nbc"))


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can write here, so that what lies here may be unpickled."""
    if not hasattr(os, "getuid"):
        return True  # Windows: the cache folder is below the user's own
    found = folder.stat()
    return found.st_uid in (os.getuid(), 0) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _made(folder: Path) -> bool:
    """Make a folder for its owner alone; False where it cannot be written to, or others can write to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _is_ours(folder) and os.access(folder, os.W_OK)
    except OSError:
        return False


def _write_once(folder: Path, source: str) -> bool:
    """Put the source file in place unless it is there; False where the folder cannot be used."""
    if not (_made(folder.parent) and _made(folder)):
        return False
    target = folder / "entry.py"
    if target.exists():
        return True
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".new", delete=False) as file:
            file.write(source)
        os.utime(file.name, (_STAMP, _STAMP))
        try:
            os.link(file.name, target)
        except FileExistsError:
            pass  # another process was first; its file has the same text
        finally:
            Path(file.name).unlink()
    except OSError:
        return False
    return True


def _module(name: str, folder: Path, source: str, keep: bool) -> ModuleType:
    """A module registered in sys.modules, as numba needs it to load machine code."""
    if not keep:
        module = ModuleType(name)
        module.__dict__["__file__"] = f"<{name}>"
        sys.modules[name] = module
        exec(compile(source, f"<{name}>", "exec"), module.__dict__)  # our own generated text
        return module
    spec = importlib.util.spec_from_file_location(name, folder / "entry.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
