"""Reading positions from JSON: typed, bounded, every error naming the place (docs/positions.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from beansim.errors import InputError, unknown
from beansim.referee.phases import PhaseName
from beansim.referee.position import Planted, Position, SeatPosition
from beansim.rules import MAX_DECK, Rules, find_variant
from beansim.rules.kinds import ALIASES
from beansim.rules.options import OPTION_NAMES

MAX_TEXT = 1_000_000
"""Longest JSON text of a position that is read, in characters."""

MAX_NUMBER = 1_000_000
"""Greatest number that a position may hold."""

CARD_KEYS = ("pile", "discards", "revealed", "box")
NUMBER_KEYS = ("start", "active", "turn", "planted", "run_outs", "passes")
SWITCH_KEYS = ("drawn", "discarded")
POSITION_KEYS = (
    "position",
    "rules",
    "seats",
    "phase",
    "ending",
    "token",
    *CARD_KEYS,
    *NUMBER_KEYS,
    *SWITCH_KEYS,
)
SEAT_KEYS = ("fields", "hand", "earnings", "received")


def parse_position(text: str) -> Position:
    """Read a position from JSON text; InputError saying what is wrong and where."""
    if len(text) > MAX_TEXT:
        raise InputError(f"position: {len(text)} characters, the most is {MAX_TEXT}")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"position: not JSON: {error}") from None
    return read_position(data)


def read_position(data: Any) -> Position:
    """Read a position from plain data, as `Position.to_dict` gives it; what is left out is empty.

    `passes` follows from the pile and the run-outs where it is left out.
    """
    if not isinstance(data, Mapping):
        raise InputError("position: expected an object")
    for key in data:
        if key not in POSITION_KEYS:
            raise unknown("key", key, POSITION_KEYS, "position")
    if data.get("position", 1) != 1:
        raise InputError(f"position: format {data['position']!r}, this beansim reads format 1")
    rules = _read_rules(data.get("rules"))
    given: dict[str, Any] = {key: _read_cards(data[key], key, rules) for key in CARD_KEYS if key in data}
    given |= {key: _read_number(data[key], key) for key in NUMBER_KEYS if key in data}
    given |= {key: _read_switch(data[key], key) for key in SWITCH_KEYS if key in data}
    given["phase"] = _read_phase(data.get("phase", 1))
    given["ending"] = _read_ending(data.get("ending"))
    given["token"] = None if data.get("token") is None else _read_number(data["token"], "token")
    given.setdefault("passes", _passes(given, rules))
    position = Position(rules=rules, seats=_read_seats(data.get("seats"), rules), **given)
    position.check()
    return position


def _passes(given: dict[str, Any], rules: Rules) -> int:
    """Shuffles so far: one more than the run-outs, but for an empty pile that is not rebuilt yet."""
    unbuilt = not given.get("pile") and rules.exhaust == "last_card"
    return int(given.get("run_outs", 0)) + (0 if unbuilt else 1)


def _read_rules(data: Any) -> Rules:
    """Every option (as a record's `game` line has them), or a variant's name, players and changes."""
    if not isinstance(data, Mapping):
        raise InputError("position: rules is missing or not an object")
    for key in ("variant", "players"):
        if not isinstance(data.get(key), str if key == "variant" else int):
            raise InputError(f"position: rules needs {key}")
    if all(option in data for option in OPTION_NAMES):
        return Rules.from_dict(data, "position: rules")
    changes = {key: value for key, value in data.items() if key not in ("variant", "players")}
    variant = find_variant(data["variant"], where="position: rules")
    return variant.extended(variant.name, changes, (*variant.players, data["players"])).rules(data["players"])


def _read_cards(data: Any, where: str, rules: Rules) -> tuple[str, ...]:
    if not isinstance(data, list) or len(data) > MAX_DECK:
        raise InputError(f"position: {where} is a list of at most {MAX_DECK} beans")
    return tuple(_read_bean(bean, where, rules) for bean in data)


def _read_bean(bean: Any, where: str, rules: Rules) -> str:
    if not isinstance(bean, str):
        raise InputError(f"position: {where} lists names of beans, got {bean!r:.80}")
    names = rules.kind_names
    if bean not in names and ALIASES.get(bean, bean) not in names:
        raise unknown("kind of bean", bean, names, f"position: {where}")
    return bean if bean in names else ALIASES[bean]


def _read_number(data: Any, where: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= MAX_NUMBER:
        raise InputError(f"position: {where} is a whole number from 0 to {MAX_NUMBER}")
    return data


def _read_switch(data: Any, where: str) -> bool:
    if not isinstance(data, bool):
        raise InputError(f"position: {where} is true or false")
    return data


def _read_phase(data: Any) -> PhaseName:
    if isinstance(data, bool) or data not in (1, 2, 3, 4):
        raise InputError("position: phase is 1, 2, 3 or 4")
    return (1, 2, 3, 4)[int(data) - 1]


def _read_ending(data: Any) -> str | None:
    if data not in (None, "exhausted", "no-discards"):
        raise InputError("position: ending is null, 'exhausted' or 'no-discards'")
    return None if data is None else str(data)


def _read_seats(data: Any, rules: Rules) -> tuple[SeatPosition, ...]:
    if data is None:
        data = [{} for _ in range(rules.players)]
    if not isinstance(data, list) or len(data) > rules.players:
        raise InputError(f"position: seats is a list of {rules.players} objects")
    return tuple(_read_seat(seat, f"seats[{number}]", rules) for number, seat in enumerate(data))


def _read_seat(data: Any, where: str, rules: Rules) -> SeatPosition:
    if not isinstance(data, Mapping):
        raise InputError(f"position: {where} is an object")
    for key in data:
        if key not in SEAT_KEYS:
            raise unknown("key", key, SEAT_KEYS, f"position: {where}")
    own = data.get("fields", [None] * rules.fields)
    if not isinstance(own, list) or len(own) > rules.max_fields:
        raise InputError(f"position: {where}.fields is a list of at most {rules.max_fields} fields")
    planted = tuple(_read_field(field, f"{where}.fields[{place}]", rules) for place, field in enumerate(own))
    heaps = (_read_cards(data.get(key, []), f"{where}.{key}", rules) for key in SEAT_KEYS[1:])
    return SeatPosition(planted, *heaps)


def _read_field(data: Any, where: str, rules: Rules) -> Planted:
    if data is None:
        return None
    if not isinstance(data, list) or len(data) != 2:
        raise InputError(f"position: {where} is null or a pair of bean and number of cards")
    return _read_bean(data[0], where, rules), _read_number(data[1], where)
