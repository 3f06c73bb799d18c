"""Who wins: most coins, then the tie rule of the rule set (RULES 1.2, A13)."""

from __future__ import annotations

from beansim.referee.table import Seat
from beansim.rules import Rules


def find_winner(rules: Rules, seats: list[Seat], start: int) -> int | list[int]:
    """The winning seat, or the seats that share the win where the rule set shares it.

    Args:
        rules: the rule options; `tie` is the one that matters.
        seats: earnings and hands after the final harvests.
        start: the start seat, from which the walk of the seat rule begins.
    """
    best = max(len(seat.earnings) for seat in seats)
    tied = [number for number, seat in enumerate(seats) if len(seat.earnings) == best]
    if rules.tie == "last_seat":
        return max(tied, key=lambda number: (number - start) % rules.players)
    most = max(len(seats[number].hand) for number in tied)
    tied = [number for number in tied if len(seats[number].hand) == most]
    return tied[0] if len(tied) == 1 else tied
