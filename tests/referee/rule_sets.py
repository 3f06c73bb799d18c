"""Rule sets of RULES 2 built from its text, so that the cases do not lean on the named variants."""

from __future__ import annotations

from typing import Any

from beansim.rules import VARIANTS, Rules

ALL = ["coffee", "wax", "blue", "chili", "stink", "green", "soy", "black-eyed", "red", "garden", "cocoa"]
BASE = ["blue", "chili", "stink", "green", "soy", "black-eyed", "red", "garden"]


def _deck_154(players: int) -> list[str]:
    """RULES 2.1, 2.2: which kinds leave the 154-card deck."""
    out = {3: {"cocoa"}, 4: {"coffee"}, 5: {"coffee"}}.get(players, {"cocoa", "garden"})
    return [kind for kind in ALL if kind not in out]


def more_beans(players: int) -> dict[str, Any]:
    """RULES 2.1: everyone draws one card."""
    fields = 3 if players == 3 else 2
    return {
        "kinds": _deck_154(players),
        "fields": fields,
        "max_fields": fields,
        "draw": 1,
        "draws": "everyone",
        "run_outs": 2 if players == 3 else 3,
    }


def field_bean(players: int) -> dict[str, Any]:
    """RULES 2.1: 129 cards, two fields and a third by field beans."""
    return {"kinds": [*BASE, "wax", "field"], "fields": 2, "max_fields": 3, "draw": 1, "draws": "everyone"}


def rio_grande(players: int) -> dict[str, Any]:
    """RULES 2.2: the older edition, with the purchase of a third field."""
    big = players >= 6
    return {
        "kinds": _deck_154(players),
        "hands": [3, 4, 5, 6, 6, 6, 6][:players] if big else [5] * players,
        "fields": 3 if players == 3 else 2,
        "max_fields": 3,
        "field_price": 2 if big else 3,
        "draw": 4 if big else 3,
        "run_outs": 2 if players == 3 else 3,
        "tie": "hand",
    }


def bga(players: int) -> dict[str, Any]:
    """RULES 2.4: fields are harvested to make room and at the end alone."""
    return {"kinds": BASE, "fields": 3 if players == 3 else 2, "harvest": "forced"}


def duel(players: int) -> dict[str, Any]:
    """RULES 2.5: two players, three fields each, 144 cards, one pass."""
    return {
        "kinds": [kind for kind in ALL if kind not in ("garden", "cocoa")],
        "fields": 3,
        "max_fields": 3,
        "turn": "duel",
        "reveal": 3,
        "match_discards": True,
        "draw": 2,
        "run_outs": 1,
        "harvest": "own_turn",
        "trading": False,
        "tie": "hand",
    }


def duel_rio_grande(players: int) -> dict[str, Any]:
    """RULES 2.5: two fields, a third for three coins that leave the game."""
    bought = {"fields": 2, "max_fields": 3, "field_price": 3, "field_payment": "box"}
    return {**duel(players), **bought}


RULE_SETS = {"more-beans": more_beans, "field-bean": field_bean, "rio-grande": rio_grande, "bga": bga}
RULE_SETS |= {"duel": duel, "duel-rio-grande": duel_rio_grande}


def build(data: dict[str, Any]) -> Rules:
    """Rules from a case: a variant or a rule set of this file, the players, and changed options."""
    options = {key: value for key, value in data.items() if key not in ("set", "variant", "players")}
    players = data["players"]
    if "set" in data:
        options = {**RULE_SETS[data["set"]](players), **options}
    name = data.get("set") or data["variant"]
    base = VARIANTS[data.get("variant", "base")]
    return base.extended(name, options, (players,)).rules(players)
