"""`beansim tune`: search a strategy's parameters."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from beansim.cli import options
from beansim.errors import InputError
from beansim.experiment import MAX_DEALS, MAX_SEED, strategy_folders
from beansim.report.names import for_shell

METRICS = ("win_share", "coins")
METHODS = ("cma", "tpe", "random")
SHAPES = ("one", "many")


def _numbers(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        return tuple(dict.fromkeys(int(piece) for piece in value.split(",")))
    except ValueError as error:
        raise click.BadParameter(f"{value!r}: expected whole numbers with commas, such as 3,4,5") from error


def _shapes(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    pieces = tuple(dict.fromkeys(piece.strip() for piece in value.split(",")))
    if not set(pieces) <= set(SHAPES):
        raise click.BadParameter(f"{value!r}: expected one, many or one,many")
    return pieces


def read_budget(text: str) -> tuple[int, float]:
    """Trials and seconds out of `200`, `90s`, `5m` or `1h`; one of the two is 0."""
    match = re.fullmatch(r"(\d+)([smh]?)", text.strip())
    if not match or int(match[1]) == 0:
        raise InputError(f"--budget {text!r}: expected a number of trials, or a time such as 90s, 5m or 1h")
    number, unit = int(match[1]), match[2]
    return (0, number * {"s": 1.0, "m": 60.0, "h": 3600.0}[unit]) if unit else (number, 0.0)


@click.command()
@click.argument("strategy")
@click.option(
    "--opponents",
    default="trader",
    show_default=True,
    metavar="a,b",
    help="Opponents, each at tables of its own.",
)
@click.option(
    "--budget", default="100", show_default=True, metavar="N", help="Trials in all, or a time such as 5m."
)
@click.option(
    "--metric", type=click.Choice(METRICS), default="win_share", show_default=True, help="What to maximise."
)
@click.option("--method", type=click.Choice(METHODS), default="cma", show_default=True, help="How to search.")
@click.option("--only", default="", metavar="p,q", help="Tune these parameters alone.")
@click.option(
    "--seats",
    default="4",
    show_default=True,
    callback=_numbers,
    metavar="N,M",
    help="Numbers of players at the tables.",
)
@click.option(
    "--shapes",
    default="one",
    show_default=True,
    callback=_shapes,
    metavar="one,many",
    help="One STRATEGY among copies of an opponent, many of it with one opponent, or both.",
)
@click.option("--variant", default="base", show_default=True, metavar="V", help="Rule set.")
@click.option(
    "--deals", type=click.IntRange(2, MAX_DEALS), default=1000, show_default=True, help="Deals of a trial."
)
@click.option(
    "--fresh-deals",
    type=click.IntRange(2, MAX_DEALS),
    default=10_000,
    show_default=True,
    help="Deals of the validation.",
)
@click.option("--baseline/--no-baseline", default=True, help="Search at random as well, with as many trials.")
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), default=1, show_default=True, help="Fixes all luck."
)
@options.jobs_option()
@click.option(
    "--out", type=options.FOLDER, metavar="DIR", help="Folder of trials and report [reports/tune-NAME]."
)
@options.quiet_option()
def tune(*, strategy: str, out: Path | None, quiet: bool, **chosen: Any) -> None:
    """Search the parameters of STRATEGY, within their bounds, for values that win more.

    All trials play the same deals; hopeless ones are given up early. The same command again goes on where it
    stopped. What was found is measured on fresh deals against the values it started from and against
    random search, and printed as it is written in a line-up.

    Needs the extra: pip install 'beansim[tune]'
    """
    _check_installed()
    from beansim.tuning import tune as search
    from beansim.tuning.report import summary_lines, write_tuning

    trials, seconds = read_budget(chosen["budget"])
    space, objective, settings = _built(strategy, trials, seconds, quiet, chosen)
    folder = out or Path("reports") / f"tune-{space.entrant.name}"
    tuning = search(space, objective, settings, folder)
    write_tuning(tuning, folder, for_shell(["beansim", *sys.argv[1:]]))
    for line in summary_lines(tuning):
        click.echo(line, err=True)
    click.echo(tuning.best.line_up)


def _built(
    strategy: str, trials: int, seconds: float, quiet: bool, chosen: dict[str, Any]
) -> tuple[Any, ...]:
    """The space, the objective and the settings that the options ask for."""
    from beansim.experiment import split_players
    from beansim.strategy import load
    from beansim.tuning.objective import Objective
    from beansim.tuning.space import Space
    from beansim.tuning.study import Settings

    folders = strategy_folders()
    only = tuple(piece.strip() for piece in chosen["only"].split(",") if piece.strip())
    space = Space.of(strategy, only, folders)
    opponents = tuple(load(spec, folders) for spec in split_players(chosen["opponents"]))
    same = {name: chosen[name] for name in ("seats", "shapes", "variant", "metric", "seed", "jobs")}
    settings = Settings(
        trials=trials,
        seconds=seconds,
        note=(lambda text: None) if quiet else (lambda text: click.echo(text, err=True)),
        **{name: chosen[name] for name in ("method", "deals", "fresh_deals", "seed", "baseline")},
    )
    return space, Objective(opponents, **same), settings


def _check_installed() -> None:
    try:
        import cma  # noqa: F401
        import optuna  # noqa: F401
    except ImportError as error:
        raise InputError(f"{error.name} is not installed; try: pip install 'beansim[tune]'") from error
