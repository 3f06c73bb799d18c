"""`beansim bench`: how fast games are played, and what compiling, storing, memory and reports cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import click

from beansim.cli.figures import Figure, Measured, differences, in_turns, machine, read_measured, table
from beansim.experiment import Changes, Experiment, find_experiment, read_experiment
from beansim.report.text import filled
from beansim.simulate.chunks import CHUNK_GAMES

TABLES = ("hermit", "trader")
"""Strategies of which a table of four is measured: no market at all, and the whole market."""

QUESTION = "two-pass"
"""Experiment of which storing and reporting are measured, with hermits, whose games are over soonest."""

LEAST_SECONDS = 0.1
"""Timings shorter than this say little."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured.

    Attributes:
        games: of each timing of a table.
        repeats: of everything but the cold start and the run, which are measured once.
        chunk: games of the chunk that is stored.
        run: games of the run whose memory and report are measured.
        cold: measure a cold start too.
    """

    games: int
    repeats: int
    chunk: int = CHUNK_GAMES
    run: int = 500_000
    cold: bool = True


@click.command()
@click.option(
    "--games",
    type=click.IntRange(100),
    default=40_000,
    show_default=True,
    metavar="N",
    help="Games of each timing.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="Repeats of each timing.",
)
@click.option("--cold/--no-cold", default=True, help="Measure a start without kept machine code (slow).")
@click.option(
    "--rules", is_flag=True, help="Measure instead what rule options cost that nobody makes use of."
)
@click.option(
    "--json", "to", type=click.File("w", encoding="utf-8", lazy=True), metavar="FILE", help="Write as JSON."
)
@click.option(
    "--against",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OLD.json",
    help="Show ratios to what --json wrote at another time.",
)
@click.pass_context
def bench(
    ctx: click.Context,
    /,
    *,
    games: int,
    repeats: int,
    cold: bool,
    rules: bool,
    to: IO[str] | None,
    against: Path | None,
) -> None:
    """Measure how fast games are played on this machine.

    Machines are noisy: everything is measured in repeats that take turns, of which the best and the
    median are shown; a ratio that is no larger than the difference of the two is called noise. Speeds of
    tables and tallies are CPU time on one core, compiled beforehand; everything else is wall time.
    """
    if rules:
        if against:
            raise click.UsageError("--against compares what is measured without --rules", ctx)
        _rule_costs(games, to)
        return
    old = read_measured(against) if against else None
    found = measure(Sizes(games, repeats, cold=cold), question())
    if to is not None:
        to.write(found.text())
    if to is None or to.name != "-":
        click.echo("\n".join(lines(found, old)))


def _rule_costs(games: int, to: IO[str] | None) -> None:
    from beansim.cli.rule_costs import cost_lines, rule_costs

    costs = rule_costs(max(1, games // 20))
    if to is not None:
        to.write(json.dumps(costs, indent=1) + "\n")
    else:
        click.echo("\n".join(cost_lines(costs)))


def question() -> Experiment:
    """What is stored and reported: many short games."""
    return read_experiment(find_experiment(QUESTION)).changed(Changes(players=("hermit",) * 4))


def measure(sizes: Sizes, asked: Experiment, tables: tuple[str, ...] = TABLES) -> Measured:
    """Measure everything; the last of the tables also stands for jobs and start."""
    from beansim.cli import measures as by
    from beansim.cli.play import build_arm
    from beansim.simulate.run import versions

    arms = {name: build_arm("base", (name,) * 4, "fixed") for name in tables}
    last = tables[-1]
    repeated = [
        *(by.speed(f"four {name}s", arm, sizes.games) for name, arm in arms.items()),
        *(by.jobs(_jobs(last, number), arms[last], sizes.games, number) for number in (1, 2)),
        by.storing(asked, sizes.chunk),
        by.help_text,
        by.start((last,) * 4),
    ]
    once = [by.whole_run(asked, sizes.run), *([by.start((last,) * 4, cold=True)] if sizes.cold else [])]
    figures = (*in_turns(repeated, sizes.repeats), *in_turns(once, 1))
    return Measured(versions(), machine(), sizes.games, figures, tuple(_notes(sizes, figures)))


def _jobs(name: str, number: int) -> str:
    return f"four {name}s, {('one job', 'two jobs')[number - 1]}"


def _notes(sizes: Sizes, figures: tuple[Figure, ...]) -> Iterator[str]:
    from beansim.cli.measures import SLICE_SECONDS

    yield (
        f"a slice takes {SLICE_SECONDS * 1000:.0f} ms: the fastest shows what the core does while nobody "
        "else takes its time"
    )
    yield f"the run: {sizes.run:,} games of hermits, --keep summary; it and the cold start were measured once"
    short = [one.name for one in figures if one.unit == "games/s" and sizes.games / one.best < LEAST_SECONDS]
    if short:
        yield (
            f"too small to tell: {sizes.games:,} games take less than {LEAST_SECONDS} s "
            f"({'; '.join(short)}); give more --games"
        )
    if sizes.chunk < CHUNK_GAMES:
        yield f"too small to tell: tallies and storing of {sizes.chunk:,} games, a chunk has {CHUNK_GAMES:,}"


def lines(found: Measured, old: Measured | None = None) -> Iterator[str]:
    """The measurements as text, beside those of another time."""
    versions, host = found.versions, found.machine
    by = ", ".join(f"{name} {versions[name]}" for name in ("beansim", "numba", "python") if name in versions)
    yield f"{by}; {host['processor']}, {host['cores']} cores"
    most = max(figure.repeats for figure in found.figures)
    yield f"{found.games:,} games a timing; best and median of {most} repeats that took turns\n"
    yield table(found, old)
    yield ""
    rates = {figure.name: figure.best for figure in found.figures}
    for name, rate in rates.items():
        one = name.replace(", two jobs", ", one job")
        if one != name and one in rates:
            yield f"two jobs are {rate / rates[one]:.2f} times as fast as one"
    yield from map(filled, found.notes)
    if old is not None:
        yield from differences(found, old)
