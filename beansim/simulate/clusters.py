"""Workers on other machines, by way of joblib: a Dask or a Ray cluster.

A worker needs the same versions of beansim, Python and the libraries, but none of the strategies' files and
nothing of the folder of the run. Workers may be lost and may join while it goes on.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from beansim.errors import InputError
from beansim.simulate.recipe import check_versions, play_versions

WAVE = 8
"""Batches for each core of a Ray cluster that it takes at a time; it waits for the last of them."""

CONNECT_SECONDS = 30.0
"""How long a scheduler may take to answer, and a first worker to be there."""


@dataclass(frozen=True)
class Cluster:
    """What a run must know of a cluster.

    Attributes:
        backend: joblib's backend, or its name.
        ended: errors by which it says that a worker has died.
        wave: tasks that it takes at a time, where it does not hand over each result as it comes; else 0.
    """

    backend: Any
    ended: tuple[type[Exception], ...]
    wave: int = 0


@contextmanager
def dask(address: str) -> Iterator[Cluster]:
    """The workers of the Dask scheduler at `address`.

    Raises InputError when Dask is not installed, the scheduler cannot be reached or is not one, there is no
    worker, or one has other versions.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise InputError("the backend dask needs Dask: pip install 'beansim[dask]'") from error
    _check_reachable(address)
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot reach a Dask scheduler at {address}: {_short(error)}") from error
    try:
        _check_workers(client, address)
        yield Cluster(_dask_backend()(client=client), (KilledWorker,))
    finally:
        client.close()


def _check_reachable(address: str) -> None:
    """Dask itself tries for its whole time, and warns at length: ask the port first."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not (host and port.isdecimal()):
        raise InputError(f"scheduler {address!r}: expected an address as in tcp://host:8786")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"cannot reach a scheduler at {address}: {_short(error)}") from error


def _check_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError as error:
        raise InputError(
            f"the scheduler at {address} has no worker; start some with: dask worker {address}"
        ) from error
    for worker, answer in client.run(_versions_there, on_error="return").items():
        if isinstance(answer, BaseException):
            raise InputError(
                f"the worker at {worker} cannot play: {_short(answer)}; it needs beansim {_own_version()}"
            )
        check_versions(dict(play_versions()), dict(answer), f"at {worker}")


def _versions_there() -> tuple[tuple[str, str], ...]:
    """Asked of every worker."""
    return play_versions()


def _own_version() -> str:
    return dict(play_versions())["beansim"]


def _dask_backend() -> Any:
    """joblib's backend for Dask, which hands over errors too, and plays on the cluster whatever its size.

    joblib's own hears of a result, but never of a task whose workers have died: it would wait for ever. And
    where the cluster has one core, joblib plays in this very process, which strategies may end.
    """
    from joblib._dask import DaskDistributedBackend

    class DaskBackend(DaskDistributedBackend):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def submit(self, func: Any, callback: Callable[[Any], None] | None = None) -> Future[Any]:
            future: Future[Any] = super().submit(func, callback)
            future.add_done_callback(
                lambda done: callback(done) if callback and done.exception() is not None else None
            )
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, Future):
                return out.result()
            return super().retrieve_result_callback(out)

    return DaskBackend


@contextmanager
def ray(address: str) -> Iterator[Cluster]:
    """The workers of the Ray cluster at `address`, or of one that is started on this machine.

    Raises InputError when Ray is not installed or the cluster cannot be reached.
    """
    try:
        import ray as library
        from ray.exceptions import RayError
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise InputError("the backend ray needs Ray: pip install 'beansim[ray]'") from error
    started = not library.is_initialized()
    try:
        if started:
            library.init(address=address or None, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise InputError(f"cannot reach a Ray cluster at {address}: {_short(error)}") from error
    try:
        register_ray()
        cores = int(library.cluster_resources().get("CPU", 1))
        if cores < 2:
            raise InputError(
                "the Ray cluster has one core, where joblib plays in this very process: give it another one, "
                "or leave --backend ray out"
            )
        yield Cluster("ray", (RayError,), wave=WAVE * cores)
    finally:
        if started:
            library.shutdown()


def _short(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
