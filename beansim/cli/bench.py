"""`beansim bench`: how fast games are played, and what compiling, storing and reporting cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from beansim.experiment import Experiment, find_experiment, read_experiment
from beansim.report.text import aligned, filled

TABLES = ("hermit", "trader")
"""Strategies of which a table of four is measured: no market at all, and the whole market."""

QUESTION = "two-pass"
"""Experiment of which storing and reporting are measured."""


@click.command()
@click.option(
    "--games",
    type=click.IntRange(100),
    default=40_000,
    show_default=True,
    metavar="N",
    help="Games measured.",
)
@click.option("--cold/--no-cold", default=True, help="Measure a start without kept machine code (slow).")
@click.option(
    "--rules", is_flag=True, help="Measure instead what rule options cost that nobody makes use of."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def bench(games: int, cold: bool, rules: bool, as_json: bool) -> None:
    """Measure how fast games are played on this machine.

    Speeds are CPU time on one core, compiled beforehand; compile time stands apart, as the time from a
    new process to its first finished batch. Ratios of jobs and of storing are wall time: measure on
    a machine that does nothing else.
    """
    if rules:
        from beansim.cli.rule_costs import cost_lines, rule_costs

        costs = rule_costs(max(1, games // 20))
        click.echo(json.dumps(costs, indent=1) if as_json else "\n".join(cost_lines(costs)))
        return
    found = measure(games, TABLES, read_experiment(find_experiment(QUESTION)), cold)
    click.echo(json.dumps(found, indent=1) if as_json else "\n".join(lines(found)))


def measure(games: int, strategies: Sequence[str], question: Experiment, cold: bool) -> dict[str, Any]:
    """All measurements as plain data; the last of the strategies also stands for jobs and start."""
    from beansim.cli import measures as by
    from beansim.cli.play import build_arm
    from beansim.simulate.run import versions

    tables = {name: build_arm("base", (name,) * 4, "fixed") for name in strategies}
    last = strategies[-1]
    starts = {"warm": False, **({"cold": True} if cold else {})}
    return {
        "versions": versions(),
        "games": games,
        "speed": {f"4 {name}": by.speed(arm, games) for name, arm in tables.items()},
        "jobs": by.scaling(tables[last], games),
        "storing": by.overhead(question, games),
        "start_seconds": {name: by.start_up((last,) * 4, empty) for name, empty in starts.items()},
    }


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The measurements as text."""
    versions, jobs, store = found["versions"], found["jobs"], found["storing"]
    yield f"beansim {versions['beansim']}, numba {versions['numba']}, {found['games']:,} games\n"
    yield aligned(list(_speed_rows(found["speed"])))
    yield f"\ntwo jobs are {jobs['times_as_fast']:.2f} times as fast as one"
    yield filled(
        f"storing {store['games']:,} games takes {store['storing_seconds']:.1f} s and their report "
        f"{store['report_seconds']:.1f} s, beside {store['games_seconds']:.1f} s for the games "
        f"(a million games: {store['extra_share_of_a_million']:.0%} more)"
    )
    for name, seconds in found["start_seconds"].items():
        yield f"{name} start to the first finished batch: {seconds:.1f} s"


def _speed_rows(speeds: dict[str, dict[str, float]]) -> Iterator[tuple[str, ...]]:
    yield ("table", "games/s", "us/game", "decisions/s", "decisions/game")
    for name, one in speeds.items():
        yield (
            name,
            f"{one['games_per_second']:,.0f}",
            f"{one['microseconds_per_game']:.1f}",
            f"{one['decisions_per_second']:,.0f}",
            f"{one['decisions_per_game']:.0f}",
        )
