"""What may be done now, listed: the other direction of every `verify`.

The candidates are few and are filtered by the very same `verify`, so the list cannot disagree with
what `Game.apply` accepts. Deals are generated legal, since there are many of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from beansim.referee.actions import Action, BuyField, Discard, Draw, EndPhase, Harvest, Plant, Reveal
from beansim.referee.trade import Card, Trade

if TYPE_CHECKING:
    from beansim.referee.game import Game


def list_actions(game: Game, deals: bool) -> list[Action]:
    """Every legal action but shuffles; of the deals, if wanted, those of at most one card a side."""
    if game.awaits_shuffle or game.over:
        return []
    legal = [action for action in _candidates(game) if action.can(game)]
    if deals:
        legal.extend(_small_deals(game))
    return legal


def _candidates(game: Game) -> Iterator[Action]:
    yield from (Reveal(), Draw(), EndPhase())
    for number, seat in enumerate(game.table.seats):
        places = range(len(seat.fields))
        yield from _plants(game, number, places)
        yield from (Harvest(number, place, why) for place in places for why in ("forced", "early"))
        yield BuyField(number)
        if game.rules.turn == "duel":
            yield from (Discard(number, bean, "offer") for bean in dict.fromkeys(game.table.revealed))
            yield from (Discard(number, bean, "hand", place) for place, bean in enumerate(seat.hand))


def _plants(game: Game, number: int, places: range) -> Iterator[Action]:
    beans = dict.fromkeys(game.current.plantable(game, number))
    for bean in beans:
        for source in game.current.sources:
            yield from (Plant(number, bean, place, source) for place in places)


def _small_deals(game: Game) -> Iterator[Trade]:
    rules, table = game.rules, game.table
    if not rules.trading or game.phase != 2 or not game.step_done:
        return
    front_most = rules.copy == "front_most"
    own = [*(Card(bean, "revealed") for bean in dict.fromkeys(table.revealed))]
    own += _hand_cards(table.seats[game.active].hand, front_most, set(table.revealed))
    for partner in game.clockwise(game.active):
        if partner == game.active:
            continue
        theirs = _hand_cards(table.seats[partner].hand, front_most, set())
        yield from (Trade(game.active, partner, (a,), (b,)) for a in own for b in theirs)
        if rules.gifts:
            yield from (Trade(game.active, partner, (card,), ()) for card in own)
            yield from (Trade(game.active, partner, (), (card,)) for card in theirs)


def _hand_cards(hand: list[str], front_most: bool, revealed: Iterable[str]) -> list[Card]:
    """Hand cards of which one may leave; where copies leave front-most, one per kind (A8, A9)."""
    if not front_most:
        return [Card(bean, "hand", position) for position, bean in enumerate(hand)]
    return [Card(bean, "hand", hand.index(bean)) for bean in dict.fromkeys(hand) if bean not in revealed]
