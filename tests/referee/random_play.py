"""Random self-play under the referee, and the record that it leaves."""

from __future__ import annotations

import json
import random
from typing import Any

from beansim.referee import Card, Game, Harvest, Shuffle, Trade
from beansim.rules import Rules

Event = dict[str, Any]


def shuffle(game: Game, luck: random.Random) -> None:
    deck = list(game.table.discards)
    luck.shuffle(deck)
    game.apply(Shuffle(tuple(deck)))


def random_side(game: Game, seat: int, luck: random.Random) -> tuple[Card, ...]:
    """Up to three cards of one seat, mostly legal: hand positions as they are when each card leaves."""
    hand, revealed = list(game.table.seats[seat].hand), list(game.table.revealed)
    side: list[Card] = []
    for _ in range(luck.randrange(4)):
        if seat == game.active and revealed and luck.random() < 0.5:
            side.append(Card(revealed.pop(luck.randrange(len(revealed))), "revealed"))
        elif hand:
            position = luck.randrange(len(hand))
            side.append(Card(hand.pop(position), "hand", position))
    return tuple(side)


def random_deal(game: Game, luck: random.Random) -> None:
    """Try one deal of up to three cards for three; where it is illegal nothing happens."""
    partner = (game.active + luck.randrange(1, game.rules.players)) % game.rules.players
    deal = Trade(game.active, partner, random_side(game, game.active, luck), random_side(game, partner, luck))
    assert (
        deal.can(game)
        or not game.rules.gifts
        or game.rules.copy == "front_most"
        or not (deal.gives or deal.gets)
    )
    if deal.can(game):
        game.apply(deal)


def move(game: Game, luck: random.Random, deals: float = 0.4) -> None:
    """One shuffle, deal or other legal action; early harvests are kept rare so that fields grow."""
    if game.awaits_shuffle:
        return shuffle(game, luck)
    if game.phase == 2 and game.step_done and game.rules.trading and luck.random() < deals:
        return random_deal(game, luck)
    actions = game.legal_actions(deals=False)
    rare = [a for a in actions if isinstance(a, Harvest) and a.why == "early"]
    if luck.random() > 0.05 and len(rare) < len(actions):
        actions = [action for action in actions if action not in rare]
    return game.apply(luck.choice(actions))


def play(rules: Rules, seed: int, deals: float = 0.4, start: int = 0) -> Game:
    """A whole random game."""
    luck = random.Random(seed)
    game = Game(rules, start=start)
    while not game.over:
        move(game, luck, deals)
    return game


def record(game: Game, index: int = 0) -> list[Event]:
    """The record of a finished game, as `play` would write it."""
    rules = game.rules
    head: Event = {
        "e": "game",
        "record": 1,
        "beansim": "0",
        "variant": rules.variant,
        "rules": rules.to_dict(),
        "seed": 1,
        "game": index,
        "players": ["random"] * rules.players,
        "start": game.start,
    }
    return [head, *game.log]


def lines(events: list[Event]) -> list[bytes]:
    return [json.dumps(event).encode() + b"\n" for event in events]
