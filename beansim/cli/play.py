"""`beansim play`: one game after the other, told in lines or recorded."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import click

from beansim.cli import options
from beansim.cli.deck import read_deck
from beansim.errors import InputError, StrategyError
from beansim.experiment import MAX_DEALS, experiment_of

if TYPE_CHECKING:
    from beansim.engine import Arm, Batch


TEXT_FILE = click.File(encoding="utf-8")
NEW_FILE = click.File("w", encoding="utf-8", lazy=True)


@click.command()
@options.variant_option("Rule set, a name or FILE.toml:NAME.", default="base")
@options.players_option(True, "Line-up: one strategy for each seat, the first one starts.")
@options.seed_option(1)
@click.option(
    "--deal", type=click.IntRange(0, MAX_DEALS), default=0, metavar="D", help="Number of the deal [0]."
)
@click.option(
    "--games", type=click.IntRange(1), default=1, metavar="N", help="Games, each of the next deal [1]."
)
@click.option("--seating", type=click.IntRange(0), default=0, metavar="I", help="Number of the seating [0].")
@options.seatings_option()
@click.option("--deck", type=TEXT_FILE, metavar="FILE", help="Order of the first draw pile, kind by kind.")
@click.option("--coins", is_flag=True, help="Tell everyone's coins, which lie face down, at every turn.")
@click.option("--record", type=NEW_FILE, metavar="FILE", help="Write records instead (JSON Lines).")
@click.pass_context
def play(
    ctx: click.Context,
    /,
    *,
    variant: str,
    players: tuple[str, ...],
    seed: int,
    deal: int,
    games: int,
    seating: int,
    seatings: str | None,
    deck: IO[str] | None,
    coins: bool,
    record: IO[str] | None,
) -> None:
    """Play games and tell them, move by move.

    The game (seed, deal, seating) is the very one that `beansim run` plays. With --record the games
    are written in the record format, which `beansim replay` checks; - is the standard output.
    """
    if deck is not None and games > 1:
        raise click.UsageError("--deck gives one draw pile, so it plays one game", ctx)
    arm = build_arm(variant, players, seatings or "rotate")
    _check_seating(arm, seating)
    cards = read_deck(deck, arm.rules) if deck else None
    failures = 0
    for number in range(games):
        batch, row = _play_one(arm, seed, deal + number, seating, cards)
        _show(batch.records(row), record, coins)
        failures += _tell_failure(batch, row)
    if failures:
        ctx.exit(StrategyError.exit_code)


def build_arm(variant: str, players: tuple[str, ...], seatings: str) -> Arm:
    """The one arm of `play` and `bench`, checked like one of an experiment."""
    return experiment_of("play", [variant], [players], seatings=seatings, where="--players").build()[0]


def _check_seating(arm: Arm, seating: int) -> None:
    count = len(arm.seatings)
    if seating >= count:
        raise InputError(f"--seating {seating}: this line-up has {count} seatings, numbered from 0")


def _play_one(arm: Arm, seed: int, deal: int, seating: int, cards: list[int] | None) -> tuple[Batch, int]:
    """A logged game, as a batch and its row there."""
    from beansim.engine import play, play_deck

    if cards is None:
        return play(arm, seed, deal, 1, log=True), seating
    return play_deck(arm, seed, deal, seating, cards), 0


def _tell_failure(batch: Batch, row: int) -> bool:
    """Whether a strategy broke its contract in this game; says how."""
    from beansim.engine import describe_error

    game = batch.games[row]
    if game["status"] == 0:
        return False
    click.echo(f"error: {describe_error(batch.arm, game, batch.seed)}", err=True)
    return True


def _show(events: list[dict[str, Any]], record: IO[str] | None, coins: bool) -> None:
    from beansim.report.tell import tell
    from beansim.simulate.record import record_lines

    if record is None:
        for line in tell(events, coins):
            click.echo(line)
    else:
        record.writelines(f"{line}\n" for line in record_lines(events))
