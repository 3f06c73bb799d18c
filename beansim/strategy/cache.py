"""Compiled code kept between runs, in the user's cache folder.

Each compiled thing has a small generated file of its own, whose folder is named by a hash over
all compiled sources, the versions and the processor, and by the fingerprint of what it reaches.
Numba keeps the machine code beside that file. The package itself may be read-only, and cold
starts may race: the first to link the file into place wins.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba import njit

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


def compile_kept(name: str, fingerprint: str, source: str, names: dict[str, Any], signature: Any) -> Any:
    """Compile the function `entry` of `source`, or load its machine code where it is kept.

    Args:
        name: readable name of the folder.
        fingerprint: hash of all that the source reaches through `names`.
        source: text of a module that defines `entry`.
        names: objects put into the module's globals before it runs.
        signature: numba signature of `entry`.

    Returns:
        The compiled dispatcher. Numba's errors pass through.
    """
    folder = cache_folder() / f"{name}-{fingerprint}"
    keep = _write_once(folder, source)
    module = _module(
        f"beansim_kept_{name.replace('.', '_').replace('-', '_')}_{fingerprint}", folder, source, keep
    )
    module.__dict__.update(names)
    _load_arrays()
    with optimized_once("entry"):
        return njit(signature, cache=keep, nogil=True, _nrt=False)(module.entry)


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
    return any((cache_folder() / f"{name}-{fingerprint}").glob("__pycache__/*.nbi"))


def _write_once(folder: Path, source: str) -> bool:
    """Put the source file in place unless it is there; False where the folder cannot be written."""
    target = folder / "entry.py"
    if target.exists():
        return os.access(folder, os.W_OK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
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
