"""Reads the order of a draw pile: one kind for each word, first drawn first."""

from __future__ import annotations

from collections import Counter
from typing import IO

from beansim.errors import InputError
from beansim.rules import Rules

MAX_BYTES = 100_000


def read_deck(file: IO[str], rules: Rules) -> list[int]:
    """Numbers of the kinds in `file`, which must hold exactly the deck of `rules`.

    Words are divided by white space or commas; what follows # is a comment. Raises InputError that
    names an unknown kind with its line, or which cards are missing and which are too many.
    """
    name = getattr(file, "name", "deck")
    try:
        text = file.read(MAX_BYTES + 1)
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not a text file in UTF-8") from error
    if len(text) > MAX_BYTES:
        raise InputError(f"{name}: longer than {MAX_BYTES:,} characters, this is no deck")
    deck = [
        rules.kind_number(word.lower(), f"{name}, line {number}")
        for number, line in enumerate(text.splitlines(), start=1)
        for word in line.partition("#")[0].replace(",", " ").split()
    ]
    _check_cards(deck, rules, name)
    return deck


def _check_cards(deck: list[int], rules: Rules, name: str) -> None:
    wanted = Counter({number: kind.count for number, kind in enumerate(rules.kinds)})
    found = Counter(deck)
    faults = [("missing", wanted - found), ("too many", found - wanted)]
    if wanted != found:
        texts = [f"{what}: {_cards(cards, rules)}" for what, cards in faults if cards]
        sizes = f"{len(deck)} cards, the deck of {rules.variant!r} has {rules.deck_size}"
        raise InputError(f"{name}: {sizes}; {'; '.join(texts)}")


def _cards(cards: Counter[int], rules: Rules) -> str:
    return ", ".join(f"{count} {rules.kind_names[number]}" for number, count in sorted(cards.items()))
