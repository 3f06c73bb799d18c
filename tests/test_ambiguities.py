"""RULES 1.3: every ambiguity that has more than one reading is an option with the default of the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from beansim.rules import VARIANTS
from beansim.rules.options import BOUNDS, CHOICES, OPTION_NAMES, SWITCHES

DOCS = (Path(__file__).parents[1] / "docs" / "rules.md").read_text()
ROWS = re.findall(r"^\| (A\d+) \| .+? \| `(\w+)` \| `(\w+)` \| (.+) \|$", DOCS, re.MULTILINE)

DEFAULTS = {
    "A1": ("exhaust", "last_card"),
    "A2": ("reshuffle", "immediate"),
    "A3": ("exhaust", "last_card"),
    "A4": ("empty_discard", "end_after_phase"),
    "A5": ("protect", "other_ge2"),
    "A6": ("harvest", "any_time"),
    "A7": ("same_kind_twice", True),
    "A8": ("copy", "owner"),
    "A9": ("copy", "owner"),
    "A10": ("gifts", True),
    "A11": ("proposals", True),
    "A13": ("tie", "last_seat"),
}
"""Option and default of every ambiguity with more than one reading (RULES 1.3)."""

SAID_OTHERWISE = {
    "bga": {"harvest": "forced"},
    "rio-grande": {"tie": "hand"},
    "duel": {"harvest": "own_turn", "tie": "hand"},
    "duel-rio-grande": {"harvest": "own_turn", "tie": "hand"},
}
"""Where the sources of a variant give another reading (RULES 2)."""


@pytest.mark.parametrize(("variant", "players"), [(n, p) for n, v in VARIANTS.items() for p in v.players])
def test_every_variant_has_the_default_readings(variant: str, players: int) -> None:
    rules = VARIANTS[variant].rules(players)
    expected = dict(DEFAULTS.values()) | SAID_OTHERWISE.get(variant, {})
    assert {name: getattr(rules, name) for name in expected} == expected


def test_the_guide_names_them_all_with_their_readings() -> None:
    assert {row[0]: row[1] for row in ROWS} == {key: option for key, (option, _) in DEFAULTS.items()}
    for key, option, default, others in ROWS:
        expected = DEFAULTS[key][1]
        assert default == (str(expected).lower() if isinstance(expected, bool) else expected)
        words = set(CHOICES.get(option, ("true", "false"))) - {default}
        assert words <= set(re.findall(r"`(\w+)`", others))


def test_the_guide_speaks_of_every_ambiguity_and_every_option() -> None:
    for number in range(1, 20):
        assert re.search(rf"\bA{number}\b", DOCS)
    for option in OPTION_NAMES:
        assert option in ("variant", "players") or f"`{option}`" in DOCS
    assert set(BOUNDS) | set(CHOICES) | set(SWITCHES) | {"variant", "kinds", "hands"} == set(OPTION_NAMES)


def test_the_guide_lists_every_variant() -> None:
    for name, variant in VARIANTS.items():
        low, high = min(variant.players), max(variant.players)
        players = f"{low}-{high}" if low < high else str(low)
        assert f"| `{name}` | {players} |" in DOCS
