"""`beansim run`: an experiment in, a report out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from beansim.cli import options
from beansim.cli.playing import finish, play_plan
from beansim.experiment import Changes, Experiment, find_experiment, read_experiment
from beansim.report.names import for_shell

if TYPE_CHECKING:
    from beansim.simulate.workers import Workers


@click.command()
@click.argument("experiment", required=False)
@options.deals_option()
@options.seed_option(None)
@options.players_option(False, "Line-up of every arm, instead of the experiment's.")
@options.variant_option("Variant of every arm, a name or FILE.toml:NAME; instead of the experiment's.")
@options.seatings_option()
@options.keep_option()
@options.workers_options()
@click.option("--out", type=options.FOLDER, metavar="DIR", help="Folder of the results [reports/NAME].")
@click.option("--replace", is_flag=True, help="Delete another run that lies in that folder.")
@click.option("--resume", type=options.FOLDER, metavar="DIR", help="Go on with the run in this folder.")
@click.option(
    "--despite-changes",
    is_flag=True,
    help="With --resume: go on although strategies' source or versions have changed since.",
)
@click.option("--audit", metavar="SHARE", help="Replay this share of the games in the referee, as in 0.1%.")
@options.quiet_option()
@click.pass_context
def run(
    ctx: click.Context,
    /,
    *,
    experiment: str | None,
    workers: Workers,
    out: Path | None,
    replace: bool,
    resume: Path | None,
    despite_changes: bool,
    audit: str | None,
    quiet: bool,
    **changed: Any,
) -> None:
    """Play EXPERIMENT and write its report.

    EXPERIMENT is a TOML file, or the name of one in ./experiments or of one that comes with beansim
    (two-pass, strategies, third-field; docs/answers.md has them all). Results and report go to one
    folder. However a run ends, what is complete is kept, and --resume goes on to the same results.

    Exit code 4 means that games ended with a strategy's error: they are reported and not counted; 1 that
    a line which the experiment expects fails or is undecided, or that the referee does not agree with a
    game of the --audit.
    """
    from beansim.report.helper import Helper

    changes, share = Changes(**changed), _read_share(audit)
    helper = ctx.with_resource(Helper())
    if resume is not None:
        if experiment or changes != Changes() or out or replace:
            raise click.UsageError("--resume goes on with a run as it was begun, and takes no changes", ctx)
        outcome = play_plan(resume, None, quiet, workers, helper, despite_changes=despite_changes)
    elif despite_changes:
        raise click.UsageError("--despite-changes goes with --resume", ctx)
    elif experiment is None:
        raise click.UsageError("name an EXPERIMENT, for example: beansim run two-pass", ctx)
    else:
        plan = _plan(experiment, changes, quiet)
        command = command_line(experiment, plan, changes)
        folder = out or Path("reports") / plan.name
        outcome = play_plan(folder, plan, quiet, workers, helper, command=command, replace=replace)
    holds = share is None or _audit(outcome.folder, share, quiet)
    finish(ctx, outcome, quiet, helper)
    ctx.exit(0 if holds and _meets_expectations(outcome.folder) else 1)


def _plan(text: str, changes: Changes, quiet: bool) -> Experiment:
    """The experiment, changed and checked; says when its expectations do not apply any more."""
    from beansim.analysis.expectations import check_expectations

    asked = read_experiment(find_experiment(text))
    plan = asked.changed(changes)
    if asked.expect and not plan.expect and not quiet:
        click.echo("what the experiment expects is about its own arms, and is not judged here", err=True)
    check_expectations(plan)
    return plan


def _meets_expectations(folder: Path) -> bool:
    """Whether every line that the experiment expects holds."""
    from beansim.analysis.expectations import judge_run
    from beansim.analysis.run import Run

    return all(one.outcome == "holds" for one in judge_run(Run.read(folder)))


def _read_share(text: str | None) -> float | None:
    if text is None:
        return None
    from beansim.checking.audit import read_share

    return read_share(text)


def _audit(folder: Path, share: float, quiet: bool) -> bool:
    """Replay a share of the games in the referee; says what it found and whether all of them hold."""
    from beansim.checking.audit import audit_run
    from beansim.cli.progress import RunProgress

    with RunProgress(quiet) as progress:
        found = audit_run(folder, share, progress.update)
    click.echo(found)
    for departure in found.departures:
        click.echo(f"error: {departure}", err=True)
    return found.passed


def command_line(text: str, plan: Experiment, changes: Changes) -> str:
    """The command that reproduces a run: deals and seed spelled out, jobs and folders left out."""
    words = ["beansim", "run", text, "--deals", str(plan.deals), "--seed", str(plan.seed)]
    for name in ("players", "variant", "seatings", "keep"):
        value = getattr(changes, name)
        if value is not None:
            words += [f"--{name}", ",".join(value) if isinstance(value, tuple) else value]
    return for_shell(words)
