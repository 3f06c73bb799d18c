"""A recorded game told in plain lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from beansim.errors import InputError
from beansim.report.names import plain
from beansim.report.numbers import counted

Event: TypeAlias = Mapping[str, Any]

WHY = {"forced": "to make room", "early": "early", "final": "at the end"}
HOW = {"bought": "buys a field", "field-bean": "gains a field for two field beans"}
ENDS = {"exhausted": "the draw pile has run out", "no-discards": "no discards are left to draw from"}


def tell(events: Iterable[Event], coins: bool = False) -> Iterator[str]:
    """Tell a game (or several, one after the other) in readable lines, without line ends.

    Args:
        events: a record, version 1, event by event. Unknown events are passed over.
        coins: also tell at the start of each turn how many coins everyone has (RULES A14: they lie
            face down, and whoever counts the harvests knows them).

    Raises:
        InputError: an event lacks a key or has one of the wrong type; names the event's number.
    """
    table = Table(show_coins=coins)
    for number, event in enumerate(events, start=1):
        try:
            teller = TELLERS.get(event["e"])
            yield from teller(table, event) if teller else ()
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            what = f"{error!r} in {str(event)[:200]}"
            raise InputError(f"line {number} of the record cannot be told: {what}") from error


@dataclass
class Table:
    """What a teller has to remember: who sits where, and what grows in the fields.

    Attributes:
        players: names by seat.
        fields: (seat, field) -> (bean, cards).
        active: the seat whose turn it is.
        phase: the phase that was told last.
        coins: coins by seat.
        show_coins: whether they are told.
    """

    players: list[str] = field(default_factory=list)
    fields: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    active: int = -1
    phase: Any = None
    coins: Counter[int] = field(default_factory=Counter)
    show_coins: bool = False

    def name(self, seat: int) -> str:
        """A seat with the name of its strategy."""
        return f"seat {seat} ({self.players[seat]})" if 0 <= seat < len(self.players) else f"seat {seat}"

    def who(self, seat: int) -> str:
        """The start of a line: nothing for the active seat, the name of any other one."""
        return "" if seat == self.active else f"{self.name(seat)} "


def _game(table: Table, event: Event) -> Iterator[str]:
    table.players = [plain(str(name)) for name in event["players"]]
    table.fields.clear()
    table.coins.clear()
    table.active, table.phase = -1, None
    yield (
        f"Game {event['game']} of seed {event['seed']}: {plain(str(event['variant']))}, "
        f"{len(table.players)} players, seat {event['start']} starts."
    )
    for seat in range(len(table.players)):
        yield f"  {table.name(seat)}"


def _shuffle(table: Table, event: Event) -> Iterator[str]:
    cards = len(event["deck"])
    yield f"  {'the deck of' if event['pass'] == 1 else 'the discards are shuffled:'} {cards} cards"


def _draw(table: Table, event: Event) -> Iterator[str]:
    verb = "is dealt" if event["phase"] == "deal" else "draws"
    yield f"  {table.who(event['seat'])}{verb} {_beans(event['beans'])}"


def _turn(table: Table, event: Event) -> Iterator[str]:
    table.active = event["seat"]
    yield ""
    yield f"Turn {event['turn']}: {table.name(table.active)}"
    if table.show_coins:
        yield f"  coins: {', '.join(str(table.coins[seat]) for seat in range(len(table.players)))}"


def _plant(table: Table, event: Event) -> Iterator[str]:
    seat, place, bean = event["seat"], event["field"], event["bean"]
    _, cards = table.fields.get((seat, place), (bean, 0))
    table.fields[seat, place] = (bean, cards + 1)
    source = {"hand": "from hand", "revealed": "turned up", "received": "got in a deal", "offer": "on offer"}
    come = source.get(event["from"], str(event["from"]))
    yield f"  {table.who(seat)}plants {bean} ({come}) in field {place}: {_some(cards + 1, bean)}"


def _harvest(table: Table, event: Event) -> Iterator[str]:
    table.fields.pop((event["seat"], event["field"]), None)
    table.coins[event["seat"]] += event["coins"]
    why = WHY.get(event["why"], str(event["why"]))
    paid = counted(event["coins"], "coin") if event["coins"] else "nothing"
    who = table.who(event["seat"]) if event["phase"] != "end" else f"{table.name(event['seat'])} "
    yield f"  {who}harvests {_some(event['cards'], event['bean'])} for {paid} ({why})"


def _reveal(table: Table, event: Event) -> Iterator[str]:
    yield f"  turns up {_beans(event['beans'])}"


def _trade(table: Table, event: Event) -> Iterator[str]:
    gives, gets = _cards(event["gives"]), _cards(event["gets"])
    partner = table.name(event["partner"])
    if not gets:
        yield f"  gives {partner} {gives} as a gift"
    elif not gives:
        yield f"  gets {gets} from {partner} as a gift"
    else:
        yield f"  gives {partner} {gives} for {gets}"


def _exhausted(table: Table, event: Event) -> Iterator[str]:
    yield f"  -- the draw pile has run out for the {_ordinal(event['count'])} time --"


def _field(table: Table, event: Event) -> Iterator[str]:
    paid = event.get("paid") or []
    table.coins[event["seat"]] -= len(paid)
    price = f", paying {counted(len(paid), 'coin')}" if paid else ""
    yield f"  {table.who(event['seat'])}{HOW.get(event['how'], str(event['how']))}{price}"


def _discard(table: Table, event: Event) -> Iterator[str]:
    come = {"hand": "from hand", "offer": "on offer"}.get(event["from"], str(event["from"]))
    yield f"  {table.who(event['seat'])}discards {event['bean']} ({come})"


def _match(table: Table, event: Event) -> Iterator[str]:
    yield f"  takes {_beans(event['beans'])} from the discard pile along"


def _token(table: Table, event: Event) -> Iterator[str]:
    yield f"  {table.who(event['seat'])}takes the draw token"


def _leave(table: Table, event: Event) -> Iterator[str]:
    yield f"  {table.who(event['seat'])}leaves {_beans(event['beans'])} on offer"


def _end(table: Table, event: Event) -> Iterator[str]:
    yield ""
    yield f"The end after {counted(event['turns'], 'turn')}: {ENDS.get(event['why'], str(event['why']))}."
    for seat, coins in enumerate(event["coins"]):
        left = event["hand"][seat]
        yield f"  {table.name(seat)}: {counted(coins, 'coin')}, {counted(left, 'card')} left in hand"
    winners = event["winner"] if isinstance(event["winner"], list) else [event["winner"]]
    verb = "wins" if len(winners) == 1 else "share the win"
    text = " and ".join(table.name(seat) for seat in winners)
    yield f"{text[0].upper()}{text[1:]} {verb}."


TELLERS: dict[str, Callable[[Table, Event], Iterator[str]]] = {
    "game": _game,
    "shuffle": _shuffle,
    "draw": _draw,
    "turn": _turn,
    "plant": _plant,
    "harvest": _harvest,
    "reveal": _reveal,
    "trade": _trade,
    "exhausted": _exhausted,
    "field": _field,
    "discard": _discard,
    "leave": _leave,
    "match": _match,
    "token": _token,
    "end": _end,
}


def _cards(cards: Sequence[Mapping[str, Any]]) -> str:
    """Cards of a deal: `2 blue (hand), red (turned up)`."""
    source = {"hand": "hand", "revealed": "turned up"}
    counted = Counter((card["bean"], source[card["from"]]) for card in cards)
    return ", ".join(
        f"{_some(number, bean) if number > 1 else bean} ({come})" for (bean, come), number in counted.items()
    )


def _beans(beans: Sequence[str]) -> str:
    return ", ".join(map(str, beans)) or "nothing"


def _some(number: int, bean: str) -> str:
    return f"{number} {bean}"


def _ordinal(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")
