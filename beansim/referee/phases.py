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


def begin_turn(game: Game) -> None:
    """A turn begins with the next seat clockwise, the first with the start seat."""
    if game.turn:
        game.active = (game.active + 1) % game.rules.players
    game.turn += 1
    game.write("turn", {"seat": game.active})


STANDARD: dict[PhaseName, Phase] = {
    phase.name: phase for phase in (Deal(), PlantHand(), RevealAndTrade(), PlantAside(), DrawCards(), End())
}
"""The phases of RULES 1.2, by the names that records give them."""


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
