"""A cold start compiles the engine in another process while this one compiles the strategies."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from beansim.engine import ahead

ROOTS = [("standard", "engine")]


class Process:
    """Stands for the process that compiles."""

    def __init__(self, turn: str) -> None:
        self.turn = turn
        self.calls: list[str] = []

    def terminate(self) -> None:
        self.calls.append("terminate")

    def wait(self) -> None:
        self.calls.append("wait")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """Processes that were started, on a cold machine with two cores."""
    found: list[Process] = []

    def start(turn: str) -> Any:
        found.append(Process(turn))
        return found[-1]

    monkeypatch.setattr(ahead, "_start", start)
    monkeypatch.setattr(ahead, "is_kept", lambda root, fingerprint: False)
    monkeypatch.setattr(ahead, "cores", lambda: 2)
    monkeypatch.setattr(ahead, "keeps", lambda: True)
    return found


def test_the_engine_is_compiled_while_the_block_runs(started: list[Process]) -> None:
    with ahead.engine_ahead(ROOTS):
        assert [process.turn for process in started] == ["standard"]
        assert not started[0].calls
    assert started[0].calls == ["wait"]


def test_a_strategy_that_does_not_compile_stops_it(started: list[Process]) -> None:
    with pytest.raises(ValueError, match="no such"), ahead.engine_ahead(ROOTS):
        raise ValueError("no such attribute")
    assert started[0].calls == ["terminate", "wait"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("cores", lambda: 1), ("keeps", lambda: False), ("is_kept", lambda root, fingerprint: True)],
)
def test_nothing_is_started_that_would_be_of_no_use(
    started: list[Process], monkeypatch: pytest.MonkeyPatch, name: str, value: Any
) -> None:
    monkeypatch.setattr(ahead, name, value)
    with ahead.engine_ahead(ROOTS):
        pass
    assert not started


@pytest.mark.skipif(os.name != "posix", reason="only there a process is told that its parent is gone")
def test_it_ends_with_the_process_that_needs_it(tmp_path: Path) -> None:
    """Its parent is killed at once; compiling takes longer than this waits."""
    code = (
        "import os; from beansim.engine import ahead;"
        "os.write(1, b'%d' % ahead._start('standard').pid); os._exit(9)"
    )
    environment = {**os.environ, "BEANSIM_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert done.returncode == 9
    with contextlib.suppress(psutil.NoSuchProcess):
        _, alive = psutil.wait_procs([psutil.Process(int(done.stdout))], timeout=10)
        assert not alive
    assert not list(tmp_path.rglob("*.nbi"))


@pytest.mark.slow
def test_a_cold_start_finds_the_engine_that_the_other_process_compiled(tmp_path: Path) -> None:
    code = (
        "from beansim.cli.play import build_arm; from beansim.engine import batch, ahead;"
        "ahead.cores = lambda: 2;"
        "assert batch.play(build_arm('base', ('hermit',) * 4, 'fixed'), 1, 0, 10).games['turns'].min() > 9;"
        "print(sum(batch.kernel_function().stats.cache_hits.values()))"
    )
    environment = {**os.environ, "BEANSIM_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]
