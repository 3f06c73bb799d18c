"""Real games: threads, processes and one worker give the same files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from beansim.experiment import ArmPlan, Experiment, strategy_folders
from beansim.simulate.chunks import growing_chunks
from beansim.simulate.looks import Ways, play_contest
from beansim.simulate.run import Options, run
from beansim.simulate.workers import Workers

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
        outcome = run(plan, out, Options(Workers(jobs), batch_deals=batch))
        assert outcome.errors == 0
        found.add(digest(out))
    assert len(found) == 1


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("last", ["trader", "plain"])
def test_a_contest_is_the_same_for_any_workers(last: str) -> None:
    """Ordinary Python goes to processes, which must find out by name what the games are reduced to."""
    arms = tuple(
        ArmPlan(variant="base", players=("hermit", *lineup)) for lineup in ((last,) * 2, ("hermit", last))
    )
    plan = Experiment(name="x", arms=arms, seatings="permute", folders=strategy_folders())
    looks = growing_chunks(14, 6, 4)
    seen = [
        list(play_contest(plan, looks, Ways(Workers(jobs), batch_deals=batch)))
        for jobs, batch in ((1, 0), (2, 3))
    ]
    assert [tally.deals for tally in seen[0]] == [6, 8, 10, 12, 14]
    for left, right in zip(*seen, strict=True):
        assert left.ranges == right.ranges
        assert all((left.arrays[name] == right.arrays[name]).all() for name in left.arrays)


FORKS = """
import os, time
from beansim.simulate.near import begin_worker
begin_worker(os.getppid())
forked = os.fork()
if not forked:
    time.sleep(60)
os.write(2, b"%d" % forked)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_what_a_strategy_has_forked_ends_with_its_worker() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], stderr=subprocess.PIPE, check=True)
    with contextlib.suppress(psutil.NoSuchProcess):
        _, alive = psutil.wait_procs([psutil.Process(int(done.stderr))], timeout=10)
        assert not alive
