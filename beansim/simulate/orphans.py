"""Workers that end when the process which started them is gone, however that ended."""

from __future__ import annotations

import os
import threading
import time

LOOK_SECONDS = 0.5
"""Time between two looks at who the parent is."""


def end_with(parent: int) -> None:
    """End this process soon after process `parent`, which started it, has ended.

    A worker whose parent was killed waits for ever otherwise: for a batch, or to hand one in. Windows does
    not tell that a parent is gone; there it stays.
    """
    if os.name == "posix":
        threading.Thread(target=_look, args=(parent,), daemon=True).start()


def _look(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)
