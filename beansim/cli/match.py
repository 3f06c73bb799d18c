"""`beansim match`: two strategies, played until it is clear which is better."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from beansim.cli import options
from beansim.cli.failures import tell_failures
from beansim.errors import StrategyError
from beansim.experiment import MAX_DEALS
from beansim.report.names import for_shell

if TYPE_CHECKING:
    from beansim.analysis.match import MatchPlan, MatchState
    from beansim.simulate.workers import Workers

CODES = {"better": 0, "not better": 1, "undecided": 3}
"""Exit code of each answer."""


@click.command()
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@options.variant_option("Rule set, a name or FILE.toml:NAME.", default="base")
@options.players_count_option()
@click.option(
    "--margin",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    metavar="D",
    help="Smallest difference in win share that matters.",
)
@options.probability_option("--alpha", 0.05, "Chance of calling A better when it is not.")
@options.probability_option("--beta", 0.05, "Chance of missing that A is better by the margin.")
@click.option(
    "--max-deals",
    type=click.IntRange(1, MAX_DEALS),
    default=100_000,
    show_default=True,
    metavar="N",
    help="Give up undecided after so many deals.",
)
@options.seed_option(1)
@options.workers_options()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@options.quiet_option()
@click.pass_context
def match(
    ctx: click.Context,
    /,
    *,
    left: str,
    right: str,
    variant: str,
    players_count: int,
    margin: float,
    alpha: float,
    beta: float,
    max_deals: int,
    seed: int,
    workers: Workers,
    as_json: bool,
    quiet: bool,
) -> None:
    """Play strategy A against strategy B until it is clear whether A is better.

    A and B sit together at every table that holds both, in every order, on the same deals. The test looks
    again and again and stops when the answer is clear; the interval holds whenever one stops.

    Exit code 0: A is better, 1: it is not (by the margin), 3: undecided, 4: games ended with a
    strategy's error.
    """
    from beansim.analysis.match import MatchPlan, same_strategy
    from beansim.analysis.sequential import SequentialTest
    from beansim.report.match import same_lines

    plan = MatchPlan(
        left=left,
        right=right,
        variant=variant,
        players=players_count,
        test=SequentialTest(margin, alpha, beta),
        max_deals=max_deals,
        seed=seed,
    )
    if same_strategy(plan):
        click.echo("\n".join(same_lines(plan, command_line(plan))))
        ctx.exit(CODES["not better"])
    state = _play(plan, workers, as_json, quiet)
    _show(state, as_json)
    tell_failures(plan.experiment(), state.tally)
    ctx.exit(StrategyError.exit_code if state.tally.failures else CODES[state.answer])


def command_line(plan: MatchPlan) -> str:
    """The command that plays the same match again."""
    test = plan.test
    words = ["beansim", "match", plan.left, plan.right, "--variant", plan.variant]
    words += ["--players-count", str(plan.players), "--margin", f"{test.margin:g}"]
    words += ["--alpha", f"{test.alpha:g}", "--beta", f"{test.beta:g}"]
    return for_shell([*words, "--max-deals", str(plan.max_deals), "--seed", str(plan.seed)])


def _play(plan: MatchPlan, workers: Workers, as_json: bool, quiet: bool) -> MatchState:
    """Play to the end; on Ctrl-C what is known so far is shown, since it is valid whenever one stops."""
    from beansim.analysis.match import play_match
    from beansim.cli.progress import StatusLine
    from beansim.report.match import live_line
    from beansim.simulate.looks import Ways

    state: MatchState | None = None
    games = 0

    with StatusLine(quiet) as status:

        def played(more: int) -> None:
            nonlocal games
            games += more
            if state is not None:
                status.update(live_line(state, games))

        try:
            for after_look in play_match(plan, Ways(replace(workers, note=status.note), played=played)):
                state = after_look
        except KeyboardInterrupt:
            if state is not None:
                _show(state, as_json)
            raise
    assert state is not None
    return state


def _show(state: MatchState, as_json: bool) -> None:
    from beansim.analysis.match import match_data
    from beansim.report.export import summary_json
    from beansim.report.match import match_lines

    command = command_line(state.plan)
    if as_json:
        click.echo(summary_json({**match_data(state), "command": command}), nl=False)
    else:
        click.echo("\n".join(match_lines(state, command)))
