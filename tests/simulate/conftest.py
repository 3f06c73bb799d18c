from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parent))
fake_engine: ModuleType = importlib.import_module("fake_engine")

STRATEGY = '''
from beansim.strategy import Strategy, param


class {name}(Strategy):
    """Plays no part: the games of these tests are faked."""

    compiled = {compiled}
    margin = param(0.5, 0, 9, "least gain, in coins")
'''


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of three strategies, one of which ("bad") breaks its contract in faked games."""
    (tmp_path / "strategies").mkdir()
    (tmp_path / "experiments").mkdir()
    for name in ("alpha", "beta", "bad"):
        text = STRATEGY.format(name=name.capitalize(), compiled=True)
        (tmp_path / "strategies" / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are faked: quick, and broken on demand."""
    monkeypatch.setattr("beansim.engine.lost.play", fake_engine.play)
    # Processes would play real games.
    monkeypatch.setattr("beansim.simulate.work.Work.trusted", True)
    monkeypatch.setattr("beansim.simulate.run.warm", fake_engine.warm)
    monkeypatch.setattr("beansim.simulate.errors.describe_error", fake_engine.describe_error)
