"""The roll of worker processes: who is there, who has died, and whether their parent has.

Each worker holds a lock on a file of its own, which the operating system frees however the worker ends.
The pool of processes notices a death by itself, but for one: a worker that is killed while it hands in a
result leaves half of it in the pipe, and the pool waits for the rest for ever. So the parent calls the roll.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

LOOK_SECONDS = 0.5
"""Time between two looks."""

GRACE_SECONDS = 5.0
"""Time that the pool has to notice a death by itself."""

_held: list[FileLock] = []


# --- in a worker -----------------------------------------------------------------------------------


def sign_in(roll: str, parent: int) -> None:
    """What a worker does first: be on the roll, and end soon after process `parent`, which started it."""
    path = Path(roll) / str(os.getpid())
    lock = FileLock(path, timeout=0)
    lock.acquire()
    _held.append(lock)
    atexit.register(path.unlink, missing_ok=True)  # Who leaves in order is not missed.
    end_with(parent)


def end_with(parent: int) -> None:
    """End this process soon after process `parent`, which started it, has ended.

    A worker whose parent was killed waits for ever otherwise: for a batch, or to hand one in. Windows does
    not tell that a parent is gone; there it stays.
    """
    if os.name == "posix":
        threading.Thread(target=_outlive_not, args=(parent,), daemon=True).start()


def _outlive_not(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)


# --- in the parent ---------------------------------------------------------------------------------


@cache
def roll() -> str:
    """The folder of this process in which its workers sign in."""
    folder = tempfile.mkdtemp(prefix="beansim-workers-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextmanager
def roll_call() -> Iterator[None]:
    """While within, end all workers when one has died and the pool does not notice: then it does."""
    _, dead = _called()
    for path in dead:
        path.unlink(missing_ok=True)
    over = threading.Event()
    caller = threading.Thread(target=_call, args=(over,), daemon=True)
    caller.start()
    try:
        yield
    finally:
        over.set()
        caller.join()


def _call(over: threading.Event) -> None:
    since = 0.0
    while not over.wait(LOOK_SECONDS):
        there, dead = _called()
        now = time.monotonic()
        since = (since or now) if dead else 0.0
        if dead and now - since >= GRACE_SECONDS:
            for path in there:
                _kill(int(path.name))


def _kill(pid: int) -> None:
    try:
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    except OSError:
        return  # It has gone by itself.


def _called() -> tuple[list[Path], list[Path]]:
    """The files of the workers who are there, and of those who died."""
    there: list[Path] = []
    dead: list[Path] = []
    for path in Path(roll()).iterdir():
        try:
            with FileLock(path, timeout=0):
                dead.append(path)
        except Timeout:
            there.append(path)
    return there, dead
