"""Kinds of beans and their beanometers, as data (RULES 1.1; sources S0, S3, S4)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from beansim.errors import InputError

MAX_CARDS_OF_A_KIND = 99
"""Most cards of one kind that a rule set may hold (the engine counts cards in signed bytes)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of bean.

    Attributes:
        name: lower-case name as used in records and tables.
        count: cards of this kind in a full deck.
        needed: the beanometer: cards needed for 1, 2, 3 and 4 coins; `None` where the
            beanometer has no such step (the garden bean never pays 1 or 4).
        field_at: harvesting exactly this many cards earns one more field and no coins
            (the field bean, RULES 2.1); `None` for every ordinary kind.
    """

    name: str
    count: int
    needed: tuple[int | None, ...]
    field_at: int | None = None

    def __post_init__(self) -> None:
        _check_kind(self)

    def coins(self, cards: int) -> int:
        """Coins for harvesting `cards` cards of this kind; constant above the last step."""
        if cards == self.field_at:
            return 0
        return max(
            (coins for coins, step in enumerate(self.needed, start=1) if step and cards >= step),
            default=0,
        )

    def to_dict(self) -> dict[str, object]:
        """Return the kind as plain data, as records and experiments hold it."""
        data: dict[str, object] = {"name": self.name, "count": self.count, "needed": list(self.needed)}
        if self.field_at is not None:
            data["field_at"] = self.field_at
        return data


def _check_kind(kind: Kind) -> None:
    where = f"kind {kind.name!r}"
    if not kind.name or not kind.name.replace("-", "").replace("_", "").isalnum():
        raise InputError(f"{where}: a name is letters, digits and hyphens")
    if not 1 <= kind.count <= MAX_CARDS_OF_A_KIND:
        raise InputError(f"{where}: count is {kind.count}, expected 1 to {MAX_CARDS_OF_A_KIND}")
    if not 1 <= len(kind.needed) <= 4:
        raise InputError(f"{where}: needed lists the cards for 1 to 4 coins, got {list(kind.needed)}")
    steps = [(coins, step) for coins, step in enumerate(kind.needed, start=1) if step is not None]
    for coins, step in steps:
        if step < coins:
            raise InputError(f"{where}: {step} cards cannot become {coins} coins, each coin is one card")
        if step < 2:
            raise InputError(f"{where}: a single card is never worth a coin (bean protection relies on it)")
    for (_, low), (_, high) in itertools.pairwise(steps):
        if high <= low:
            raise InputError(f"{where}: the beanometer must rise, got {list(kind.needed)}")
    if kind.field_at is not None and kind.field_at < 1:
        raise InputError(f"{where}: field_at is {kind.field_at}, expected 1 or more")


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("coffee", 24, (4, 7, 10, 12)),
        Kind("wax", 22, (4, 7, 9, 11)),
        Kind("blue", 20, (4, 6, 8, 10)),
        Kind("chili", 18, (3, 6, 8, 9)),
        Kind("stink", 16, (3, 5, 7, 8)),
        Kind("green", 14, (3, 5, 6, 7)),
        Kind("soy", 12, (2, 4, 6, 7)),
        Kind("black-eyed", 10, (2, 4, 5, 6)),
        Kind("red", 8, (2, 3, 4, 5)),
        Kind("garden", 6, (None, 2, 3, None)),
        Kind("cocoa", 4, (None, 2, 3, 4)),
        Kind("field", 3, (None, None, 3, None), field_at=2),
    )
}
"""The twelve kinds of RULES 1.1, most frequent first. Brandy is the wax bean under another name."""

ALIASES: dict[str, str] = {"brandy": "wax"}
"""Other names under which a kind is read (RECORD.md); never written."""
