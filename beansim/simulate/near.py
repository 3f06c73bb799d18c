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
from pathlib import Path
from typing import Any

from beansim.processes import end_with


def begin_worker(parent: int) -> None:
    """What a new worker process does first."""
    end_with(parent)
    if hasattr(os, "register_at_fork"):
        # A strategy that forks makes another worker, which would wait for ever once this one has ended.
        os.register_at_fork(after_in_child=lambda: end_with(os.getppid()))
    # What strategies print is none of the results, which are what stdout is for.
    sys.stdout.flush()
    os.dup2(2, 1)


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
