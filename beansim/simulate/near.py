"""What worker processes of this machine do beyond playing: end with their parent, and hand in by file.

A process that is killed while it writes to the pool's pipe leaves half a result there, and the pool waits for
the rest for ever. So a worker writes its result to a file and sends the name alone: so few bytes that they
are written at once or not at all.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

LOOK_SECONDS = 0.5
"""Time between two looks at who the parent is."""


def begin_worker(parent: int) -> None:
    """What a new worker process does first."""
    end_with(parent)
    # What strategies print is none of the results, which are what stdout is for.
    sys.stdout.flush()
    os.dup2(2, 1)


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


def hand_in(result: Any, folder: str) -> str:
    """Write what a worker has to say to a file of its own in `folder`; its name is what the worker sends."""
    number, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(number, "wb") as file:
        pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
    return name


def take(name: str) -> Any:
    """Read what a worker of this process has handed in, and delete it."""
    path = Path(name)
    result = pickle.loads(path.read_bytes())
    path.unlink()
    return result
