"""Deals of phase 2: who may trade, which cards leave, and where they go (RULES 1.2, A8-A10, A19)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beansim.referee.actions import Action
from beansim.referee.illegal import IllegalAction

if TYPE_CHECKING:
    from beansim.referee.game import Game


@dataclass(frozen=True, slots=True)
class Card:
    """One card of a deal.

    Attributes:
        bean: its kind.
        source: ``"hand"`` or ``"revealed"``.
        position: place in the hand just before this card leaves it, 0 = front; None for revealed.
    """

    bean: str
    source: str
    position: int | None = None

    def to_dict(self) -> dict[str, object]:
        """The card as records write it."""
        data: dict[str, object] = {"bean": self.bean, "from": self.source}
        if self.source == "hand":
            data["position"] = self.position
        return data


@dataclass(frozen=True, slots=True)
class Trade(Action):
    """A closed deal of phase 2, seen from the active seat; an empty side makes it a gift.

    Attributes:
        active: the active seat.
        partner: the other party.
        gives: cards of the active seat, in the order in which they leave.
        gets: cards of the partner, in the order in which they leave.
    """

    active: int
    partner: int
    gives: tuple[Card, ...]
    gets: tuple[Card, ...]

    def verify(self, game: Game) -> None:
        """The parties, the moment, the sides and every single card are in order."""
        self._verify_moment(game)
        self._verify_sides(game)
        front_most = game.rules.copy == "front_most"
        hands = [list(game.seat(number).hand) for number in (self.active, self.partner)]
        _take_cards(self.gives, hands[0], list(game.table.revealed), front_most)
        _take_cards(self.gets, hands[1], None, front_most)

    def _verify_moment(self, game: Game) -> None:
        if not game.rules.trading:
            raise IllegalAction("RULES 1.2 phase 2", "this rule set has no trading")
        if game.phase != 2 or not game.step_done:
            raise IllegalAction("RULES 1.2 phase 2", "deals are closed in phase 2, after the reveal")
        game.seat(self.partner)
        if self.active != game.active or self.partner == self.active:
            raise IllegalAction(
                "RULES 1.2 phase 2",
                f"the active seat {game.active} is a party of every deal, with one other seat",
            )

    def _verify_sides(self, game: Game) -> None:
        if not self.gives and not self.gets:
            raise IllegalAction("RULES A19", "nothing against nothing is no deal")
        if not game.rules.gifts and not (self.gives and self.gets):
            raise IllegalAction("RULES A10", "this rule set has no gifts: both sides give a card")

    def do(self, game: Game) -> None:
        """Cards leave one by one and lie aside with the other party until phase 3."""
        active, partner = game.table.seats[self.active], game.table.seats[self.partner]
        _take_cards(self.gives, active.hand, game.table.revealed, False)
        _take_cards(self.gets, partner.hand, None, False)
        partner.received += [card.bean for card in self.gives]
        active.received += [card.bean for card in self.gets]
        sides = {
            "gives": [card.to_dict() for card in self.gives],
            "gets": [card.to_dict() for card in self.gets],
        }
        game.write("trade", {"active": self.active, "partner": self.partner, **sides})


def _take_cards(
    cards: tuple[Card, ...], hand: list[str], revealed: list[str] | None, front_most: bool
) -> None:
    """Remove the cards one by one, refusing each that is not there; `revealed` is None for a partner."""
    for card in cards:
        if card.source == "revealed":
            if revealed is None or card.bean not in revealed:
                raise IllegalAction(
                    "RULES 1.2 phase 2", f"there is no revealed {card.bean} for this side to give"
                )
            revealed.remove(card.bean)
        elif card.source == "hand":
            _verify_hand_card(card, hand, revealed or [], front_most)
            del hand[card.position or 0]
        else:
            raise IllegalAction(
                "RULES 1.2 phase 2", f"cards come from the hand or the revealed ones, not {card.source!r}"
            )


def _verify_hand_card(card: Card, hand: list[str], revealed: list[str], front_most: bool) -> None:
    position = -1 if card.position is None else card.position
    if not 0 <= position < len(hand) or hand[position] != card.bean:
        raise IllegalAction("RULES 1.2 phase 2", f"there is no {card.bean} at hand position {card.position}")
    if not front_most:
        return
    if card.bean in revealed:
        raise IllegalAction("RULES A9", f"the revealed {card.bean} leaves before those in hand")
    if hand.index(card.bean) != position:
        raise IllegalAction(
            "RULES A8", f"the front-most {card.bean} leaves first, position {hand.index(card.bean)}"
        )
