"""A resolved rule set: every rule option with its value, for one number of players.

Each option names the rule section or ambiguity (A1-A19) it settles. Nothing in the engine or
the referee knows a variant by name; they read these options only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, get_args

from beansim.errors import InputError, unknown
from beansim.rules.kinds import ALIASES, KINDS, Kind

MAX_PLAYERS = 7
MAX_KINDS = 16
MAX_FIELDS = 4
MAX_DECK = 240
MAX_RUN_OUTS = 9
MAX_CAP = 10_000

Turn = Literal["standard", "duel"]
Exhaust = Literal["last_card", "needed"]
Reshuffle = Literal["immediate", "late"]
EmptyDiscard = Literal["end_after_phase", "play_on"]
Protect = Literal["other_ge2", "all_single"]
Harvest = Literal["any_time", "own_turn", "forced"]
Draws = Literal["active", "everyone"]
Tie = Literal["last_seat", "hand"]
Copy = Literal["owner", "front_most"]
Payment = Literal["discard", "box"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every rule option of one game, resolved.

    Attributes:
        variant: name of the variant these options came from.
        players: seats at the table.
        kinds: the deck, kind by kind; a kind's position here is its number in the engine.
        fields: fields each seat starts with (RULES 1.2).
        max_fields: fields a seat can ever have (RULES 2.1 field bean, 2.2 purchase).
        hands: cards dealt to each seat, counted clockwise from the start seat.
        turn: the four phases of RULES 1.2, or the Duel's four steps (RULES 2.5): the offer, the
            hand and a discard, cards turned up and planted or left on offer, the draw.
        reveal: cards turned up in phase 2 (in step 3 of the Duel).
        match_discards: in the Duel, top discards that match a card just turned up are taken too.
        draw: cards drawn in phase 4: by the active seat, or by each seat where everyone draws.
        draws: who draws in phase 4 (RULES 2.1).
        run_outs: the game ends on this run-out of the draw pile.
        exhaust: A1, when the pile counts as run out: its last card is drawn, or a card is
            needed and none is there.
        reshuffle: A2, the discard pile is shuffled at once, or when the next card is needed.
        empty_discard: A4, a run-out that finds no discards: finish the phase (2 and 3 in phase
            2) and score, or play on with an empty pile.
        protect: A5, a single card may not be harvested while another own field has two or more
            cards, or while any other own field has not exactly one.
        harvest: A6, fields may be harvested at any time, in one's own turn, or only to make room
            and at the end.
        same_kind_twice: A7, one seat may grow a kind in two fields at once.
        copy: A8 and A9, the owner chooses which of several equal cards leaves, or it is the
            revealed one, then the front-most.
        trading: deals in phase 2 at all.
        gifts: a side of a deal may be empty (A10).
        proposals: the other seats may propose to the active seat (A11).
        tie: A13, among the tied the seat met last clockwise from the start seat wins, or the
            one with most cards in hand (still tied: they share).
        field_price: coins for one more field; 0 where fields are not sold (RULES 2.2).
        field_payment: where the coins paid for a field go.
        token_at: house rule over RULES 3 (Bohnentaler): a seat whose fields hold at least so many
            cards, and more than the holder's, takes the draw token before it draws; 0: no token.
        token_draw: cards that the holder of the token draws in phase 4 instead of `draw`.
        announcement_cap: announcements allowed in one turn (DESIGN, market).
        proposal_cap: proposals allowed in one turn (DESIGN, market).
    """

    variant: str
    players: int
    kinds: tuple[Kind, ...]
    fields: int
    max_fields: int
    hands: tuple[int, ...]
    turn: Turn = "standard"
    reveal: int = 2
    match_discards: bool = False
    draw: int = 3
    draws: Draws = "active"
    run_outs: int = 3
    exhaust: Exhaust = "last_card"
    reshuffle: Reshuffle = "immediate"
    empty_discard: EmptyDiscard = "end_after_phase"
    protect: Protect = "other_ge2"
    harvest: Harvest = "any_time"
    same_kind_twice: bool = True
    copy: Copy = "owner"
    trading: bool = True
    gifts: bool = True
    proposals: bool = True
    tie: Tie = "last_seat"
    field_price: int = 0
    field_payment: Payment = "discard"
    token_at: int = 0
    token_draw: int = 4
    announcement_cap: int = 64
    proposal_cap: int = 64

    def __post_init__(self) -> None:
        check_rules(self)

    @property
    def deck_size(self) -> int:
        """Cards in the whole deck."""
        return sum(kind.count for kind in self.kinds)

    @property
    def kind_names(self) -> tuple[str, ...]:
        """Names of the kinds, in engine order."""
        return tuple(kind.name for kind in self.kinds)

    def kind_number(self, name: str, where: str = "") -> int:
        """Number of the kind called `name` (aliases allowed); InputError when not in this deck."""
        name = ALIASES.get(name, name)
        if name not in self.kind_names:
            raise unknown("kind of bean", name, self.kind_names, where)
        return self.kind_names.index(name)

    def to_dict(self) -> dict[str, Any]:
        """Every option as plain data that JSON can hold; `from_dict` reads it back."""
        data: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        data["kinds"] = [kind.to_dict() for kind in self.kinds]
        data["hands"] = list(self.hands)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "rules") -> Rules:
        """Build from plain data; every missing or wrong key, type or value is an InputError naming it."""
        missing = [field.name for field in fields(cls) if field.default is MISSING and field.name not in data]
        if missing:
            raise InputError(f"{where}: {', '.join(missing)} missing: a rule set needs them")
        return cls(**read_options(data, where))

    def digest(self) -> str:
        """A short hash of every option, for reports and for refusing to mix rule sets."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


OPTION_NAMES: tuple[str, ...] = tuple(field.name for field in fields(Rules))
CHOICES: dict[str, tuple[str, ...]] = {
    "turn": get_args(Turn),
    "exhaust": get_args(Exhaust),
    "reshuffle": get_args(Reshuffle),
    "empty_discard": get_args(EmptyDiscard),
    "protect": get_args(Protect),
    "harvest": get_args(Harvest),
    "draws": get_args(Draws),
    "tie": get_args(Tie),
    "copy": get_args(Copy),
    "field_payment": get_args(Payment),
}
"""The options that are one of a few words, and those words."""

BOUNDS: dict[str, tuple[int, int]] = {
    "players": (2, MAX_PLAYERS),
    "fields": (1, MAX_FIELDS),
    "max_fields": (1, MAX_FIELDS),
    "reveal": (0, 20),
    "draw": (0, 20),
    "run_outs": (1, MAX_RUN_OUTS),
    "field_price": (0, 20),
    "token_at": (0, MAX_DECK),
    "token_draw": (1, 20),
    "announcement_cap": (0, MAX_CAP),
    "proposal_cap": (0, MAX_CAP),
}
"""The options that are whole numbers, and the least and greatest value of each."""

SWITCHES: tuple[str, ...] = ("match_discards", "same_kind_twice", "trading", "gifts", "proposals")
"""The options that are yes or no."""


def read_options(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Turn plain data into keyword arguments of `Rules`; the values are checked by `Rules`."""
    for name in data:
        if name not in OPTION_NAMES:
            raise unknown("rule option", name, OPTION_NAMES, where)
    options = dict(data)
    if "kinds" in options:
        options["kinds"] = tuple(_read_kind(item, where) for item in _read_list(options, "kinds", where))
    if "hands" in options:
        options["hands"] = tuple(_read_list(options, "hands", where))
    return options


