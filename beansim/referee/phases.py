"""The phases of a turn, the deal before them and the end after them: setup, begin, end.

`setup` clears what belongs to one phase, `begin` does what happens by itself, `verify_end` names
what is still to do, `following` tells the next phase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from beansim.referee.actions import Discard, Plant, harvest_field
from beansim.referee.illegal import IllegalAction
from beansim.referee.table import full_deck
from beansim.referee.winner import find_winner
from beansim.rules import Rules

if TYPE_CHECKING:
    from beansim.referee.game import Game

PhaseName = Literal["deal", 1, 2, 3, 4, "end"]


class Phase:
    """One phase; the base class forbids everything and does nothing by itself."""

    name: PhaseName
    step: Literal["", "reveal", "draw"] = ""
    """What happens in this phase card by card: nothing, cards turned up, or cards drawn."""
    sources: tuple[str, ...] = ()
    """Where the cards planted in this phase come from."""

    def setup(self, game: Game) -> None:
        """Clear what is counted within one phase."""
        game.planted = 0
        game.step_done = False
        game.discarded = False

    def begin(self, game: Game) -> None:
        """Do what happens by itself at the start of the phase."""

    def verify_end(self, game: Game) -> None:
        """Raise IllegalAction naming what must still be done before the phase can end."""

    def finish(self, game: Game) -> None:
        """Do what happens by itself at the end of the phase."""

    def after_step(self, game: Game) -> None:
        """The cards of the phase's step are all there."""

    def following(self, game: Game) -> PhaseName:
        """The phase that comes next."""
        raise NotImplementedError

    def plantable(self, game: Game, seat: int) -> list[str]:
        """The cards of which `seat` may plant one now."""
        return []

    def verify_plant(self, game: Game, plant: Plant) -> None:
        """Raise IllegalAction unless the card is one that its seat may plant now."""
        raise IllegalAction("RULES 1.2 planting", "no cards are planted in this phase")

    def verify_discard(self, game: Game, discard: Discard) -> None:
        """Raise IllegalAction unless the card is one that its seat may discard now."""
        raise IllegalAction("RULES 2.5", "single cards are discarded in steps 1 and 2 of the Duel alone")


class Deal(Phase):
    """The hands are dealt, `hands[i]` cards in a row to the i-th seat from the start (RULES 1.2)."""

    name = "deal"

    def begin(self, game: Game) -> None:
        """The full deck waits to be shuffled; then the hands are dealt."""
        game.table.discards = full_deck(game.rules)
        seats = game.clockwise(game.start)
        game.step.demands = [[seat, n] for seat, n in zip(seats, game.rules.hands, strict=True) if n]
        game.step.awaits_shuffle = True

    def verify_end(self, game: Game) -> None:
        """The deal ends by itself."""
        raise IllegalAction("RULES 1.2 deal", "the deal ends by itself with the last hand")

    def following(self, game: Game) -> PhaseName:
        """The first turn."""
        return 1


class PlantHand(Phase):
    """Phase 1: the front card must be planted, a second may, a third never (RULES 1.2)."""

    name: PhaseName = 1
    sources = ("hand",)

    def begin(self, game: Game) -> None:
        """A turn begins."""
        begin_turn(game)

    def verify_end(self, game: Game) -> None:
        """A hand that is not empty plants its front card."""
        if not game.planted and game.table.seats[game.active].hand:
            raise IllegalAction("RULES 1.2 phase 1", f"seat {game.active} must plant its front card")

    def following(self, game: Game) -> PhaseName:
        """Phase 2."""
        return 2

    def plantable(self, game: Game, seat: int) -> list[str]:
        """The front card of the active seat, until two are planted."""
        if seat != game.active or game.planted >= 2:
            return []
        return game.table.seats[seat].hand[:1]

    def verify_plant(self, game: Game, plant: Plant) -> None:
        """The front card of the active seat's hand, at most twice."""
        hand = game.table.seats[plant.seat].hand
        if plant.seat != game.active or plant.source != "hand":
            raise IllegalAction("RULES 1.2 phase 1", f"seat {game.active} plants from its hand now")
        if game.planted >= 2:
            raise IllegalAction("RULES 1.2 phase 1", "a third card is never planted from the hand")
        if not hand or hand[0] != plant.bean:
            front = hand[0] if hand else "none, the hand is empty"
            raise IllegalAction("RULES 1.2 phase 1", f"the front card is planted: {front}")


