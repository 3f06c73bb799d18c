"""Reading a record line by line: bounded, typed, every fault named (RECORD.md).

A record may come from anybody. Nothing here keeps more than one line, and no line can make it use
more than a bounded amount of memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, BinaryIO

from beansim.errors import BeansimError, InputError
from beansim.referee.actions import Action, BuyField, Discard, EndPhase, Harvest, Plant
from beansim.referee.trade import Card, Trade
from beansim.rules import Rules
from beansim.rules.kinds import ALIASES
from beansim.rules.options import OPTION_NAMES

MAX_LINE = 1_000_000
"""Longest line of a record that is read, in bytes."""

MAX_EVENTS = 100_000
"""Most lines of one game that are read; the longest possible games stay far below."""

MAX_DEPTH = 32
"""Deepest nesting of lists and objects in a line that is read; records need six."""

SHOWN = 120
"""Most characters of a foreign value that an error repeats."""


class RecordError(BeansimError):
    """A line that is not a record line at all: unreadable, ill-typed, out of place.

    Attributes:
        rule: always ``"RECORD"``.
        requires: what the record format requires, in one sentence.
    """

    def __init__(self, requires: str) -> None:
        super().__init__(f"RECORD: {requires}")
        self.rule = "RECORD"
        self.requires = requires


def bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines of a binary stream; of one longer than MAX_LINE only the first MAX_LINE + 1 bytes."""
    while line := stream.readline(MAX_LINE + 1):
        yield line
        # The rest of an overlong line is read in pieces and dropped, so that memory stays bounded.
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE + 1) or b"\n"


def read_line(line: str | bytes) -> dict[str, Any]:
    """The object on one line; RecordError when the line is too long, too deep or no JSON object."""
    if len(line) > MAX_LINE:
        raise RecordError(f"a line has at most {MAX_LINE} bytes")
    try:
        text = (line if isinstance(line, str) else line.decode()).strip()
        if text.count("[") + text.count("{") > MAX_DEPTH:
            _check_depth(text)
        event, end = _DECODE(text)
    except UnicodeDecodeError:
        raise RecordError("the file is UTF-8 text, one JSON object per line") from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"a line is one JSON object: {shown(str(error))}") from None
    if not isinstance(event, dict) or end != len(text):
        raise RecordError("a line is one JSON object")
    return event


def shown(value: object, most: int = SHOWN) -> str:
    """A foreign value for an error message: one line of at most `most` characters, nothing but ASCII."""
    text = value if isinstance(value, str) else repr(value)
    return text[:most].encode("ascii", "backslashreplace").decode().translate(_CONTROLS)[:most]


_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127)}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


