"""Who plays: threads or processes of this machine, or a cluster, all by way of joblib.

Threads cost nothing to start and share the compiled code, but a strategy that crashes takes the whole process
with it, and one that hangs cannot be stopped. Processes take about 2.5 s of a core each to start; what ends
one of them costs a batch. So strategies that come with beansim, which are tested, are played in threads, and
all others in processes.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from joblib import Parallel
from joblib.externals.loky.process_executor import BrokenProcessPool
from joblib.parallel import LokyBackend, get_active_backend

from beansim.errors import InputError, unknown
from beansim.simulate.near import begin_worker
from beansim.simulate.work import Work

if TYPE_CHECKING:
    from beansim.simulate.clusters import Cluster

BACKENDS = ("threads", "processes", "dask", "ray")

TIME_LIMIT = 300.0
"""Seconds for a batch. Batches are cut to take 3 s at most, but the first is a guess."""

NEAR_SECONDS, CLUSTER_SECONDS = 0.2, 2.0
"""Time that a batch should take on this machine, and on a cluster."""

PATIENCE = 3.0
"""Limits that pass without any batch before a worker is given up that does not end by itself."""

DIED = (BrokenProcessPool, TimeoutError, multiprocessing.TimeoutError)
"""Errors by which joblib says that a worker of this machine has died, or that nothing comes back."""

JOBLIB_NAMES = {"threads": "threading", "processes": "loky"}


class WorkerLostError(Exception):
    """A worker has died, or does not answer: what it was playing must be played again.

    Attributes:
        killed: it was killed from outside (by an operator, or for want of memory), so no game is suspect.
    """

    def __init__(self, text: str, killed: bool) -> None:
        super().__init__(text)
        self.killed = killed


@dataclass(frozen=True)
class Workers:
    """Who plays, none of which changes the results.

    Attributes:
        jobs: workers at a time; -1 for one on each core. A cluster uses all the workers it has.
        backend: one of `BACKENDS`; empty for threads where every strategy comes with beansim and there is no
            `joblib.parallel_config` around, else processes.
        scheduler: address of the cluster.
        time_limit: seconds that a batch may take in a process; 0 for any time.
        note: called with lines for people.
    """

    jobs: int = 1
    backend: str = ""
    scheduler: str = ""
    time_limit: float = TIME_LIMIT
    note: Callable[[str], None] = field(default=lambda text: None)

    def __post_init__(self) -> None:
        if isinstance(self.jobs, bool) or not isinstance(self.jobs, int) or self.jobs == 0:
            raise InputError(f"jobs is {self.jobs!r:.60}, expected a whole number, -1 for one on each core")
        if self.backend and self.backend not in BACKENDS:
            raise unknown("backend", self.backend, BACKENDS)
        if self.scheduler and self.backend not in ("dask", "ray"):
            raise InputError(f"a scheduler ({self.scheduler}) goes with the backend dask or ray")
        if self.backend == "dask" and not self.scheduler:
            raise InputError("the backend dask needs the address of a scheduler, as in tcp://host:8786")
        if not self.time_limit >= 0:
            raise InputError(f"time_limit is {self.time_limit}, expected seconds, or 0 for none")


class Crew:
    """Workers who are there, for one run.

    Attributes:
        shared: whether they share this process' memory.
        ended: errors by which a backend says that a worker has died.
    """

    def __init__(self, workers: Workers, work: Work, cluster: Cluster | None = None) -> None:
        self.workers = workers
        self.shared = False
        self.ended: tuple[type[Exception], ...] = (*DIED, *(cluster.ended if cluster else ()))
        self._wave = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if cluster is None:
            self._options = self._near(work)
            return
        self._wave = cluster.wave
        # So much in hand that workers who join have something to do.
        self._options = {"backend": cluster.backend, "n_jobs": -1, "pre_dispatch": "8 * n_jobs"}

    def _near(self, work: Work) -> dict[str, Any]:
        """joblib's options for workers of this machine, or of a backend that was chosen around this call."""
        workers, options = self.workers, dict[str, Any](n_jobs=self.workers.jobs)
        name = workers.backend or ("threads" if work.trusted else "processes")
        chosen = None
        if workers.backend:
            options["backend"] = JOBLIB_NAMES[name]
            self.shared = name == "threads"
        else:
            options["prefer"] = name
            chosen = get_active_backend(prefer=name)[0]
            self.shared = bool(getattr(chosen, "supports_sharedmem", False))
        if workers.backend == "processes" or isinstance(chosen, LokyBackend):
            options |= {"initializer": begin_worker, "initargs": (os.getpid(),)}
            self._folder = tempfile.TemporaryDirectory(prefix="beansim-results-")
        if workers.jobs == 1 and not self.shared:
            # joblib plays one job in this very process; of two workers, one at a time has something to do.
            options |= {"n_jobs": 2, "pre_dispatch": 1}
        return options

    @property
    def folder(self) -> str:
        """Where processes of this machine put their results (`near`); empty for other workers."""
        return self._folder.name if self._folder else ""

    @property
    def batch_seconds(self) -> float:
        """Time that a batch should take: longer over a network, where all results come to one process."""
        return CLUSTER_SECONDS if self.workers.backend in ("dask", "ray") else NEAR_SECONDS

    @property
    def limit(self) -> float:
        """The time limit that a worker keeps by itself; 0 where its end would be that of this process."""
        return 0.0 if self.shared else self.workers.time_limit

    @property
    def _timeout(self) -> float | None:
        """Seconds without any batch after which joblib gives up; one job in this process cannot be left."""
        limit = self.workers.time_limit
        if not limit or (self.shared and self.workers.jobs == 1):
            return None
        return limit if self.shared else PATIENCE * limit

    def leave(self) -> None:
        """Delete what was handed in and not used."""
        if self._folder:
            self._folder.cleanup()

    def run(self, tasks: Iterable[Any]) -> Generator[Any]:
        """Results of joblib's `tasks`, as they come; leaving early stops the workers.

        Raises WorkerLostError when a worker has died or nothing has come back for too long.
        """
        try:
            yield from self._in_waves(iter(tasks)) if self._wave else self._as_they_come(tasks)
        except self.ended as error:
            text = str(error) or type(error).__name__
            raise WorkerLostError(text.splitlines()[0], killed="SIGKILL" in text) from error

    def _as_they_come(self, tasks: Iterable[Any]) -> Iterator[Any]:
        pool = Parallel(batch_size=1, return_as="generator_unordered", timeout=self._timeout, **self._options)
        with _closing(pool(tasks)) as results:
            # No `yield from`: it would hand an early end on to joblib, which warns of it.
            for result in results:  # noqa: UP028
                yield result

    def _in_waves(self, tasks: Iterator[Any]) -> Iterator[Any]:
        with Parallel(batch_size=1, timeout=self._timeout, **self._options) as pool:
            while wave := list(itertools.islice(tasks, self._wave)):
                yield from pool(wave)


@contextmanager
def _closing(results: Generator[Any]) -> Iterator[Iterator[Any]]:
    """Stop the workers at the end, whatever ends it."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            # joblib warns of games that were played and not used: after Ctrl-C that is so.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


@contextmanager
def crew_of(workers: Workers, work: Work) -> Iterator[Crew]:
    """The workers, connected to where they are on a cluster.

    Raises InputError when a cluster cannot be reached, or its library is not installed.
    """
    if workers.backend not in ("dask", "ray"):
        crew = Crew(workers, work)
        try:
            yield crew
        finally:
            crew.leave()
        return
    from beansim.simulate import clusters

    connected = {"dask": clusters.dask, "ray": clusters.ray}[workers.backend]
    with connected(workers.scheduler) as cluster:
        yield Crew(workers, work, cluster)
