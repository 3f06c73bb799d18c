"""Runs on a cluster: a real scheduler and worker processes on this machine, some of which come and go."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from beansim.errors import InputError
from beansim.experiment import ArmPlan, Experiment
from beansim.simulate import clusters
from beansim.simulate.run import Options, run
from beansim.simulate.workers import Workers

MINE = '''
import time

from beansim.strategy import Strategy


class Mine(Strategy):
    """A strategy of which the workers have no file; it takes its time, so that there is some to lose them."""

    compiled = False

    def plant_second(self, table, kind):
        time.sleep(0.001)
        return table.turn % 3 == 0
'''


class Cluster:
    """A Dask scheduler and its workers, each a process in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self.file)
        )

    @property
    def address(self) -> str:
        """Of the scheduler, once it is there."""
        import json

        until = time.monotonic() + 120
        while not self.file.exists() and time.monotonic() < until:
            time.sleep(0.1)
        return str(json.loads(self.file.read_text())["address"])

    def add_worker(self, *, nanny: bool = False) -> subprocess.Popen[bytes]:
        """One more worker, which a nanny starts again when it dies, or nobody."""
        return self._start("dask_worker", self.address, "--nthreads", "1", *([] if nanny else ["--no-nanny"]))

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        place = self.folder / f"{what}-{len(self.processes)}"
        place.mkdir()
        command = [sys.executable, "-m", f"distributed.cli.{what}", *words, "--no-dashboard"]
        environment = {**os.environ, "BEANSIM_CACHE": str(self.folder / "cache")}
        with (place / "log").open("wb") as log:
            process = subprocess.Popen(command, cwd=place, stdout=log, stderr=log, env=environment)
        self.processes.append(process)
        return process

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 240.0)
    (tmp_path / "cluster").mkdir()
    made = Cluster(tmp_path / "cluster")
    try:
        yield made
    finally:
        made.close()


def plan(path: Path, deals: int) -> Experiment:
    return Experiment(
        name="x", arms=(ArmPlan(variant="base", players=(str(path), "hermit", "hermit")),), deals=deals
    )


def digests(place: Path) -> dict[str, str]:
    paths = [
        path for path in place.rglob("*") if path.is_file() and path.name not in ("timing.json", ".lock")
    ]
    return {str(path.relative_to(place)): sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.slow
def test_workers_that_come_and_go_give_the_files_of_one_machine(cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    run(plan(path, 120), tmp_path / "alone", Options(Workers(1, "threads"), batch_deals=4))
    first, _ = cluster.add_worker(), cluster.add_worker()
    done = 0

    def change(games: int, total: int) -> None:
        nonlocal done
        if done == 0 < games:
            first.kill()
            cluster.add_worker()
        done = games

    workers = Workers(1, "dask", cluster.address)
    outcome = run(plan(path, 120), tmp_path / "cluster-run", Options(workers, batch_deals=4, progress=change))
    assert outcome.complete
    assert outcome.errors == 0
    assert first.poll() is not None
    assert digests(tmp_path / "alone") == digests(tmp_path / "cluster-run")
    assert list((tmp_path / "cluster" / "cache" / "sources").glob("*/mine.py"))


ENDS = '''
import os

from beansim.strategy import Strategy


class Ends(Strategy):
    """Ends whatever process plays it."""

    compiled = False

    def plant_second(self, table, kind):
        if table.turn == 9:
            os._exit(0)
        return False
'''


@pytest.mark.slow
def test_a_cluster_of_one_core_plays_for_itself(cluster: Cluster, tmp_path: Path) -> None:
    """joblib would play in this very process, and the strategy end it."""
    path = tmp_path / "ends.py"
    path.write_text(ENDS)
    cluster.add_worker(nanny=True)
    outcome = run(plan(path, 1), tmp_path / "out", Options(Workers(1, "dask", cluster.address)))
    assert outcome.complete
    assert 0 < outcome.errors <= outcome.games == 3


@pytest.mark.slow
def test_what_cannot_be_is_refused_in_words(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    options = Options(Workers(1, "dask", cluster.address))
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 3.0)
    with pytest.raises(InputError, match=r"has no worker; start some with: dask worker tcp://"):
        run(plan(path, 2), tmp_path / "a", options)
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 240.0)
    cluster.add_worker()
    found = clusters.play_versions()
    other = tuple((name, "0.1" if name == "numba" else version) for name, version in found)
    with monkeypatch.context() as patch:
        patch.setattr(clusters, "play_versions", lambda: other)
        with pytest.raises(InputError, match=r"the worker at tcp://.* has numba .* instead of 0\.1"):
            run(plan(path, 2), tmp_path / "b", options)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("tcp://127.0.0.1:9", "cannot reach a scheduler at tcp://127.0.0.1:9"),
        ("nonsense", "expected an address as in tcp://host:8786"),
    ],
)
def test_a_scheduler_that_is_not_there_is_an_error_at_once(address: str, text: str, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    with pytest.raises(InputError, match=text):
        run(plan(path, 2), tmp_path / "out", Options(Workers(1, "dask", address)))


@pytest.mark.slow
def test_ray_gives_the_files_of_one_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    run(plan(path, 24), tmp_path / "alone", Options(Workers(1, "threads")))
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "300")
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    try:
        outcome = run(plan(path, 24), tmp_path / "ray", Options(Workers(2, "ray"), batch_deals=4))
    finally:
        ray.shutdown()
    assert outcome.complete
    assert digests(tmp_path / "alone") == digests(tmp_path / "ray")
