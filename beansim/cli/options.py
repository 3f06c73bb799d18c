"""Options that mean the same in every command."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from beansim.errors import InputError
from beansim.experiment import KEEPS, MAX_DEALS, MAX_SEED, SEATING_MODES, split_players
from beansim.rules import MAX_PLAYERS

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


class _Folder(click.Path):
    """A folder to write to. An empty name, as of an unset shell variable, is none, not the current one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("the name is empty, expected a folder", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _Folder(file_okay=False, path_type=Path)


def seed_option(default: int | None) -> Decorator:
    """`--seed`: fixes all luck."""
    text = "Fixes all luck." if default is not None else "Fixes all luck; instead of the experiment's."
    return click.option(
        "--seed", type=click.IntRange(0, MAX_SEED), default=default, show_default=True, metavar="S", help=text
    )


def players_option(required: bool, text: str) -> Decorator:
    """`--players a,b:margin=1,c`: one strategy for each seat, as a tuple."""
    return click.option("--players", metavar="a,b,c", required=required, callback=_line_up, help=text)


def _line_up(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    try:
        return None if value is None else split_players(value)
    except InputError as error:
        raise click.BadParameter(str(error)) from error


def variant_option(text: str, default: str | None = None) -> Decorator:
    """`--variant V`: the name of a variant, or `FILE.toml:NAME` for one of a file."""
    return click.option("--variant", metavar="V", default=default, show_default=True, help=text)


def jobs_option() -> Decorator:
    """`--jobs`: workers at a time."""
    return click.option(
        "--jobs",
        type=click.IntRange(-1),
        default=-1,
        show_default="one on each core",
        metavar="J",
        callback=_some_jobs,
        help="Workers at a time. Results do not depend on it.",
    )


def _some_jobs(ctx: click.Context, param: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 workers cannot play; use 1 or more, or -1 for one on each core")
    return value


def workers_options() -> Decorator:
    """`--jobs`, `--backend`, `--scheduler`, `--time-limit`: the command gets them as one `workers`."""
    choices = (
        jobs_option(),
        click.option(
            "--backend",
            type=click.Choice(["threads", "processes", "dask", "ray"]),
            help="What the workers are: threads start at once, processes survive a strategy that crashes or "
            "hangs, dask and ray are clusters. [threads if all strategies come with beansim, else processes]",
        ),
        click.option(
            "--scheduler", metavar="ADDRESS", help="Where the cluster is, for dask as in tcp://host:8786."
        ),
        click.option(
            "--time-limit",
            type=click.FloatRange(0),
            default=300,
            show_default=True,
            metavar="SECONDS",
            help="Stop a strategy that holds up a batch for longer, or one game for a tenth of it; 0: never.",
        ),
    )

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def collected(
            *words: Any,
            jobs: int,
            backend: str | None,
            scheduler: str | None,
            time_limit: float,
            **others: Any,
        ) -> Any:
            from beansim.simulate.workers import Workers

            workers = Workers(jobs, backend or "", scheduler or "", time_limit)
            return command(*words, workers=workers, **others)

        made: Command = collected
        for option in reversed(choices):
            made = option(made)
        return made

    return decorate


def players_count_option() -> Decorator:
    """`--players-count`: seats at the table."""
    return click.option(
        "--players-count",
        type=click.IntRange(2, MAX_PLAYERS),
        default=4,
        show_default=True,
        metavar="N",
        help="Seats at the table.",
    )


def probability_option(name: str, default: float, text: str) -> Decorator:
    """An option that is the probability of an error."""
    return click.option(
        name,
        type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
        default=default,
        show_default=True,
        metavar="P",
        help=text,
    )


def deals_option(
    text: str = "Deals each arm plays, once for every seating; instead of the experiment's.",
) -> Decorator:
    """`--deals`: how many deals each arm plays."""
    return click.option("--deals", type=click.IntRange(1, MAX_DEALS), metavar="N", help=text)


def seatings_option() -> Decorator:
    """`--seatings`: how the line-up is seated."""
    return click.option(
        "--seatings",
        type=click.Choice(SEATING_MODES),
        help="Seat the line-up in every rotation, in every order, or as written.",
    )


def keep_option() -> Decorator:
    """`--keep`: what is stored."""
    return click.option(
        "--keep",
        type=click.Choice(KEEPS),
        help="Store every game, or only the sums that a report needs.",
    )


def quiet_option() -> Decorator:
    """`--quiet`: no progress and no notes."""
    return click.option("--quiet", is_flag=True, help="No progress and no notes; errors are still shown.")
