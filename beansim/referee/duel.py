"""The steps of the two-player Duel, which take the place of phases 1 to 3 (RULES 2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beansim.referee.actions import Discard, Plant
from beansim.referee.illegal import IllegalAction
from beansim.referee.phases import STANDARD, Phase, PhaseName, PlantHand, begin_turn
from beansim.rules import Rules

if TYPE_CHECKING:
    from beansim.referee.game import Game


class HandleOffer(Phase):
    """Step 1 of the Duel: every card on offer is planted or discarded, in any order (RULES 2.5)."""

    name = 1
    sources = ("offer",)

    def begin(self, game: Game) -> None:
        """A turn begins."""
        begin_turn(game)

    def verify_end(self, game: Game) -> None:
        """No card is left on offer."""
        if game.table.revealed:
            left = ", ".join(game.table.revealed)
            raise IllegalAction("RULES 2.5", f"seat {game.active} must plant or discard {left} first")

    def following(self, game: Game) -> PhaseName:
        """Step 2."""
        return 2

    def plantable(self, game: Game, seat: int) -> list[str]:
        """The cards on offer."""
        return game.table.revealed if seat == game.active else []

    def verify_plant(self, game: Game, plant: Plant) -> None:
        """A card on offer, planted by the active seat."""
        self._verify(game, plant.seat, plant.bean, plant.source)

    def verify_discard(self, game: Game, discard: Discard) -> None:
        """A card on offer, discarded by the active seat."""
        self._verify(game, discard.seat, discard.bean, discard.source)

    def _verify(self, game: Game, seat: int, bean: str, source: str) -> None:
        if seat != game.active or source != "offer" or bean not in game.table.revealed:
            raise IllegalAction(
                "RULES 2.5", f"seat {game.active} plants or discards cards on offer in step 1"
            )


class PlantOrDiscardHand(PlantHand):
    """Step 2 of the Duel: as phase 1 elsewhere, then one hand card may be discarded (RULES 2.5)."""

    name = 2

    def begin(self, game: Game) -> None:
        """Nothing happens by itself."""

    def following(self, game: Game) -> PhaseName:
        """Step 3."""
        return 3

    def plantable(self, game: Game, seat: int) -> list[str]:
        """As elsewhere, until a card is discarded."""
        return [] if game.discarded else super().plantable(game, seat)

    def verify_plant(self, game: Game, plant: Plant) -> None:
        """Planting comes before discarding."""
        if game.discarded:
            raise IllegalAction("RULES 2.5", "a card was discarded, which ends step 2")
        super().verify_plant(game, plant)

    def verify_discard(self, game: Game, discard: Discard) -> None:
        """One card from anywhere in the active seat's hand, after the first plant."""
        if discard.seat != game.active or discard.source != "hand" or game.discarded:
            raise IllegalAction("RULES 2.5", f"seat {game.active} discards at most one hand card in step 2")
        self.verify_end(game)
        hand, position = game.table.seats[discard.seat].hand, discard.position
        if position is None or not 0 <= position < len(hand) or hand[position] != discard.bean:
            raise IllegalAction("RULES 2.5", f"there is no {discard.bean} at hand position {position}")


class TurnUp(Phase):
    """Step 3 of the Duel: cards are turned up, matching top discards come along, any are planted."""

    name = 3
    step = "reveal"
    sources = ("revealed",)

    def verify_end(self, game: Game) -> None:
        """Cards must be turned up; none must be planted."""
        if not game.step_done:
            raise IllegalAction("RULES 2.5", f"{game.rules.reveal} cards are turned up in step 3")

    def after_step(self, game: Game) -> None:
        """While the top discard matches a card just turned up, it comes along."""
        turned = set(game.table.revealed)
        matched: list[str] = []
        discards = game.table.discards
        while game.rules.match_discards and discards and discards[-1] in turned:
            matched.append(discards.pop())
        if matched:
            game.table.revealed += matched
            game.write("match", {"seat": game.active, "beans": matched})

    def finish(self, game: Game) -> None:
        """What is not planted stays on offer."""
        if game.table.revealed:
            game.write("leave", {"seat": game.active, "beans": list(game.table.revealed)})

    def following(self, game: Game) -> PhaseName:
        """Step 4, or the end when the game is ending."""
        return "end" if game.ending else 4

    def plantable(self, game: Game, seat: int) -> list[str]:
        """The cards turned up."""
        return game.table.revealed if seat == game.active else []

    def verify_plant(self, game: Game, plant: Plant) -> None:
        """A card turned up, planted by the active seat."""
        if plant.seat != game.active or plant.source != "revealed" or plant.bean not in game.table.revealed:
            raise IllegalAction("RULES 2.5", f"seat {game.active} plants cards turned up in step 3")


DUEL: dict[PhaseName, Phase] = STANDARD | {
    phase.name: phase for phase in (HandleOffer(), PlantOrDiscardHand(), TurnUp())
}
"""The steps of the Duel, by the names that records give them."""


def phases_of(rules: Rules) -> dict[PhaseName, Phase]:
    """The phases of a rule set."""
    return DUEL if rules.turn == "duel" else STANDARD
