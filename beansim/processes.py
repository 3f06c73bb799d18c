"""What other processes of ours are started with, and when they end."""

from __future__ import annotations

import os
import sys
import threading
import time

LOOK_SECONDS = 0.5
"""Time between two looks at who the parent is."""


def same_packages() -> dict[str, str]:
    """Environment in which Python, with `-P`, finds the same packages as this process and no others."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


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


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
