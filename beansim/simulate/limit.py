"""The time limit of a worker process: a batch that takes longer ends the process, whatever it is doing.

Code that hangs cannot be stopped from within: compiled code asks nobody, and some of Python's own C code does
not either. So a thread of the interpreter's `faulthandler`, which is C and needs no lock, ends the process.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_lock = threading.Lock()
_deadlines: dict[int, tuple[float, TextIO]] = {}


@contextmanager
def time_limit(seconds: float, told: TextIO | None = None) -> Iterator[None]:
    """End this process with exit code 1 when what is done within takes longer than `seconds`.

    Several threads may be within at a time, as on a cluster's workers: the first deadline counts.

    Args:
        seconds: wall time; 0 for no limit.
        told: file that gets a line and the stack of every thread then; nobody by default.
    """
    if not seconds:
        yield
        return
    key = threading.get_ident()
    file = told or _nobody()
    with _lock:
        _deadlines[key] = (time.monotonic() + seconds, file)
        _arm()
    try:
        yield
    finally:
        with _lock:
            del _deadlines[key]
            _arm()


def _arm() -> None:
    """Set the interpreter's one timer to the first deadline."""
    if not _deadlines:
        faulthandler.cancel_dump_traceback_later()
        return
    deadline, file = min(_deadlines.values(), key=lambda pair: pair[0])
    left = max(0.001, deadline - time.monotonic())
    faulthandler.dump_traceback_later(left, exit=True, file=file)


_opened: list[TextIO] = []


def _nobody() -> TextIO:
    """A file that keeps nothing, open as long as the process lives: the timer holds its number only."""
    if not _opened:
        _opened.append(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    return _opened[0]


def keep_crashes_quiet() -> None:
    """Print nothing when this process crashes: whoever started it finds out what happened."""
    faulthandler.enable(_nobody())


def tell_crashes() -> None:
    """Print the stack of this process to stderr when it crashes."""
    faulthandler.enable(sys.stderr)
