"""Things that go wrong while `beansim run` is at work, done to a real process on purpose."""

from __future__ import annotations

import errno
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

CODE = """
import sys
from beansim.simulate import chunks
chunks.CHUNK_GAMES = chunks.SLOW_CHUNK_GAMES = int(sys.argv.pop(1))
from beansim.cli.main import main
main()
"""
"""The command line with small chunks, so that there is much to lose."""

PATIENCE = 900.0
TIMES = ("timing.json", ".lock")
"""Files that are about the time it took."""
WITH_TIMES = ("index.html", "report.md")
"""Files that tell that time in one line."""


@dataclass
class Chaos:
    """One run, and what is done to it.

    Attributes:
        out: folder of the run.
        words: arguments of the first `beansim run`.
        chunk: games in a chunk.
        luck: decides what goes wrong, when and where.
    """

    out: Path
    words: list[str]
    chunk: int
    luck: random.Random

    def start(self, **more: object) -> subprocess.Popen[str]:
        """Begin the run or go on with it."""
        begun = (self.out / "experiment.json").exists()
        words = ["--resume", str(self.out)] if begun else [*self.words, "--out", str(self.out)]
        command = [sys.executable, "-c", CODE, str(self.chunk), "run", *words, "--jobs", "2"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)

    def finish(self, **more: object) -> tuple[int, str]:
        """Let it run to its end: exit code and what it said."""
        process = self.start(**more)
        said = process.communicate(timeout=PATIENCE)[0]
        return process.returncode, said

    def chunks(self) -> list[Path]:
        """The chunks that are stored."""
        return sorted(self.out.glob("chunks/tally-*.json"))

    def when_at_work(self, process: subprocess.Popen[str], more: int = 1) -> None:
        """Wait until so many chunks were written by this process, or it has ended, and a moment longer."""
        began = time.time()
        until = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < until:
            new = [path for path in self.chunks() if path.stat().st_mtime >= began]
            if len(new) >= more:
                time.sleep(self.luck.uniform(0, 0.5))
                return
            time.sleep(0.02)

    # --- what goes wrong ---

    def kill_parent(self) -> None:
        """The process dies at any moment after it has begun: also before its first chunk."""
        process = self.start()
        workers: list[psutil.Process] = []
        if self.luck.random() < 0.3:
            time.sleep(self.luck.uniform(0.5, 6))
        else:
            self.when_at_work(process)
        if process.poll() is None:
            workers = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        _, alive = psutil.wait_procs(workers, timeout=60)
        assert not alive, f"workers outlive their parent: {alive}"
        process.communicate()

    def kill_worker(self) -> None:
        """A worker dies; the run must go on by itself, until the parent dies too."""
        process = self.start()
        self.when_at_work(process)
        workers = _workers(process)
        if workers:
            victim = self.luck.choice(workers)
            victim.kill()
            self.when_at_work(process)
        if process.poll() is not None:
            assert process.returncode == 0, process.communicate()[0]
        process.kill()
        process.communicate()

    def damage(self) -> None:
        """A file of a chunk loses its end, or one bit, or is emptied, or is gone."""
        files = [path for path in self.out.glob("chunks/*") if path.name[0] != "."]
        if not files:
            return
        path = self.luck.choice(files)
        content = bytearray(path.read_bytes())
        way = self.luck.randrange(4) if content else 0
        if way == 0:
            path.unlink()
        elif way == 1:
            path.write_bytes(content[: self.luck.randrange(len(content))])
        elif way == 2:
            content[self.luck.randrange(len(content))] ^= 1 << self.luck.randrange(8)
            path.write_bytes(content)
        else:
            path.write_bytes(b"")

    def fill_disk(self) -> None:
        """The disk is full but for a little: the run must say so and keep what it has."""
        ballast = self.out.parent / "ballast"
        with ballast.open("wb", buffering=0) as handle:
            try:
                while True:
                    handle.write(b"\0" * 4096)
            except OSError as error:
                full = error.errno == errno.ENOSPC
        assert full, "no tmpfs"
        with ballast.open("rb+") as handle:
            handle.truncate(max(0, ballast.stat().st_size - self.luck.randrange(4096, 200_000)))
        try:
            code, said = self.finish()
        finally:
            ballast.unlink()
        assert code == 0 or "No space left on device" in said, said
        assert "Traceback" not in said

    def small_files(self) -> None:
        """No file may grow beyond a few kilobytes: what a full disk is without a disk to fill."""
        import resource

        most = self.luck.randrange(2_000, 20_000)
        code, said = self.finish(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        assert code != 0, said
        assert "File too large" in said, said
        assert "Traceback" not in said, said


def _workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    if process.poll() is not None:
        return []
    children = psutil.Process(process.pid).children(recursive=True)
    return [child for child in children if "resource_tracker" not in " ".join(child.cmdline())]


Fault = Callable[[], None]


def contents(folder: Path) -> dict[str, bytes]:
    """Every result file, the time it took left out."""
    found = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in TIMES
    }
    for name in WITH_TIMES:
        lines = found[name].splitlines()
        found[name] = b"\n".join(line for line in lines if b"time" not in line.lower())
    return found
