"""Every action of the game as a small frozen object: verify (why not?), can (may I?), do (it).

`verify` raises IllegalAction naming the rule; `do` moves the cards and writes the event and expects
a verified action. `Game.apply` does both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beansim.referee.illegal import IllegalAction
from beansim.referee.pile import REVEALED, verify_shuffle

if TYPE_CHECKING:
    from beansim.referee.game import Game
    from beansim.referee.table import Seat


class Action:
    """What a seat (or luck, or the course of the game) may do."""

    __slots__ = ()

    def verify(self, game: Game) -> None:
        """Raise IllegalAction, naming the rule and what it requires, unless the action is legal now."""
        raise NotImplementedError

    def do(self, game: Game) -> None:
        """Carry out the verified action and write its events."""
        raise NotImplementedError

    def can(self, game: Game) -> bool:
        """Whether the action is legal now, the moment included."""
        try:
            game.verify(self)
        except IllegalAction:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Shuffle(Action):
    """Luck: the discard pile (at first the full deck) becomes the draw pile.

    Attributes:
        deck: the new draw pile, next card first.
    """

    deck: tuple[str, ...]

    def verify(self, game: Game) -> None:
        """The deck holds exactly the cards of the discard pile, and a shuffle is due (A2)."""
        verify_shuffle(game, list(self.deck))

    def do(self, game: Game) -> None:
        """Put the pile down; the interrupted step goes on."""
        game.step.put_new_pile(game, list(self.deck))
        game.after_step()


@dataclass(frozen=True, slots=True)
class Reveal(Action):
    """Phase 2 opens: cards are turned up one by one (RULES 1.2)."""

    def verify(self, game: Game) -> None:
        """Once, in the phase that turns cards up."""
        if game.current.step != "reveal" or game.step_done:
            raise IllegalAction(
                "RULES 1.2 phase 2", "cards are revealed once, at the start of phase 2 (step 3 of the Duel)"
            )

    def do(self, game: Game) -> None:
        """Turn up the cards as far as the pile and the rules go."""
        game.step_done = True
        game.step.start(game, [(REVEALED, game.rules.reveal)])
        game.after_step()


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """Phase 4: the active seat draws, or everyone does (RULES 1.2, 2.1)."""

    def verify(self, game: Game) -> None:
        """Once, in phase 4."""
        if game.phase != 4 or game.step_done:
            raise IllegalAction("RULES 1.2 phase 4", "cards are drawn once, in phase 4")

    def do(self, game: Game) -> None:
        """Draw to the back of the hands as far as the pile and the rules go."""
        game.step_done = True
        take_token(game)
        rules = game.rules
        seats = game.clockwise(game.active) if rules.draws == "everyone" else [game.active]
        draws = [(seat, rules.token_draw if seat == game.token else rules.draw) for seat in seats]
        game.step.start(game, draws)
        game.after_step()


@dataclass(frozen=True, slots=True)
class EndPhase(Action):
    """The active seat (or the course of the game) ends the phase."""

    def verify(self, game: Game) -> None:
        """Everything that the phase requires is done."""
        game.current.verify_end(game)

    def do(self, game: Game) -> None:
        """Go to the next phase, the next turn, or the end of the game."""
        game.current.finish(game)
        game.enter(game.current.following(game))


@dataclass(frozen=True, slots=True)
class Plant(Action):
    """One card is planted.

    Attributes:
        seat: who plants.
        bean: the card.
        field: 0-based field of the seat.
        source: ``"hand"`` (phase 1, the front card), ``"revealed"`` or ``"received"`` (phase 3),
            ``"offer"`` (the Duel's step 1).
    """

    seat: int
    bean: str
    field: int
    source: str

    def verify(self, game: Game) -> None:
        """The card is the one to plant now, and the field can take it."""
        own = game.field(self.seat, self.field)
        game.current.verify_plant(game, self)
        if game.forced.seat is not None:
            game.forced.verify_plant(self)
        if own.bean == self.bean:
            return
        if own.bean:
            raise IllegalAction(
                "RULES 1.2 planting",
                f"field {self.field} of seat {self.seat} grows {own.bean}; "
                f"{self.bean} needs a matching or empty field",
            )
        if not game.rules.same_kind_twice and game.table.seats[self.seat].grows(self.bean):
            raise IllegalAction(
                "RULES A7", f"seat {self.seat} already grows {self.bean} and must plant it there"
            )

    def do(self, game: Game) -> None:
        """Move the card into the field."""
        seat = game.table.seats[self.seat]
        if self.source == "hand":
            del seat.hand[0]
            game.planted += 1
        elif self.source == "received":
            seat.received.remove(self.bean)
        else:  # turned up in this turn, or on offer
            game.table.revealed.remove(self.bean)
        own = seat.fields[self.field]
        own.bean = self.bean
        own.cards += 1
        game.forced.seat = None
        game.write("plant", {"seat": self.seat, "bean": self.bean, "field": self.field, "from": self.source})


@dataclass(frozen=True, slots=True)
class Discard(Action):
    """One card is discarded without being planted: the Duel's steps 1 and 2 (RULES 2.5).

    Attributes:
        seat: who discards.
        bean: the card.
        source: ``"offer"`` (step 1) or ``"hand"`` (step 2).
        position: place in the hand, 0 = front; None for a card on offer.
    """

    seat: int
    bean: str
    source: str
    position: int | None = None

    def verify(self, game: Game) -> None:
        """The card is one that may be discarded now."""
        game.seat(self.seat)
        game.current.verify_discard(game, self)

    def do(self, game: Game) -> None:
        """The card goes face up onto the discard pile."""
        told: dict[str, object] = {"seat": self.seat, "bean": self.bean, "from": self.source}
        if self.position is None:
            game.table.revealed.remove(self.bean)
        else:
            del game.table.seats[self.seat].hand[self.position]
            game.discarded = True
            told["position"] = self.position
        game.table.discards.append(self.bean)
        game.write("discard", told)


@dataclass(frozen=True, slots=True)
class Harvest(Action):
    """A whole field is harvested.

    Attributes:
        seat: whose field.
        field: 0-based field of the seat.
        why: ``"forced"`` (it makes room for the very next plant) or ``"early"`` (A6); the final
            harvests belong to the end of the game and are nobody's action.
    """

    seat: int
    field: int
    why: str

    def verify(self, game: Game) -> None:
        """The field may be harvested (protection, A5) and the moment allows it (A6)."""
        if not game.field(self.seat, self.field).cards:
            raise IllegalAction("RULES 1.2 harvest", f"field {self.field} of seat {self.seat} is empty")
        if game.table.is_protected(self.seat, self.field):
            raise IllegalAction(
                "RULES 1.2 protection",
                f"field {self.field} of seat {self.seat} holds a single bean "
                "and is protected by its other fields",
            )
        self._verify_reason(game)

    def _verify_reason(self, game: Game) -> None:
        if self.why == "forced":
            game.forced.verify_need(game, self.seat)
        elif self.why != "early":
            raise IllegalAction("RULES 1.2 scoring", "final harvests happen at the end of the game only")
        elif game.rules.harvest == "forced":
            raise IllegalAction("RULES A6", "fields are harvested only to make room and at the end")
        elif game.rules.harvest == "own_turn" and self.seat != game.active:
            raise IllegalAction(
                "RULES A6", f"fields are harvested in one's own turn, this is seat {game.active}'s"
            )

    def do(self, game: Game) -> None:
        """Coins to the earnings, the other cards to the discard pile, perhaps one field more."""
        bean = game.table.seats[self.seat].fields[self.field].bean
        if self.why == "forced":
            game.forced.commit(self.seat, self.field)
        cards = harvest_field(game, self.seat, self.field, self.why)
        if game.table.earns_field(bean, cards) and add_field(game, self.seat, "field-bean", []):
            game.forced.or_new_field(game, self.seat)


def harvest_field(game: Game, number: int, place: int, why: str) -> int:
    """Harvest without asking whether it is allowed; returns the cards the field held."""
    seat = game.table.seats[number]
    own = seat.fields[place]
    bean, cards = own.bean, own.cards
    coins = game.table.coins_for(bean, cards)
    seat.earnings += [bean] * coins
    game.table.discards += [bean] * (cards - coins)
    own.clear()
    told = {"seat": number, "field": place, "bean": bean, "cards": cards, "coins": coins, "why": why}
    game.write("harvest", told)
    return cards


def add_field(game: Game, number: int, how: str, paid: list[str]) -> bool:
    """Give the seat one more field unless it has the most already; says whether it got one."""
    seat = game.table.seats[number]
    if len(seat.fields) >= game.rules.max_fields:
        return False
    seat.fields.append(game.new_field())
    game.write("field", {"seat": number, "how": how, "paid": paid})
    return True


@dataclass(frozen=True, slots=True)
class BuyField(Action):
    """A seat buys one more field at any time, also off turn (RULES 2.2)."""

    seat: int

    def verify(self, game: Game) -> None:
        """Fields are sold, the seat may have one more, and it can pay."""
        seat, price = game.seat(self.seat), game.rules.field_price
        if not price:
            raise IllegalAction("RULES 1.2 fields", "fields are not sold in this rule set")
        if len(seat.fields) >= game.rules.max_fields:
            raise IllegalAction(
                "RULES 2.2 purchase",
                f"seat {self.seat} already has {len(seat.fields)} fields, the most there are",
            )
        if len(seat.earnings) < price:
            raise IllegalAction(
                "RULES 2.2 purchase",
                f"a field costs {price} coins, seat {self.seat} has {len(seat.earnings)}",
            )

    def do(self, game: Game) -> None:
        """The topmost coins go back as beans, to the discard pile or the box."""
        earnings = game.table.seats[self.seat].earnings
        paid = [earnings.pop() for _ in range(game.rules.field_price)]
        heap = game.table.discards if game.rules.field_payment == "discard" else game.table.box
        heap += paid
        add_field(game, self.seat, "bought", paid)


def take_token(game: Game) -> None:
    """The active seat takes the draw token where it has the cards for it (house rule, RULES 3)."""
    least = game.rules.token_at
    if not least or game.token == game.active:
        return
    planted = [sum(own.cards for own in seat.fields) for seat in game.table.seats]
    cards = planted[game.active]
    if cards >= least and (game.token is None or cards > planted[game.token]):
        game.token = game.active
        game.write("token", {"seat": game.active})


def find_homeless(seat: Seat, beans: list[str]) -> set[str]:
    """The kinds among `beans` that fit no field of the seat without a harvest."""
    growing = {own.bean for own in seat.fields}
    return set() if "" in growing else {*beans} - growing
