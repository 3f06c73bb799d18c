"""Progress and notes on stderr: a live line in a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

PLAIN_SECONDS = 10.0
"""Seconds between two lines where there is no terminal."""


class RunProgress:
    """Shows games done, games a second and time left; use as a context manager.

    Attributes:
        quiet: show nothing at all.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, quiet=quiet, highlight=False)
        self._started = time.perf_counter()
        self._first: int | None = None
        self._told = self._started
        self._bar = _bar(self.console)
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the live line off the screen."""
        if self._task is not None:
            self._bar.stop()

    def note(self, text: str) -> None:
        """Show one line."""
        self.console.print(text, markup=False, soft_wrap=True)

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` games are played."""
        if self._first is None:
            self._first, self._started = done, time.perf_counter()
        if self.console.is_terminal and not self.quiet:
            self._update_bar(done, total)
        elif time.perf_counter() - self._told > PLAIN_SECONDS:
            self._told = time.perf_counter()
            self.note(f"{done:,} of {total:,} games, {self._speed(done):,.0f} games/s")

    def _update_bar(self, done: int, total: int) -> None:
        if self._task is None:
            self._task = self._bar.add_task("games", total=total, games="", speed="")
            self._bar.start()
        games = f"{done:,} of {total:,} games"
        self._bar.update(self._task, completed=done, games=games, speed=f"{self._speed(done):,.0f} games/s")

    def _speed(self, done: int) -> float:
        """Games a second since this process began to play."""
        return (done - (self._first or 0)) / max(time.perf_counter() - self._started, 1e-9)


def _bar(console: Console) -> Progress:
    return Progress(
        BarColumn(),
        TextColumn("{task.fields[games]}"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        auto_refresh=True,
        transient=True,
    )


class StatusLine:
    """One line that is kept up to date in a terminal, and printed now and then elsewhere.

    Attributes:
        quiet: show nothing at all.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, quiet=quiet, highlight=False)
        self._told = time.perf_counter()
        self._status = self.console.status("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def note(self, text: str) -> None:
        """Show one line that stays."""
        self.console.print(text, markup=False, soft_wrap=True)

    def update(self, text: str) -> None:
        """Show how things stand."""
        if self.console.is_terminal and not self.quiet:
            self._status.update(Text(text, no_wrap=True, overflow="ellipsis"))
            self._status.start()
        elif time.perf_counter() - self._told > PLAIN_SECONDS:
            self._told = time.perf_counter()
            self.note(text)