# The decoder itself refuses numbers of more than 4,300 digits.
_DECODE = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the parser recurses into it."""
    depth = 0
    for character in _STRING.sub("", text):
        if character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise RecordError(f"lists and objects are nested at most {MAX_DEPTH} deep")
        elif character in "]}":
            depth -= 1


_PLACE = (("turn", int), ("seat", int))
_KEYS: dict[str, tuple[tuple[str, type], ...]] = {
    "shuffle": (("turn", int), ("pass", int), ("deck", list)),
    "draw": (*_PLACE, ("beans", list)),
    "turn": _PLACE,
    "plant": (*_PLACE, ("bean", str), ("field", int), ("from", str)),
    "harvest": (*_PLACE, ("field", int), ("bean", str), ("cards", int), ("coins", int), ("why", str)),
    "reveal": (*_PLACE, ("beans", list)),
    "trade": (("turn", int), ("active", int), ("partner", int), ("gives", list), ("gets", list)),
    "exhausted": (("turn", int), ("count", int)),
    "field": (*_PLACE, ("how", str), ("paid", list)),
    "discard": (*_PLACE, ("bean", str), ("from", str)),
    "leave": (*_PLACE, ("beans", list)),
    "match": (*_PLACE, ("beans", list)),
    "token": _PLACE,
    "end": (("turn", int), ("why", str), ("coins", list), ("hand", list), ("turns", int)),
}
"""Keys of every event with their types; `phase` and `winner`, of two types each, apart."""

_Shape = tuple[Callable[[Mapping[str, Any]], tuple[Any, ...]], tuple[tuple[type, ...], ...]]


def _shape(keys: tuple[tuple[str, type], ...]) -> _Shape:
    """All values of an event at once, `phase` last, and the two ways in which they may be typed."""
    kinds = tuple(kind for _, kind in keys)
    return itemgetter(*(key for key, _ in keys), "phase"), ((*kinds, int), (*kinds, str))


# Every line of every record is checked, so the usual case compares all its types in one go.
_SHAPES = {name: _shape(keys) for name, keys in _KEYS.items()}

_GAME_KEYS: tuple[tuple[str, type], ...] = (
    ("record", int),
    ("beansim", str),
    ("variant", str),
    ("rules", dict),
    ("seed", int),
    ("game", int),
    ("players", list),
    ("start", int),
)


def check_event(event: Mapping[str, Any]) -> None:
    """RecordError unless the event is a known one with every key it needs, each of its type."""
    name = event.get("e")
    if type(name) is not str or name not in _SHAPES:
        raise RecordError(f"e is the name of an event, not {shown(name)}")
    values, shapes = _SHAPES[name]
    try:
        well_typed = tuple(map(type, values(event))) in shapes
    except KeyError:
        well_typed = False
    if not well_typed:
        _name_ill_typed(event, _KEYS[name])
        raise RecordError(f"{name} needs phase: deal, 1, 2, 3, 4 or end")
    # Lists of beans elsewhere are compared with the referee's own, texts with texts.
    if name == "shuffle":
        check_list(event, "deck", str)
    elif name == "leave":
        check_list(event, "beans", str)
    elif name == "end":
        _check_end(event)


def _check_end(event: Mapping[str, Any]) -> None:
    for key in ("coins", "hand"):
        check_list(event, key, int)
    if type(event.get("winner")) is not int:
        check_list(event, "winner", int)


def _name_ill_typed(event: Mapping[str, Any], keys: tuple[tuple[str, type], ...]) -> None:
    # `type(...) is` on purpose: true is no number, though Python would take it for one.
    for key, kind in keys:
        if type(event.get(key)) is not kind:
            raise _ill_typed(event, key, kind)


def _ill_typed(event: Mapping[str, Any], key: str, kind: type) -> RecordError:
    word = {int: "a whole number", str: "a text", list: "a list", dict: "an object"}[kind]
    got = f"not {shown(event[key])}" if key in event else "and it is missing"
    return RecordError(f"{event['e']} needs {key}, {word}, {got}")


def check_list(event: Mapping[str, Any], key: str, kind: type) -> None:
    """RecordError unless `key` holds a list of `kind` alone."""
    items = event.get(key)
    if type(items) is not list:
        raise _ill_typed(event, key, list)
    if not set(map(type, items)) <= {kind}:
        raise RecordError(f"{event['e']}: {key} lists {'beans' if kind is str else 'whole numbers'} only")


@dataclass(frozen=True, slots=True)
class Header:
    """What the `game` line of a record says.

    Attributes:
        rules: the resolved rule options.
        start: the start seat.
        game: index of the game in its run.
    """

    rules: Rules
    start: int
    game: int


def read_header(event: Mapping[str, Any], rules: Rules | None = None) -> Header:
    """Read the `game` line; RecordError when a key is missing or the rules are no rule set.

    Args:
        event: the `game` line.
        rules: what its rules say, where the caller has read the very same ones before.
    """
    _name_ill_typed(event, _GAME_KEYS)
    if event["record"] != 1:
        raise RecordError(f"record version {event['record']}, this beansim reads version 1")
    check_list(event, "players", str)
    rules = rules or _read_rules(event["rules"])
    if rules.variant != event["variant"]:
        raise RecordError(f"game: variant is {shown(event['variant'])}, its rules say {shown(rules.variant)}")
    if len(event["players"]) != rules.players or not 0 <= event["start"] < rules.players:
        raise RecordError(f"game: {rules.players} players, and start is one of their seats")
    return Header(rules, event["start"], event["game"])


def _read_rules(data: dict[str, Any]) -> Rules:
    missing = [option for option in OPTION_NAMES if option not in data]
    if missing:
        raise RecordError(f"game: rules holds every option, {', '.join(missing)} missing")
    try:
        return Rules.from_dict(data)
    except (InputError, TypeError) as error:
        raise RecordError(f"game: {shown(str(error))}") from None


def rename_aliases(value: Any, names: tuple[str, ...]) -> Any:
    """The same event with every alias of a kind (brandy) read as the kind of the deck it stands for."""
    if isinstance(value, dict):
        return {key: rename_aliases(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [rename_aliases(item, names) for item in value]
    if isinstance(value, str) and value not in names and ALIASES.get(value) in names:
        return ALIASES[value]
    return value


def read_choice(event: Mapping[str, Any]) -> Action | None:
    """The action that an event records, or None where the event is no player's choice."""
    reader = _CHOICES.get(event["e"])
    return reader(event) if reader else None


def _read_plant(event: Mapping[str, Any]) -> Plant:
    return Plant(event["seat"], event["bean"], event["field"], event["from"])


def _read_harvest(event: Mapping[str, Any]) -> Harvest | None:
    return None if event["why"] == "final" else Harvest(event["seat"], event["field"], event["why"])


def _read_trade(event: Mapping[str, Any]) -> Trade:
    sides = (tuple(_read_card(card) for card in event[key]) for key in ("gives", "gets"))
    return Trade(event["active"], event["partner"], *sides)


def _read_field(event: Mapping[str, Any]) -> BuyField | None:
    return BuyField(event["seat"]) if event["how"] == "bought" else None


def _read_discard(event: Mapping[str, Any]) -> Discard:
    position = event.get("position")
    if event["from"] != "hand":
        return Discard(event["seat"], event["bean"], event["from"])
    if type(position) is not int:
        raise RecordError("discard: a card from the hand needs position, a whole number")
    return Discard(event["seat"], event["bean"], "hand", position)


_CHOICES: dict[str, Callable[[Mapping[str, Any]], Action | None]] = {
    "plant": _read_plant,
    "harvest": _read_harvest,
    "trade": _read_trade,
    "field": _read_field,
    "discard": _read_discard,
    "leave": lambda event: EndPhase(),  # to leave cards on offer is to plant no more of them
}


def _read_card(card: Any) -> Card:
    if not isinstance(card, dict):
        raise RecordError("trade: gives and gets list objects with bean, from and position")
    bean, source = card.get("bean"), card.get("from")
    if type(bean) is not str or type(source) is not str:
        raise RecordError("trade: a card needs bean and from")
    if source != "hand":
        return Card(bean, source)
    position = card.get("position")
    if type(position) is not int:
        raise RecordError("trade: a card from the hand needs position, a whole number")
    return Card(bean, source, position)
