"""A run folder: what a run leaves on disk, written so that a kill at any moment loses one chunk at most.

Every file is written aside, forced to the disk and renamed. A chunk exists once its tally file does, which
is written last and holds the checksums of the chunk's other files and of what was played.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from beansim.errors import InputError
from beansim.reading import MAX_RESULT_BYTES, parse_json, read_limited
from beansim.simulate.chunks import Chunk, Filled
from beansim.simulate.columns import as_parquet
from beansim.simulate.tallies import Tallies

FORMAT = 1
RESULT_FILES = (
    "run.json",
    "timing.json",
    "errors.json",
    "audit.json",
    "sample.jsonl",
    "watched.json",
    "chunks/games-*.parquet",
    "chunks/seats-*.parquet",
    "chunks/tally-*.json",
)
"""Files that are read again as results of a run: a new run must not find those of another."""

REPORT_FILES = (
    "index.html",
    "report.md",
    "summary.json",
    "report.xlsx",
    "comparison.*",
    "comparison/*",
    "strategy-*.*",
    "strategy-*/*",
    "charts/*.png",
    "charts/*.svg",
    "tables/*.csv",
    "tables/*.parquet",
)
"""Files of a report: `remove_run` deletes these, those of the run, and no others."""


class RunFolder:
    """The files of one run.

    Attributes:
        path: the folder; chunks lie in its subfolder `chunks`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.chunks = path / "chunks"

    # --- opening ---

    def create(self, experiment: Mapping[str, Any]) -> None:
        """Make the folder for a new run; InputError when it holds a run or cannot be written to."""
        if self.holds_run():
            raise InputError(self._refusal(experiment))
        with self._writable():
            self._remove(RESULT_FILES)  # A --replace that was killed leaves some.
            self.write_json("experiment.json", experiment)

    @contextmanager
    def _writable(self) -> Iterator[None]:
        """InputError when what is done within cannot be written."""
        try:
            yield
        except OSError as error:
            raise InputError(
                f"cannot write to the folder {self.path}: {error.strerror}; choose another --out"
            ) from error

    def holds_run(self) -> bool:
        """Whether a run was ever started here."""
        return (self.path / "experiment.json").exists()

    def _refusal(self, experiment: Mapping[str, Any]) -> str:
        stored = self.read_json("experiment.json")
        changed = [key for key in experiment if experiment[key] != stored.get(key)]
        if not changed:
            return (
                f"{self.path} already holds this run, not finished: go on with "
                f"beansim run --resume {self.path}, or choose another --out"
            )
        details = ", ".join(_difference(key, stored.get(key), experiment[key]) for key in changed)
        advice = "choose another --out, or --replace to delete it"
        return f"{self.path} holds another run (other {details}): {advice}"

    def remove_run(self) -> None:
        """Delete the files of the run that lies here, and no others."""
        # While experiment.json is there this is a run, damaged if killed now: so it goes last.
        self._remove((*REPORT_FILES, *RESULT_FILES, "experiment.json"))

    def _remove(self, patterns: Iterable[str]) -> None:
        for pattern in patterns:
            for path in self.path.glob(pattern):
                path.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder, made if need be, for this process; InputError when another one is at it.

        The operating system holds the lock and frees it when the process ends, however it ends.
        """
        lock = FileLock(self.path / ".lock", timeout=0)
        with self._writable():
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout as error:
                raise InputError(
                    f"another process is writing to {self.path}; wait for it or choose another --out"
                ) from error
        try:
            # What a killed process had begun to write is nobody's now.
            self._remove((".*.part", "chunks/.*.part"))
            yield
        finally:
            lock.release()

    # --- small files ---

    def read_json(self, name: str) -> dict[str, Any]:
        """Read a JSON file of the run; InputError when it is missing or damaged."""
        path = self.path / name
        try:
            data = parse_json(read_limited(path, MAX_RESULT_BYTES))
        except OSError as error:
            raise InputError(f"{self.path} is no run folder: cannot read {name}: {error.strerror}") from error
        except ValueError as error:
            raise InputError(f"{path} is damaged: {error}") from error
        if not isinstance(data, dict):
            raise InputError(f"{path} is damaged: expected an object")
        return data

    def seconds_played(self) -> float:
        """Time that earlier calls have played, as far as timing.json tells."""
        try:
            seconds = self.read_json("timing.json").get("seconds")
        except InputError:
            return 0.0
        return float(seconds) if isinstance(seconds, int | float) and seconds > 0 else 0.0

    def write_json(self, name: str, data: Mapping[str, Any]) -> None:
        """Write a JSON file for people to read too."""
        write_aside(self.path / name, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())

    def write_lines(self, name: str, lines: Iterable[str]) -> None:
        """Write a text file line by line."""
        write_aside(self.path / name, "".join(f"{line}\n" for line in lines).encode())

    # --- chunks ---

    def write_chunk(self, filled: Filled, run_outs: int, played: str) -> None:
        """Store a chunk of what is `played` (`Work.digest`); once this returns it will be found again."""
        number = filled.chunk.number
        self.chunks.mkdir(exist_ok=True)
        files: dict[str, str] = {}
        for table, parts in (("games", filled.games), ("seats", filled.seats)):
            if parts:
                path = self.chunks / f"{table}-{number:05d}.parquet"
                content = as_parquet(parts, run_outs)
                files[path.name] = _checksum(content)
                write_aside(path, content)
        write_aside(self._tally_path(number), _tally_text(filled, files, played))

    def read_tallies(self, chunk: Chunk, played: str) -> Tallies | None:
        """Tallies of a stored chunk of what is `played`; None when it is missing or damaged in any file."""
        try:
            data = parse_json(self._tally_path(chunk.number).read_bytes())
            tallies = _read_tallies(data, chunk, played)
            for name, digest in data["files"].items():
                if _checksum((self.chunks / Path(name).name).read_bytes()) != digest:
                    return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, InputError):
            return None
        return tallies

    def _tally_path(self, number: int) -> Path:
        return self.chunks / f"tally-{number:05d}.json"


def _difference(key: str, old: Any, new: Any) -> str:
    return f"{key} {old} instead of {new}" if isinstance(new, int | str) and len(str(new)) < 30 else key


def _tally_text(filled: Filled, files: Mapping[str, str], played: str) -> bytes:
    body = _compact({**filled.tallies.to_dict(), "played": played, "files": dict(files)})
    # The checksum goes in front, so that the rest is the text that was hashed.
    return f'{{"sha256":"{_checksum(body.encode())}",{body[1:]}\n'.encode()


def _read_tallies(data: dict[str, Any], chunk: Chunk, played: str) -> Tallies:
    digest = data.pop("sha256")
    if _checksum(_compact(data).encode()) != digest:
        raise InputError(f"chunk {chunk.number} is damaged")
    tallies = Tallies.from_dict(data)
    if data["played"] != played or tallies.cross.ranges != ((chunk.first, chunk.first + chunk.deals),):
        raise InputError(f"chunk {chunk.number} is of another run")
    return tallies


def _compact(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_aside(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, so that it survives a loss of power once this returns."""
    aside = path.with_name(f".{path.name}.part")
    try:
        with aside.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        aside.replace(path)
        _sync_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, where a folder can be opened (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
