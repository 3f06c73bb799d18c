"""Real games: threads, processes and one worker give the same files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from beansim.experiment import ArmPlan, Experiment, strategy_folders
from beansim.simulate.run import Options, run

PYTHON = '''
from beansim.strategy import Strategy


class Plain(Strategy):
    """Ordinary Python: plants the second card now and then, by a list that it keeps."""

    compiled = False

    def plant_second(self, table, kind):
        return table.turn % 3 == 0
'''


def digest(folder: Path) -> str:
    names = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name not in ("timing.json", ".lock")
    )
    return hashlib.sha256(b"".join(path.read_bytes() for path in names)).hexdigest()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "plain.py").write_text(PYTHON)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    ("last", "deals", "ways"),
    [("hermit", 120, ((1, 0), (2, 0), (2, 17))), ("plain", 12, ((1, 0), (2, 3)))],
)
def test_real_games_are_the_same_for_any_workers(
    last: str, deals: int, ways: tuple[tuple[int, int], ...]
) -> None:
    arm = ArmPlan(variant="base", players=("hermit", "hermit", last))
    plan = Experiment(name="x", arms=(arm,), deals=deals, folders=strategy_folders())
    found = set()
    for jobs, batch in ways:
        out = Path(f"{jobs}-{batch}")
        outcome = run(plan, out, Options(jobs=jobs, batch_deals=batch))
        assert outcome.errors == 0
        found.add(digest(out))
    assert len(found) == 1
