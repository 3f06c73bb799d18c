"""`beansim check`: does a strategy keep its contract, does the engine keep the rules?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from beansim.cli import options
from beansim.errors import StrategyError
from beansim.experiment import MAX_DEALS, strategy_folders
from beansim.report.text import aligned

if TYPE_CHECKING:
    from beansim.checking.contract import Finding

STRATEGY_DEALS, ENGINE_DEALS = 200, 10
SIGNS = {True: "pass", False: "FAIL", None: "-"}


@click.command()
@click.argument("strategy", metavar="STRATEGY|FILE.py[:Class]", required=False)
@click.option("--engine", is_flag=True, help="Check the engine instead, with every strategy and variant.")
@click.option(
    "--deals",
    type=click.IntRange(1, MAX_DEALS),
    metavar="N",
    help=f"Deals at each table [{STRATEGY_DEALS}; of the engine {ENGINE_DEALS}].",
)
@options.seed_option(1)
@click.option(
    "--bounds/--no-bounds",
    default=True,
    help="Play with every index of the engine checked too (compiles it apart, the first time).",
)
@click.pass_context
def check(
    ctx: click.Context, /, *, strategy: str | None, engine: bool, deals: int | None, seed: int, bounds: bool
) -> None:
    """Check that a strategy keeps its contract, or that the engine keeps the rules.

    STRATEGY is a name, or a file of your own. Checked are: it compiles, answers legally at tables of
    every size, plays the same by the same seed, compiled as interpreted, without a look at hidden
    cards. With --engine, games of every variant are played compiled, with interpreted hooks and with the
    whole engine interpreted, and replayed in the referee: the first difference is printed as a record.

    Exit status is 0 when everything holds and 1 when something does not.
    """
    if engine == (strategy is not None):
        raise click.UsageError("name a STRATEGY, or check the engine with --engine", ctx)
    holds = (
        _check_engine(deals or ENGINE_DEALS, seed)
        if strategy is None
        else _check_strategy(strategy, deals or STRATEGY_DEALS, seed, bounds)
    )
    ctx.exit(0 if holds else 1)


def _check_strategy(text: str, deals: int, seed: int, bounds: bool) -> bool:
    from beansim.checking.contract import CHECKS, check_strategy
    from beansim.strategy import load

    try:
        entrant = load(text, strategy_folders())
    except StrategyError as error:
        # A file that cannot even be imported has failed the first check.
        click.echo(f"compiles  FAIL  {error}")
        return False
    checks = [name for name in CHECKS if bounds or "bounds" not in name]
    findings = list(_told(check_strategy(entrant, deals, seed, checks)))
    click.echo(aligned([(found.check, SIGNS[found.passed], found.detail) for found in findings]))
    failed = sum(found.passed is False for found in findings)
    verdict = f"{failed} of {len(findings)} checks FAIL" if failed else "keeps its contract"
    click.echo(f"\n{entrant.label}: {verdict}")
    return not failed


def _told(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Findings as they come, the running check on stderr where that is a terminal."""
    for found in findings:
        if sys.stderr.isatty():
            click.echo(f"\r\033[K{found.check}: {SIGNS[found.passed]}", err=True)
        yield found


def _check_engine(deals: int, seed: int) -> bool:
    from beansim.checking.differential import WAYS, compare
    from beansim.checking.tables import every_table

    games = 0
    for arm in every_table():
        found = compare(arm, seed, 0, deals)
        if found is not None:
            click.echo(f"{found}", err=True)
            for event in found.events:
                click.echo(json.dumps(event, separators=(",", ":"), ensure_ascii=False))
            return False
        games += deals * len(arm.seatings)
        players = ",".join(entrant.label for entrant in arm.lineup)
        click.echo(f"{arm.name}: {deals} games of {players} agree", err=True)
    click.echo(f"{games:,} games played compiled agree with {', '.join(WAYS)}")
    return True
