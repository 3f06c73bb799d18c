"""On a cold start the engine is compiled by another process, while this one compiles the strategies."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator

import numba

from beansim.processes import cores, same_packages
from beansim.strategy.cache import engine_hash, is_kept, keeps

_CODE = """
import sys
from beansim.processes import end_with
end_with(int(sys.argv[2]))
from beansim.engine.batch import kernel_function
kernel_function(sys.argv[1])
"""


@contextlib.contextmanager
def engine_ahead(roots: Iterable[tuple[str, str]]) -> Iterator[None]:
    """Compile these roots in other processes while the block runs; at its end they are in the cache.

    Where there is one core, where nothing can be kept, or where a process fails, whoever needs the engine
    compiles it as ever. No strategy is loaded there.

    Args:
        roots: (kind of turn, name under which its machine code is kept).
    """
    missing = [turn for turn, root in roots if not is_kept(root, engine_hash())]
    # Coverage counts what this process compiles.
    alone = numba.config.DISABLE_JIT or os.environ.get("NUMBA_JIT_COVERAGE") or cores() < 2
    if alone or not missing or not keeps():
        yield
        return
    started = [_start(turn) for turn in missing]
    try:
        yield
    except BaseException:
        for process in started:
            process.terminate()
        raise
    finally:
        for process in started:
            process.wait()


def _start(turn: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _CODE, turn, str(os.getpid())],
        env=same_packages(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
