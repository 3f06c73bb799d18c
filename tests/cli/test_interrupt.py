"""A real Ctrl-C, sent to a real process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WORDS = [
    "run",
    "two-pass",
    "--players",
    "hermit,hermit,hermit",
    "--deals",
    "3000000",
    "--jobs",
    "2",
    "--out",
    "out",
]
# A test runner's child may have been started with Ctrl-C ignored.
CODE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from beansim.cli.main import main
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_keeps_what_is_complete(workspace: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", CODE, *WORDS], stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 120
        while not list(Path("out/chunks").glob("tally-*")) and time.monotonic() < until:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "beansim run --resume out" in said
    assert "Traceback" not in said
    assert "Warning" not in said
    state = json.loads(Path("out/run.json").read_text())
    assert (state["complete"], state["deals"] > 0) == (False, True)
