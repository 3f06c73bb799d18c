"""`beansim init`: what it makes works, and its own test passes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import beansim as package
from beansim.cli.main import run_main

ROOT = Path(package.__file__).parent.parent


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run_main(["init", "ws"]) == 0
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "ws"


def test_what_it_makes_plays_and_passes(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(["run", "first", "--deals", "20", "--jobs", "1", "--quiet"]) == 0
    assert "first" in capsys.readouterr().out
    assert (workspace / "reports" / "first" / "index.html").exists()
    assert run_main(["strategies", "first"]) == 0
    assert "patience" in capsys.readouterr().out
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        tests, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_nothing_is_overwritten(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = workspace / "strategies" / "first.py"
    mine.write_text("mine")
    (workspace / "experiments" / "first.toml").unlink()
    assert run_main(["init", "."]) == 2
    assert "first.py is there already" in capsys.readouterr().err
    assert mine.read_text() == "mine"
    assert not (workspace / "experiments" / "first.toml").exists()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert run_main(["init", str(tmp_path / "file" / "ws")]) == 2
    assert "cannot write the workspace" in capsys.readouterr().err
