"""`beansim replay`: does a recorded game keep the rules?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from beansim.referee import Verdict, bounded_lines, replay_lines


@click.command()
@click.argument(
    "records",
    metavar="RECORD...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True),
)
@click.option("--quiet", is_flag=True, help="Print departures and the count only.")
def replay(records: tuple[str, ...], quiet: bool) -> None:
    """Replay recorded games in the referee and say whether each keeps the rules.

    RECORD is a file of games as JSON lines; - reads them from stdin. The first departure of a game
    is named with its line, the event, the section of the rules and what they require. Exit status
    is 0 when every game holds, 1 when one does not, 2 when a file is missing.
    """
    games = held = 0
    for record in records:
        found = 0
        for verdict in _verdicts(record):
            found += 1
            held += verdict.holds
            if not (quiet and verdict.holds):
                click.echo(str(verdict))
        if not found:
            click.echo(f"{record}: holds no game")
        games += max(found, 1)
    click.echo(f"{games} {'game' if games == 1 else 'games'}, {held} hold, {games - held} do not")
    sys.exit(0 if held == games else 1)


def _verdicts(record: str) -> Iterator[Verdict]:
    name = "stdin" if record == "-" else record
    with _opened(record) as stream:
        yield from replay_lines(bounded_lines(stream), name)


@contextmanager
def _opened(record: str) -> Iterator[BinaryIO]:
    if record == "-":
        yield sys.stdin.buffer
        return
    with Path(record).open("rb") as stream:
        yield stream
