"""Named variants: option sets over the base game, each with its source (RULES 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from beansim.errors import InputError, unknown
from beansim.rules.options import OPTION_NAMES, Rules, read_options

BASE_KINDS = ("blue", "chili", "stink", "green", "soy", "black-eyed", "red", "garden")
"""The 104 cards of the base game (RULES 1.1)."""
BOX_KINDS = ("coffee", "wax", *BASE_KINDS, "cocoa")
"""The 154 cards of the large box (RULES 2.1, 2.2)."""


def _box_without(*left_out: str) -> list[str]:
    return [name for name in BOX_KINDS if name not in left_out]


BOX_DECKS: dict[int, list[str]] = {
    3: _box_without("cocoa"),
    4: _box_without("coffee"),
    5: _box_without("coffee"),
    6: _box_without("cocoa", "garden"),
    7: _box_without("cocoa", "garden"),
}
"""Kinds of the large box in the deck, by number of players (RULES 2.1, 2.2): 150, 130 or 144 cards."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A named rule set.

    Attributes:
        name: what `--variant` takes.
        title: one line for people.
        source: where the rules come from (RULES section and source keys).
        players: numbers of players it is defined for.
        options: rule options as plain data, the same for every number of players.
        by_players: options that depend on the number of players; they win over `options`.
    """

    name: str
    title: str
    source: str
    players: tuple[int, ...]
    options: Mapping[str, Any]
    by_players: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    def rules(self, players: int) -> Rules:
        """Resolve every option for `players` seats; InputError when the variant has no such game."""
        if players not in self.players:
            low, high = min(self.players), max(self.players)
            raise InputError(
                f"variant {self.name!r} is for {low} to {high} players, got {players}"
                if low < high
                else f"variant {self.name!r} is for {low} players, got {players}"
            )
        where = f"variant {self.name!r}"
        options = {**self.options, **self.by_players.get(players, {})}
        hands = options.get("hands", 5)
        options["hands"] = [hands] * players if isinstance(hands, int) else hands
        options.setdefault("max_fields", options.get("fields"))
        return Rules(variant=self.name, players=players, **read_options(options, where))

    def described(self, title: str, source: str) -> Variant:
        """The same variant under another title and source."""
        return replace(self, title=title, source=source)

    def extended(
        self,
        name: str,
        options: Mapping[str, Any],
        players: tuple[int, ...] = (),
        by_players: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> Variant:
        """A new variant: this one with options changed.

        Args:
            name: of the new variant.
            options: changed for every number of players; they win over `self.by_players`.
            players: numbers of players of the new variant; none for those of this one.
            by_players: changed for single numbers of players; they win over `options`.

        Raises InputError for an option that there is none of.
        """
        more = dict(by_players or {})
        for changes in (options, *more.values()):
            for option in changes:
                if option not in CHANGEABLE:
                    raise unknown("rule option", option, CHANGEABLE, f"variant {name!r}")
        numbers = players or tuple(sorted({*self.players, *more}))
        kept = {
            number: {
                key: value for key, value in self.by_players.get(number, {}).items() if key not in options
            }
            for number in numbers
        }
        return Variant(
            name=name,
            title=f"{self.title}, changed",
            source=f"house rules over {self.name!r}",
            players=numbers,
            options={**self.options, **options},
            by_players={number: {**kept[number], **more.get(number, {})} for number in numbers},
        )


CHANGEABLE: tuple[str, ...] = tuple(name for name in OPTION_NAMES if name not in ("variant", "players"))
"""The options that a house rule may change."""

_BASE = Variant(
    name="base",
    title="Base game, 25th anniversary edition",
    source="RULES 1 (S0, S4)",
    players=(3, 4, 5),
    options={"kinds": BASE_KINDS, "fields": 2},
    by_players={3: {"fields": 3}},
)

_MORE_BEANS = Variant(
    name="more-beans",
    title="More beans, everyone draws: 3 to 7 players with kinds of the large box",
    source="RULES 2.1 (S4, S2)",
    players=(3, 4, 5, 6, 7),
    options={"fields": 2, "draw": 1, "draws": "everyone"},
    by_players={
        number: {"kinds": kinds, **({"fields": 3, "run_outs": 2} if number == 3 else {})}
        for number, kinds in BOX_DECKS.items()
    },
)

_FIELD_BEAN = Variant(
    name="field-bean",
    title="Field bean: two field beans earn a third field, everyone draws",
    source="RULES 2.1 (S4; BB1)",
    players=(4, 5),
    options={
        "kinds": (*BASE_KINDS, "wax", "field"),
        "fields": 2,
        "max_fields": 3,
        "draw": 1,
        "draws": "everyone",
    },
)

_CROWDED_HANDS = (3, 4, 5, 6, 6, 6, 6)
"""Hands with 6 and 7 players, from the start seat on (RULES 2.2; BB1)."""

_RIO_GRANDE = Variant(
    name="rio-grande",
    title="Older Rio Grande edition: 3 to 7 players, a third field is bought",
    source="RULES 2.2 (RG)",
    players=(3, 4, 5, 6, 7),
    options={"fields": 2, "max_fields": 3, "field_price": 3, "tie": "hand"},
    by_players={
        3: {"kinds": BOX_DECKS[3], "fields": 3, "run_outs": 2},
        4: {"kinds": BOX_DECKS[4]},
        5: {"kinds": BOX_DECKS[5]},
        **{
            number: {
                "kinds": BOX_DECKS[number],
                "hands": _CROWDED_HANDS[:number],
                "field_price": 2,
                "draw": 4,
            }
            for number in (6, 7)
        },
    },
)

_BGA = Variant(
    name="bga",
    title="Board Game Arena: a field is harvested only to make room",
    source="RULES 2.4 (S1, the 2023 revision)",
    players=(3, 4, 5),
    options={**_BASE.options, "harvest": "forced"},
    by_players=_BASE.by_players,
)

_DUEL = Variant(
    name="duel",
    title="Two-player Duel, newer Rio Grande edition: three fields",
    source="RULES 2.5 (UB2; S2)",
    players=(2,),
    options={
        "kinds": _box_without("cocoa", "garden"),
        "fields": 3,
        "turn": "duel",
        "reveal": 3,
        "match_discards": True,
        "draw": 2,
        "run_outs": 1,
        "harvest": "own_turn",
        "trading": False,
        "tie": "hand",
    },
)

_DUEL_RIO_GRANDE = Variant(
    name="duel-rio-grande",
    title="Two-player Duel, older Rio Grande edition: two fields, a third is bought",
    source="RULES 2.5 (RG)",
    players=(2,),
    options={**_DUEL.options, "fields": 2, "max_fields": 3, "field_price": 3, "field_payment": "box"},
)

_TWO_PASS = Variant(
    name="two-pass",
    title="Two-pass harvest: the game ends on the second run-out",
    source="RULES 2.1 (S4, house suggestion)",
    players=(3, 4, 5),
    options={**_BASE.options, "run_outs": 2},
    by_players=_BASE.by_players,
)

VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        _BASE,
        _TWO_PASS,
        _MORE_BEANS,
        _FIELD_BEAN,
        _RIO_GRANDE,
        _BGA,
        _DUEL,
        _DUEL_RIO_GRANDE,
    )
}
"""Every variant that comes with beansim, by name."""


def find_variant(name: str, extra: Mapping[str, Variant] | None = None, where: str = "") -> Variant:
    """The variant called `name`, out of `extra` or the built-in ones; InputError otherwise."""
    known = {**VARIANTS, **(extra or {})}
    if name not in known:
        raise unknown("variant", name, known, where)
    return known[name]


def resolve(name: str, players: int) -> Rules:
    """Rules of the built-in variant `name` for `players` seats."""
    return find_variant(name).rules(players)
