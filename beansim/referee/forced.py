"""Forced harvests: who must plant now, whether there is no room, and what must follow (RULES 1.2, A6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beansim.referee.actions import Plant, find_homeless
from beansim.referee.illegal import IllegalAction

if TYPE_CHECKING:
    from beansim.referee.game import Game


class ForcedHarvest:
    """The forced harvest just made, until its plant follows.

    Attributes:
        seat: who made it and must plant now; None when no forced harvest is open.
        fields: fields into which the plant may go: the harvested one, and the new one that a
            field-bean harvest has earned (C52).
        beans: kinds for which there was no room, one of which must be planted.
    """

    def __init__(self) -> None:
        self.seat: int | None = None
        self.fields: list[int] = []
        self.beans: set[str] = set()

    def verify_need(self, game: Game, seat: int) -> None:
        """Refuse a forced harvest where the seat need not plant now, or has room for its card."""
        beans = game.current.plantable(game, seat)
        if not beans:
            raise IllegalAction(
                "RULES 1.2 harvest", f"seat {seat} has no card to plant now, nothing forces a harvest"
            )
        self.beans = find_homeless(game.table.seats[seat], beans)
        if not self.beans:
            raise IllegalAction(
                "RULES 1.2 harvest",
                f"seat {seat} has a matching or empty field, so the harvest is not forced",
            )

    def commit(self, seat: int, field: int) -> None:
        """The seat harvests `field` to make room, just verified: a plant of one of `beans` must follow."""
        self.seat, self.fields = seat, [field]

    def or_new_field(self, game: Game, seat: int) -> None:
        """The harvest has earned a field, which can take the card as well (C52)."""
        self.fields.append(len(game.table.seats[seat].fields) - 1)

    def verify_plant(self, plant: Plant) -> None:
        """After a forced harvest, only the plant it was made for may follow."""
        if self.seat is None:
            return
        if plant.seat != self.seat or plant.field not in self.fields or plant.bean not in self.beans:
            raise IllegalAction(
                "RULES 1.2 harvest",
                f"seat {self.seat} harvested field {self.fields[0]} to make room: the next act is planting "
                f"{' or '.join(sorted(self.beans))} there",
            )