def _read_list(options: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = options[name]
    if not isinstance(value, list | tuple):
        raise InputError(f"{where}: {name} is {value!r}, expected a list")
    return list(value)


def _read_kind(item: Any, where: str) -> Kind:
    """A kind is a name out of RULES 1.1, or a table with name, count and needed.

    A table that names a kind of RULES 1.1 may leave out count or needed; the rest is that kind's.
    """
    if isinstance(item, Kind):
        return item
    if isinstance(item, str):
        name = ALIASES.get(item, item)
        if name not in KINDS:
            raise unknown("kind of bean", item, KINDS, where)
        return KINDS[name]
    if not isinstance(item, Mapping):
        raise InputError(f"{where}: a kind is a name or a table with name, count, needed; got {item!r}")
    return _read_kind_table(item, where)


def _read_kind_table(item: Mapping[str, Any], where: str) -> Kind:
    for key in item:
        if key not in ("name", "count", "needed", "field_at"):
            raise unknown("key of a kind", key, ("name", "count", "needed", "field_at"), where)
    if isinstance(item.get("name"), str):
        known = KINDS.get(ALIASES.get(item["name"], item["name"]))
        if known is not None and not {"count", "needed"} <= item.keys():
            item = {**known.to_dict(), **item, "name": known.name}
    for key, kind_of in (("name", str), ("count", int), ("needed", list | tuple)):
        if not isinstance(item.get(key), kind_of) or isinstance(item.get(key), bool):
            raise InputError(f"{where}: a kind needs {key}, got {item.get(key)!r}")
    steps = [None if step in (0, None) else step for step in item["needed"]]
    numbers = [*(step for step in steps if step is not None)]
    if item.get("field_at") is not None:
        numbers.append(item["field_at"])
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
        raise InputError(
            f"{where}: kind {item['name']!r}: card numbers must be whole, got {item['needed']!r}"
        )
    return Kind(item["name"], item["count"], tuple(steps), item.get("field_at"))


def check_rules(rules: Rules) -> None:
    """Refuse an impossible rule set with the reason (types, bounds, then what must fit together)."""
    where = f"variant {rules.variant!r} with {rules.players} players"
    for name, (low, high) in BOUNDS.items():
        _check_number(where, name, getattr(rules, name), low, high)
    for name, words in CHOICES.items():
        if getattr(rules, name) not in words:
            raise unknown(f"value of {name}", getattr(rules, name), words, where)
    for name in SWITCHES:
        if not isinstance(getattr(rules, name), bool):
            raise InputError(f"{where}: {name} is {getattr(rules, name)!r}, expected true or false")
    _check_deck(rules, where)
    _check_together(rules, where)


def _check_number(where: str, name: str, value: Any, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(f"{where}: {name} is {value!r}, expected a whole number from {low} to {high}")


def _check_deck(rules: Rules, where: str) -> None:
    if not 1 <= len(rules.kinds) <= MAX_KINDS:
        raise InputError(f"{where}: {len(rules.kinds)} kinds, expected 1 to {MAX_KINDS}")
    names = rules.kind_names
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{where}: the kind {name!r} stands twice in the deck")
    if rules.deck_size > MAX_DECK:
        raise InputError(f"{where}: {rules.deck_size} cards, the most is {MAX_DECK}")
    if len(rules.hands) != rules.players:
        raise InputError(f"{where}: hands lists {len(rules.hands)} seats, expected {rules.players}")
    for cards in rules.hands:
        _check_number(where, "hands", cards, 0, MAX_DECK)
    if sum(rules.hands) >= rules.deck_size:
        raise InputError(
            f"{where}: the deal takes {sum(rules.hands)} cards and the deck has {rules.deck_size}; "
            "a draw pile must be left"
        )


def _check_together(rules: Rules, where: str) -> None:
    if rules.max_fields < rules.fields:
        raise InputError(f"{where}: max_fields {rules.max_fields} is less than fields {rules.fields}")
    if rules.reveal == 0 and rules.draw == 0:
        raise InputError(f"{where}: reveal and draw are both 0, so the game would never end")
    if rules.exhaust == "needed" and rules.reshuffle == "immediate":
        raise InputError(f"{where}: exhaust 'needed' means the pile is rebuilt late; set reshuffle to 'late'")
    _check_turn(rules, where)


def _check_turn(rules: Rules, where: str) -> None:
    if rules.turn == "standard":
        if rules.match_discards:
            raise InputError(f"{where}: match_discards belongs to the Duel's turn; set turn to 'duel'")
        return
    if rules.players != 2:
        raise InputError(f"{where}: the Duel's turn is for 2 players (RULES 2.5)")
    if rules.trading:
        raise InputError(f"{where}: the Duel has no trading (RULES 2.5); set trading to false")
