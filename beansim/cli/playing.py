"""Playing a plan with progress, and telling what came of it: what `run` and `compare` share."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from beansim.errors import BeansimError, InputError, StrategyError
from beansim.experiment import Experiment
from beansim.report.names import for_shell

if TYPE_CHECKING:
    from beansim.report.helper import Helper
    from beansim.simulate.run import Outcome
    from beansim.simulate.workers import Workers

TOLD = 3
"""Errors of strategies that are told in full; `errors.json` has more."""


def play_plan(
    folder: Path, plan: Experiment | None, quiet: bool, workers: Workers, helper: Helper, **ways: Any
) -> Outcome:
    """Play a new run, or what is left of the one in the folder when `plan` is None.

    The helper is started on the way, so that it can draw charts when the games are over.
    """
    from beansim.analysis.stopping import judge_of
    from beansim.cli.progress import RunProgress
    from beansim.simulate.run import Options, resume, run

    with RunProgress(quiet) as progress:
        noting = replace(workers, note=progress.note)
        ahead = _Ahead(progress.update, helper)
        chosen = Options(noting, progress=ahead.update, judge=judge_of, **ways)
        try:
            # What strategies print is none of the results.
            with contextlib.redirect_stdout(sys.stderr):
                return run(plan, folder, chosen) if plan else resume(folder, chosen)
        except InputError:
            raise
        except (KeyboardInterrupt, OSError, BeansimError):
            progress.stop()
            _say_how_to_go_on(folder)
            raise


class _Ahead:
    """Loads what a report is drawn with beside the games, from the first batch on: three seconds saved."""

    def __init__(self, progress: Callable[[int, int], None], helper: Helper) -> None:
        self.progress = progress
        self.helper = helper
        self.thread: threading.Thread | None = None

    def update(self, done: int, total: int) -> None:
        """Tell the progress; called for every batch."""
        self.progress(done, total)
        if self.thread is None:
            from beansim.report.helper import load

            self.helper.start()
            self.thread = threading.Thread(target=load, daemon=True)
            self.thread.start()


def _say_how_to_go_on(folder: Path) -> None:
    if (folder / "experiment.json").exists():
        words = f"beansim run --resume {for_shell([str(folder)])}"
        click.echo(f"what is complete is kept; go on with: {words}", err=True)


def finish(
    ctx: click.Context,
    outcome: Outcome,
    quiet: bool,
    helper: Helper,
    show: Callable[[Path], str] | None = None,
) -> None:
    """Report what there is; the exit code says whether a strategy broke its contract.

    `show` makes the text for stdout out of the run's folder; the summary by default.
    """
    from beansim.cli.summary import report_and_print

    if outcome.errors < outcome.games:
        try:
            report_and_print(outcome.folder, outcome.folder, quiet, show, helper=helper)
        except KeyboardInterrupt:
            folder = for_shell([str(outcome.folder)])
            click.echo(f"the games are complete; write their report with: beansim report {folder}", err=True)
            raise
    if outcome.errors:
        _tell_errors(outcome)
        ctx.exit(StrategyError.exit_code)


def _tell_errors(outcome: Outcome) -> None:
    for message in outcome.first_errors[:TOLD]:
        click.echo(f"error: {message}", err=True)
    click.echo(
        f"error: {outcome.errors:,} of {outcome.games:,} games ended with a strategy's error and are in no "
        f"estimate; see {outcome.folder / 'errors.json'}",
        err=True,
    )
