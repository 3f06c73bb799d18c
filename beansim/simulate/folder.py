"""A run folder: what a run leaves on disk, written so that a kill at any moment loses one chunk at most.

Every file is written aside and renamed. A chunk exists once its tally file does, which is written
last and holds the checksums of the chunk's other files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from beansim.errors import InputError
from beansim.reading import MAX_RESULT_BYTES, parse_json, read_limited
from beansim.simulate.chunks import Chunk, Filled
from beansim.simulate.columns import write_rows
from beansim.simulate.tallies import Tallies

FORMAT = 1
RUN_FILES = (
    "experiment.json",
    "run.json",
    "timing.json",
    "errors.json",
    "sample.jsonl",
    "watched.json",
    "chunks/games-*.parquet",
    "chunks/seats-*.parquet",
    "chunks/tally-*.json",
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
"""Files of a run and its report: `remove_run` deletes these and no others."""


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
        try:
            self.chunks.mkdir(parents=True, exist_ok=True)
            self.write_json("experiment.json", experiment)
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
        for pattern in RUN_FILES:
            for path in self.path.glob(pattern):
                path.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for this process; InputError when another one is at it."""
        with (self.path / ".lock").open("w") as handle:
            _lock(handle, self.path)
            yield

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

    def write_json(self, name: str, data: Mapping[str, Any]) -> None:
        """Write a JSON file for people to read too."""
        write_aside(self.path / name, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())

    def write_lines(self, name: str, lines: Iterator[str]) -> None:
        """Write a text file line by line."""
        write_aside(self.path / name, "".join(f"{line}\n" for line in lines).encode())

    # --- chunks ---

    def write_chunk(self, filled: Filled, run_outs: int) -> None:
        """Store a chunk; once this returns it will be found again."""
        number = filled.chunk.number
        files: dict[str, str] = {}
        for table, parts in (("games", filled.games), ("seats", filled.seats)):
            if parts:
                path = self.chunks / f"{table}-{number:05d}.parquet"
                with _aside(path) as aside:
                    write_rows(aside, parts, run_outs)
                    files[path.name] = _checksum(aside.read_bytes())
        write_aside(self._tally_path(number), _tally_text(filled, files))

    def read_tallies(self, chunk: Chunk) -> Tallies | None:
        """Tallies of a stored chunk; None when it is missing or any of its files is damaged."""
        try:
            data = parse_json(self._tally_path(chunk.number).read_bytes())
            tallies = _read_tallies(data, chunk)
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


def _tally_text(filled: Filled, files: Mapping[str, str]) -> bytes:
    body = _compact({**filled.tallies.to_dict(), "files": dict(files)})
    # The checksum goes in front, so that the rest is the text that was hashed.
    return f'{{"sha256":"{_checksum(body.encode())}",{body[1:]}\n'.encode()


def _read_tallies(data: dict[str, Any], chunk: Chunk) -> Tallies:
    digest = data.pop("sha256")
    if _checksum(_compact(data).encode()) != digest:
        raise InputError(f"chunk {chunk.number} is damaged")
    tallies = Tallies.from_dict(data)
    if tallies.cross.ranges != ((chunk.first, chunk.first + chunk.deals),):
        raise InputError(f"chunk {chunk.number} is of another run")
    return tallies


def _compact(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def _aside(path: Path) -> Iterator[Path]:
    """A path to write to; what was written there becomes `path` at the end, whole or not at all."""
    aside = path.with_name(f".{path.name}.part")
    try:
        yield aside
        with aside.open("rb") as handle:
            os.fsync(handle.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write_aside(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with _aside(path) as aside:
        aside.write_bytes(content)


def _lock(handle: IO[str], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows has no flock; two runs in one folder are then the user's care.
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError(
            f"another process is writing to {path}; wait for it or choose another --out"
        ) from error
