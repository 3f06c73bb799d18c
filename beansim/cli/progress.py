"""Progress and notes on stderr: a live line in a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from rich.status import Status

PLAIN_SECONDS = 10.0
"""Seconds between two lines where there is no terminal."""


class _Told:
    """Notes on stderr, and what else is shown there; use as a context manager.

    rich draws what is live in a terminal. It is imported when there is something to draw: the first games
    shall not wait for it.

    Attributes:
        quiet: show nothing at all.
    """

    _live: Progress | Status | None = None

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.terminal = sys.stderr.isatty() and not quiet
        self._told = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the live line off the screen."""
        if self._live is not None:
            self._live.stop()

    def note(self, text: str) -> None:
        """Show one line that stays."""
        if self._live is not None:
            self._live.console.print(text, markup=False, highlight=False, soft_wrap=True)
        elif not self.quiet:
            click.echo(text, err=True)

    def note_now_and_then(self, text: str) -> None:
        """Show a line where there is no terminal, unless one was shown a moment ago."""
        if time.perf_counter() - self._told > PLAIN_SECONDS:
            self._told = time.perf_counter()
            self.note(text)


class RunProgress(_Told):
    """Shows games done, games a second and time left; use as a context manager."""

    def __init__(self, quiet: bool = False) -> None:
        super().__init__(quiet)
        self._started = time.perf_counter()
        self._first: int | None = None
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` games are played."""
        if self._first is None:
            self._first, self._started = done, time.perf_counter()
            return
        if self.terminal:
            self._update_bar(done, total)
        else:
            self.note_now_and_then(f"{done:,} of {total:,} games, {self._speed(done):,.0f} games/s")

    def _update_bar(self, done: int, total: int) -> None:
        if self._bar is None:
            self._live = self._bar = _bar()
            self._task = self._bar.add_task("games", total=total, games="", speed="")
            self._bar.start()
        assert self._task is not None
        games = f"{done:,} of {total:,} games"
        self._bar.update(self._task, completed=done, games=games, speed=f"{self._speed(done):,.0f} games/s")

    def _speed(self, done: int) -> float:
        """Games a second since this process began to play."""
        return (done - (self._first or 0)) / max(time.perf_counter() - self._started, 1e-9)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        BarColumn(),
        TextColumn("{task.fields[games]}"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True, highlight=False),
        auto_refresh=True,
        transient=True,
    )


class StatusLine(_Told):
    """One line that is kept up to date in a terminal, and printed now and then elsewhere."""

    def update(self, text: str) -> None:
        """Show how things stand."""
        if not self.terminal:
            self.note_now_and_then(text)
            return
        from rich.console import Console
        from rich.text import Text

        if self._status is None:
            self._live = self._status = Console(stderr=True, highlight=False).status("")
        self._status.update(Text(text, no_wrap=True, overflow="ellipsis"))
        self._status.start()

    _status: Status | None = None
