"""`beansim compare`: the same line-ups and deals under several rule sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from beansim.cli import options
from beansim.cli.playing import finish, play_plan
from beansim.errors import InputError
from beansim.experiment import Experiment, experiment_of, split_players
from beansim.report.names import for_shell

if TYPE_CHECKING:
    from beansim.simulate.workers import Workers


@click.command()
@click.option("--variants", required=True, metavar="a,b,c", help="Rule sets; each a name or FILE.toml:NAME.")
@click.option(
    "--players", "lineups", required=True, multiple=True, metavar="a,b,c", help="A line-up; may be repeated."
)
@options.deals_option("Deals, each once for every seating [10000].")
@options.seed_option(1)
@options.seatings_option()
@options.keep_option()
@options.workers_options()
@click.option(
    "--out", type=options.FOLDER, metavar="DIR", help="Folder of the results [reports/compare-...]."
)
@click.option("--replace", is_flag=True, help="Delete another run that lies in that folder.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one object for each quantity.")
@options.quiet_option()
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    *,
    variants: str,
    lineups: tuple[str, ...],
    workers: Workers,
    out: Path | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> None:
    """Play the same line-ups and deals under several variants and tell the differences.

    The first variant is what the others are compared with. Each line-up must have as many players as
    every variant allows. What is told: length, coins and their spread, wins of strategies and seats,
    deals, run-outs, harvest values. Results and the whole report go to one folder.

    Example:  beansim compare --variants base,two-pass --players trader,generous,miser,collector
    """
    from beansim.report.helper import Helper

    helper = ctx.with_resource(Helper())
    plan = _plan(variants, lineups, settings)
    folder = out or Path("reports") / plan.name
    command = _command_line(variants, lineups, plan)
    outcome = play_plan(folder, plan, quiet, workers, helper, command=command, replace=replace)
    finish(ctx, outcome, quiet, helper, _as_json if as_json else _as_text)


def _plan(variants: str, lineups: tuple[str, ...], settings: dict[str, Any]) -> Experiment:
    names = [name.strip() for name in variants.split(",")]
    if len(names) < 2 or not all(names):
        raise InputError(f"--variants {variants!r}: expected two or more rule sets, with commas")
    given = {name: value for name, value in settings.items() if value is not None}
    made = experiment_of(
        "compare", names, [split_players(text) for text in lineups], **{"keep": "summary", **given}
    )
    called = list(made.variants)
    return made.retitled(
        f"compare-{'-'.join(called)}", f"{' against '.join([called[0], ', '.join(called[1:])])}"
    )


def _command_line(variants: str, lineups: tuple[str, ...], plan: Experiment) -> str:
    """The command that reproduces the comparison; jobs and folders left out."""
    words = ["beansim", "compare", "--variants", variants]
    for text in lineups:
        words += ["--players", text]
    words += ["--deals", str(plan.deals), "--seed", str(plan.seed), "--seatings", plan.seatings]
    return for_shell(words)


def _as_text(folder: Path) -> str:
    from beansim.analysis.run import Run
    from beansim.report.comparison import comparison_text
    from beansim.report.text import terminal_width

    return comparison_text(Run.read(folder), terminal_width())


def _as_json(folder: Path) -> str:
    from beansim.analysis.run import Run
    from beansim.report.comparison import comparison

    return json.dumps(comparison(Run.read(folder)).to_dicts(), indent=1)
