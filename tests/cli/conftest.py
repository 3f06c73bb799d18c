from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from beansim.cli.main import run_main

RAISING = '''
from beansim.strategy import Strategy, hook


class Raising(Strategy):
    """Plays by the rules until turn 9, then harvests a field that is not there."""

    @hook
    def choose_harvest(self, table, kind):
        return 99 if table.turn > 9 else Strategy.choose_harvest(self, table, kind)
'''


@dataclass(frozen=True)
class Said:
    """What a command did: its exit code and what it printed."""

    code: int
    out: str
    err: str


Beansim = Callable[..., Said]


@pytest.fixture
def beansim(capsys: pytest.CaptureFixture[str]) -> Beansim:
    """Run a command line in this process."""

    def call(*words: object) -> Said:
        capsys.readouterr()
        try:
            code = run_main([str(word) for word in words])
        except SystemExit as error:
            code = int(error.code or 0)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return call


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace to run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def raising(workspace: Path) -> str:
    """The file of a strategy that breaks its contract in every game."""
    (workspace / "raising.py").write_text(RAISING)
    return "raising.py"
