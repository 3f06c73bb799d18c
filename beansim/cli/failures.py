"""Tells the errors of strategies in a match or a tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from beansim.experiment import Experiment
    from beansim.simulate.contest import ContestTally

TOLD = 3
"""Errors that are told in full."""


def tell_failures(experiment: Experiment, tally: ContestTally) -> None:
    """Tell on stderr which games ended with a strategy's error, and what that left out."""
    from beansim.simulate.looks import first_errors

    if not tally.failures:
        return
    for message in first_errors(experiment, tally)[:TOLD]:
        click.echo(f"error: {message}", err=True)
    click.echo(
        f"error: {tally.failures:,} of {tally.games:,} games ended with a strategy's error; "
        f"{tally.excluded:,} deals are left out",
        err=True,
    )
