"""Games that cannot be played to an end, because a strategy ends or holds up the process that plays them.

Nothing comes back from such a game, so it gets a row that says so, and the games around it are played.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from beansim.engine.batch import Arm, Batch, play
from beansim.engine.events import LOG_COLUMNS
from beansim.engine.state import GAMES_DTYPE, SEATS_DTYPE


@dataclass(frozen=True, slots=True, order=True)
class LostGame:
    """A game that cannot be played to an end.

    Attributes:
        arm: number of the arm.
        deal, seating: the game.
        status: `status.CRASHED` or `status.HUNG`.
        seat, hook: who was asked what; -1 where that is not known.
        turn: turns begun.
    """

    arm: int
    deal: int
    seating: int
    status: int
    seat: int = -1
    hook: int = -1
    turn: int = 0


def play_around(
    arm: Arm,
    seed: int,
    first_deal: int,
    deals: int,
    lost: Collection[LostGame] = (),
    *,
    log: bool = False,
) -> Batch:
    """Play as `play` does, but for the `lost` games: each gets a row with its status and no log."""
    found = {
        (game.deal, game.seating): game
        for game in lost
        if game.arm == arm.number and first_deal <= game.deal < first_deal + deals
    }
    if not found:
        return play(arm, seed, first_deal, deals, log=log)
    return _joined(list(_pieces(arm, seed, first_deal, deals, found, log)), log)


def _pieces(
    arm: Arm, seed: int, first: int, deals: int, found: dict[tuple[int, int], LostGame], log: bool
) -> Iterator[Batch]:
    """Batches in the order of deals and seatings; a deal with a lost game is played game by game."""
    past = first + deals
    for deal in sorted({deal for deal, _ in found}):
        yield play(arm, seed, first, deal - first, log=log)
        for seating in range(len(arm.seatings)):
            game = found.get((deal, seating))
            yield _row_of(arm, seed, game) if game else _play_one(arm, seed, deal, seating, log)
        first = deal + 1
    yield play(arm, seed, first, past - first, log=log)


def _play_one(arm: Arm, seed: int, deal: int, seating: int, log: bool) -> Batch:
    batch = play(replace(arm, seatings=(arm.seatings[seating],)), seed, deal, 1, log=log)
    batch.games["seating"] = seating
    batch.seats["seating"] = seating
    return batch


def _row_of(arm: Arm, seed: int, game: LostGame) -> Batch:
    nothing = play(arm, seed, game.deal, 0)
    games, seats = np.zeros(1, GAMES_DTYPE), np.zeros(arm.rules.players, SEATS_DTYPE)
    for rows in (games, seats):
        rows["deal"], rows["arm"], rows["seating"] = game.deal, arm.number, game.seating
    games["status"], games["turns"] = game.status, game.turn
    games["error_seat"], games["error_hook"] = game.seat, game.hook
    seats["seat"], seats["entry"] = np.arange(arm.rules.players), arm.seatings[game.seating]
    no_events = np.zeros((0, LOG_COLUMNS), np.int16)
    return replace(nothing, games=games, seats=seats, logs=[no_events])


def _joined(pieces: Sequence[Batch], log: bool) -> Batch:
    errors: dict[int, BaseException] = {}
    rows = 0
    for piece in pieces:
        errors |= {rows + row: error for row, error in piece.errors.items()}
        rows += len(piece.games)
    return replace(
        pieces[0],
        games=np.concatenate([piece.games for piece in pieces]),
        seats=np.concatenate([piece.seats for piece in pieces]),
        harvests=_sum([piece.harvests for piece in pieces]),
        trades=_sum([piece.trades for piece in pieces]),
        decisions=sum(piece.decisions for piece in pieces),
        errors=errors,
        logs=[events for piece in pieces for events in piece.logs] if log else [],
    )


def _sum(arrays: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    total: np.ndarray[Any, Any] = np.sum(arrays, axis=0)
    return total
