"""What other processes of ours are started with."""

from __future__ import annotations

import os
import sys


def same_packages() -> dict[str, str]:
    """Environment in which Python, with `-P`, finds the same packages as this process and no others."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
