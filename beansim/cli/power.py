"""`beansim power`: how many deals a difference takes to be seen, from a pilot."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from beansim.cli import options
from beansim.errors import StrategyError
from beansim.experiment import (
    MAX_DEALS,
    ArmPlan,
    Changes,
    Experiment,
    find_experiment,
    read_experiment,
    strategy_folders,
)
from beansim.report.text import aligned, filled

if TYPE_CHECKING:
    from beansim.analysis.power import Goal, Need
    from beansim.simulate.tallies import Tallies
    from beansim.simulate.workers import Workers

PILOT = 200


@click.command()
@click.argument("experiment", required=False)
@click.option(
    "--difference",
    type=click.FloatRange(0, min_open=True),
    required=True,
    metavar="D",
    help="Difference to be seen, in the metric's unit (0.01 of win_share is one win in 100).",
)
@options.players_option(False, "Line-up: one strategy for each seat.")
@click.option("--variant", metavar="V", help="Rule set [base].")
@click.option("--against", metavar="V2", help="A second rule set, on the same deals.")
@click.option("--metric", default="win_share", show_default=True, metavar="M", help="What is compared.")
@options.probability_option("--alpha", 0.05, "Level of the two-sided test.")
@click.option(
    "--power",
    "wanted",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    metavar="P",
    help="Chance of seeing the difference where it is real.",
)
@click.option(
    "--pilot",
    type=click.IntRange(2, MAX_DEALS),
    default=PILOT,
    show_default=True,
    metavar="N",
    help="Deals that are played to find out.",
)
@options.seatings_option()
@options.seed_option(1)
@options.workers_options()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@options.quiet_option()
@click.pass_context
def power(
    ctx: click.Context,
    /,
    *,
    experiment: str | None,
    difference: float,
    players: tuple[str, ...] | None,
    variant: str | None,
    against: str | None,
    metric: str,
    alpha: float,
    wanted: float,
    pilot: int,
    seatings: str | None,
    seed: int,
    workers: Workers,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say how many deals it takes to see a difference, from a pilot.

    Compared are the strategies of a line-up within the same deals, and rule sets or other arms on common
    deals: those of EXPERIMENT, or one line-up by --players under --variant and --against.
    """
    from beansim.analysis.metrics import find_metric
    from beansim.analysis.power import Goal, needs

    if (experiment is None) == (players is None) or (experiment and against):
        raise click.UsageError("name an EXPERIMENT, or a line-up by --players (and --against)", ctx)
    goal = Goal(difference, alpha, wanted)
    find_metric(metric)
    changes = Changes(deals=pilot, seed=seed, seatings=seatings, keep="summary")
    plan = _plan(experiment, players, variant, against).changed(changes)
    tallies, seconds = _play(plan, workers, quiet)
    names = [arm.name for arm in plan.build()]
    found = needs(tallies, names, metric, goal)
    games = sum(tally.games for tally in tallies.arms)
    speed = Speed(games / pilot, games / seconds)
    click.echo(
        json.dumps(_data(found, speed), indent=1)
        if as_json
        else "\n".join(_lines(found, goal, metric, pilot, speed))
    )
    _check_errors(tallies)


class Speed:
    """Games that a deal takes, and games a second in the pilot."""

    def __init__(self, games_per_deal: float, games_per_second: float) -> None:
        self.games_per_deal = games_per_deal
        self.games_per_second = games_per_second

    def games(self, deals: int) -> int:
        """Games in so many deals of all arms."""
        return round(deals * self.games_per_deal)

    def seconds(self, deals: int) -> float:
        """Time that so many deals take as the pilot went."""
        return self.games(deals) / self.games_per_second


def _plan(
    text: str | None, players: tuple[str, ...] | None, variant: str | None, against: str | None
) -> Experiment:
    if text is not None:
        plan = read_experiment(find_experiment(text)).changed(Changes(variant=variant))
        return replace(plan, stop=None, expect=())
    variants = [variant or "base", *([against] if against else [])]
    arms = tuple(ArmPlan(variant=name, players=players or ()) for name in variants)
    return Experiment(name="power", arms=arms, where="power", folders=strategy_folders())


def _play(plan: Experiment, workers: Workers, quiet: bool) -> tuple[Tallies, float]:
    """The pilot, and the seconds that it took."""
    from beansim.analysis.power import play_pilot
    from beansim.cli.progress import StatusLine
    from beansim.engine import warm
    from beansim.simulate.looks import Ways

    done = 0
    with StatusLine(quiet) as status:
        warm(plan.build())

        def played(games: int) -> None:
            nonlocal done
            done += games
            status.update(f"pilot: {done:,} games")

        started = time.perf_counter()
        tallies = play_pilot(plan, Ways(replace(workers, note=status.note), played=played))
        return tallies, time.perf_counter() - started


def _lines(found: list[Need], goal: Goal, metric: str, pilot: int, speed: Speed) -> Iterator[str]:
    from beansim.analysis.metrics import find_metric
    from beansim.analysis.power import SAFETY
    from beansim.report.numbers import percent

    unit = find_metric(metric)
    yield filled(
        f"To see a difference of {goal.difference:g} in {unit.title} with a power of "
        f"{percent(goal.power, 0)} (two-sided, alpha {goal.alpha:g}), from a pilot of {pilot:,} deals:"
    )
    yield ""
    head = ("comparison", "seen in the pilot", "spread of a block", "deals", "safe", "games", "time", "note")
    yield aligned([head, *(_row(one, unit.share, speed) for one in found)])
    yield ""
    yield filled(
        f"safe: deals that are enough with a probability of {percent(SAFETY, 0)}, since the pilot's spread "
        "is uncertain; games and time are for these, all arms together, at the speed of the pilot"
    )


def _row(one: Need, share: bool, speed: Speed) -> tuple[str, ...]:
    from beansim.report.names import plain
    from beansim.report.numbers import count, interval

    seen = interval(one.pilot.mean, one.pilot.low, one.pilot.high, share=share, sign=True)
    spread = f"{one.deviation * (100 if share else 1):.3g}{' in 100' if share else ''}"
    # Whether the pilot itself settles the difference is not the question here.
    note = one.pilot.note.replace("undecided", "") or "-"
    if one.deals is None or one.safe_deals is None:
        return (plain(one.what), seen, "-", "-", "-", "-", "-", note)
    games, seconds = speed.games(one.safe_deals), speed.seconds(one.safe_deals)
    return (
        plain(one.what),
        seen,
        spread,
        count(one.deals),
        count(one.safe_deals),
        count(games),
        _time(seconds),
        note,
    )


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _data(found: list[Need], speed: Speed) -> list[dict[str, Any]]:
    return [
        {
            "comparison": one.what,
            "pilot": one.pilot.mean,
            "deviation": None if one.deals is None else one.deviation,
            "deals": one.deals,
            "safe_deals": one.safe_deals,
            "games": None if one.safe_deals is None else speed.games(one.safe_deals),
        }
        for one in found
    ]


def _check_errors(tallies: Tallies) -> None:
    failures = sum(sum(tally.errors.values()) for tally in tallies.arms)
    if failures:
        raise StrategyError(
            f"{failures:,} games of the pilot ended with a strategy's error; see beansim check"
        )
