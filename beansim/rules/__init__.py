"""Rules as data: kinds, rule options, variants. Nothing here plays a game."""

from beansim.rules.kinds import KINDS, Kind
from beansim.rules.options import MAX_DECK, MAX_FIELDS, MAX_KINDS, MAX_PLAYERS, Rules
from beansim.rules.variants import VARIANTS, Variant, find_variant, resolve

__all__ = [
    "KINDS",
    "MAX_DECK",
    "MAX_FIELDS",
    "MAX_KINDS",
    "MAX_PLAYERS",
    "VARIANTS",
    "Kind",
    "Rules",
    "Variant",
    "find_variant",
    "resolve",
]
