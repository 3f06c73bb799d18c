"""`beansim tournament`: strategies that all meet one another, rated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beansim.cli import options
from beansim.cli.failures import tell_failures
from beansim.errors import InputError, StrategyError
from beansim.experiment import MAX_DEALS, SEATING_MODES, strategy_folders
from beansim.report.names import for_shell
from beansim.report.text import aligned, filled

if TYPE_CHECKING:
    from beansim.analysis.tournament import TournamentPlan
    from beansim.report.tournament import Standing
    from beansim.simulate.contest import ContestTally
    from beansim.simulate.workers import Workers

FORMATS = ("round-robin", "one-against-all", "gauntlet")
DEALS = 500

WIDEST_MATRIX = 10
"""Strategies of which the whole matrix is shown; the files hold all of it."""


@click.command()
@click.argument("strategies", nargs=-1, metavar="STRATEGY...")
@click.option(
    "--all", "everyone", is_flag=True, help="Every compiled strategy of this workspace and of beansim."
)
@click.option(
    "--format",
    "how",
    type=click.Choice(FORMATS),
    default="round-robin",
    show_default=True,
    help="Every mixture, each one alone against copies of each other one, or the first against all mixtures.",
)
@click.option("--copies/--no-copies", default=True, help="Line-ups that hold a strategy more than once, too.")
@options.variant_option("Rule set, a name or FILE.toml:NAME.", default="base")
@options.players_count_option()
@click.option(
    "--seatings",
    type=click.Choice(SEATING_MODES),
    default="rotate",
    show_default=True,
    help="Seat each line-up in every rotation, in every order, or as written.",
)
@click.option(
    "--deals",
    type=click.IntRange(1, MAX_DEALS),
    default=DEALS,
    show_default=True,
    metavar="N",
    help="Deals that every line-up plays, once for every seating.",
)
@options.seed_option(1)
@options.workers_options()
@click.option("--out", type=options.FOLDER, metavar="DIR", help="Write tables and report.md to this folder.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@options.quiet_option()
@click.pass_context
def tournament(
    ctx: click.Context,
    /,
    *,
    strategies: tuple[str, ...],
    everyone: bool,
    how: str,
    copies: bool,
    variant: str,
    players_count: int,
    seatings: str,
    deals: int,
    seed: int,
    workers: Workers,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Let strategies meet at tables of all mixtures, rate them, and tell who beats whom.

    STRATEGY is a name with optional parameters, or a file of your own.

    Exit code 4 means that games ended with a strategy's error.
    """
    from beansim.analysis.tournament import TournamentPlan

    if everyone == bool(strategies):
        raise click.UsageError("name the strategies, or take --all", ctx)
    plan = TournamentPlan(
        strategies=_everyone() if everyone else strategies,
        format=how,
        copies=copies,
        variant=variant,
        players=players_count,
        seatings=seatings,
        deals=deals,
        seed=seed,
    )
    tally = _play(plan, workers, out, as_json, quiet)
    _show(plan, tally, out, as_json, quiet)
    tell_failures(plan.experiment(), tally)
    ctx.exit(StrategyError.exit_code if tally.failures else 0)


def _everyone() -> tuple[str, ...]:
    from beansim.strategy import available, load

    folders = strategy_folders()
    return tuple(name for name in sorted(available(folders)) if load(name, folders).compiled)


def command_line(plan: TournamentPlan) -> str:
    """The command that plays the same tournament again."""
    words = ["beansim", "tournament", *plan.strategies, "--format", plan.format, "--variant", plan.variant]
    words += [] if plan.copies else ["--no-copies"]
    words += ["--players-count", str(plan.players), "--seatings", plan.seatings]
    return for_shell([*words, "--deals", str(plan.deals), "--seed", str(plan.seed)])


def _play(
    plan: TournamentPlan, workers: Workers, out: Path | None, as_json: bool, quiet: bool
) -> ContestTally:
    """Play to the end; on Ctrl-C the deals that are complete are shown."""
    from beansim.analysis.tournament import play_tournament
    from beansim.cli.progress import RunProgress
    from beansim.simulate.looks import Ways

    tally: ContestTally | None = None
    done = 0
    with RunProgress(quiet) as progress:
        total = plan.games

        def played(games: int) -> None:
            nonlocal done
            done += games
            progress.update(done, total)

        try:
            for after_look in play_tournament(
                plan, Ways(replace(workers, note=progress.note), played=played)
            ):
                tally = after_look
        except KeyboardInterrupt:
            progress.stop()
            if tally is not None:
                _show(plan, tally, out, as_json, quiet)
            raise
    assert tally is not None
    return tally


def _show(plan: TournamentPlan, tally: ContestTally, out: Path | None, as_json: bool, quiet: bool) -> None:
    from beansim.report.export import summary_json
    from beansim.report.tournament import Standing, tournament_data

    standing, command = Standing.of(plan, tally), command_line(plan)
    if out is not None:
        _write(standing, command, out, quiet)
    if as_json:
        click.echo(summary_json(tournament_data(standing, command)), nl=False)
    else:
        click.echo(_text(standing, command))


def _text(standing: Standing, command: str) -> str:
    from beansim.report.tournament import STANDINGS, facts, matrix, sentences, standings

    columns = STANDINGS.columns
    rows = [[cell.text for cell in row] for row in STANDINGS.rows(standings(standing))]
    parts = [
        filled(facts(standing)),
        "",
        aligned([[column.heading for column in columns], *rows], keys=2),
        "",
    ]
    if len(standing.order) <= WIDEST_MATRIX:
        note = filled("wins in 100 a head; * beyond doubt (Holm over all pairs)")
        parts += [aligned(matrix(standing)), note, ""]
    parts += [*map(filled, sentences(standing)), "", command]
    return "\n".join(parts)


def _write(standing: Standing, command: str, out: Path, quiet: bool) -> None:
    from beansim.report.export import summary_json, write_tables
    from beansim.report.tournament import all_frames, to_markdown, tournament_data

    try:
        out.mkdir(parents=True, exist_ok=True)
        write_tables(all_frames(standing), out / "tables", ("csv", "parquet"))
        (out / "report.md").write_text(to_markdown(standing, command), encoding="utf-8")
        (out / "tournament.json").write_text(
            summary_json(tournament_data(standing, command)), encoding="utf-8"
        )
    except OSError as error:
        raise InputError(
            f"cannot write to the folder {out}: {error.strerror}; choose another --out"
        ) from error
    if not quiet:
        click.echo(f"report: {out / 'report.md'}", err=True)