class RevealAndTrade(Phase):
    """Phase 2: cards are turned up, then deals with the active seat as a party (RULES 1.2)."""

    name = 2
    step = "reveal"

    def verify_end(self, game: Game) -> None:
        """The reveal is not optional (A17)."""
        if not game.step_done:
            raise IllegalAction("RULES A17", f"{game.rules.reveal} cards are revealed in phase 2")

    def following(self, game: Game) -> PhaseName:
        """Phase 3."""
        return 3


class PlantAside(Phase):
    """Phase 3: every card set aside is planted, the active seat first, then clockwise (A12)."""

    name = 3
    sources = ("revealed", "received")

    def verify_end(self, game: Game) -> None:
        """No card lies aside any more (C34)."""
        seat = planting_seat(game)
        if seat is not None:
            raise IllegalAction(
                "RULES 1.2 phase 3", f"seat {seat} must plant {', '.join(cards_aside(game, seat))} first"
            )

    def following(self, game: Game) -> PhaseName:
        """Phase 4, or the end when the game is ending: nobody draws any more."""
        return "end" if game.ending else 4

    def plantable(self, game: Game, seat: int) -> list[str]:
        """Whatever the seat has aside, when all before it are done."""
        return cards_aside(game, seat) if seat == planting_seat(game) else []

    def verify_plant(self, game: Game, plant: Plant) -> None:
        """A card from the named place of the seat whose turn it is to plant."""
        seat = planting_seat(game)
        if seat is None:
            raise IllegalAction("RULES 1.2 phase 3", "no card lies aside, so none is planted in phase 3")
        if plant.seat != seat:
            raise IllegalAction("RULES A12", f"seat {seat} plants its cards first")
        heap: list[str] = []
        if plant.source == "received":
            heap = game.table.seats[seat].received
        elif plant.source == "revealed" and seat == game.active:
            heap = game.table.revealed
        if plant.bean not in heap:
            raise IllegalAction("RULES 1.2 phase 3", f"seat {seat} has no {plant.source} {plant.bean} aside")


class DrawCards(Phase):
    """Phase 4: cards are drawn to the back of the hand (RULES 1.2, 2.1)."""

    name = 4
    step = "draw"

    def verify_end(self, game: Game) -> None:
        """The draw is not optional."""
        if not game.step_done:
            raise IllegalAction("RULES 1.2 phase 4", "cards are drawn before the turn ends")

    def following(self, game: Game) -> PhaseName:
        """The next turn."""
        return 1


class End(Phase):
    """Final harvests from the start seat on, field by field, then the winner (RULES 1.2, A13, A15)."""

    name = "end"

    def begin(self, game: Game) -> None:
        """Harvest everything, ignoring protection (A15), and score."""
        for number in game.clockwise(game.start):
            for place, own in enumerate(game.table.seats[number].fields):
                if own.cards:
                    harvest_field(game, number, place, "final")
        seats = game.table.seats
        game.winner = find_winner(game.rules, seats, game.start)
        coins, hand = [len(seat.earnings) for seat in seats], [len(seat.hand) for seat in seats]
        told = {"why": game.ending, "coins": coins, "hand": hand, "winner": game.winner, "turns": game.turn}
        game.write("end", told)

    def verify_end(self, game: Game) -> None:
        """Nothing follows."""
        raise IllegalAction("RULES 1.2 run-out", "the game is over")


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


def begin_turn(game: Game) -> None:
    """A turn begins with the next seat clockwise, the first with the start seat."""
    if game.turn:
        game.active = (game.active + 1) % game.rules.players
    game.turn += 1
    game.write("turn", {"seat": game.active})


_STANDARD: dict[PhaseName, Phase] = {
    phase.name: phase for phase in (Deal(), PlantHand(), RevealAndTrade(), PlantAside(), DrawCards(), End())
}
_DUEL: dict[PhaseName, Phase] = _STANDARD | {
    phase.name: phase for phase in (HandleOffer(), PlantOrDiscardHand(), TurnUp())
}


def phases_of(rules: Rules) -> dict[PhaseName, Phase]:
    """The phases of a rule set, by the names that records give them."""
    return _DUEL if rules.turn == "duel" else _STANDARD


def cards_aside(game: Game, seat: int) -> list[str]:
    """Cards that `seat` has to plant in phase 3: received ones, and the revealed ones it kept."""
    received = game.table.seats[seat].received
    return [*game.table.revealed, *received] if seat == game.active else received


def planting_seat(game: Game) -> int | None:
    """The seat whose turn it is to plant in phase 3; None when nothing lies aside (A12)."""
    if game.table.revealed:
        return game.active
    seats = game.table.seats
    players = game.rules.players
    for step in range(players):
        number = (game.active + step) % players
        if seats[number].received:
            return number
    return None
