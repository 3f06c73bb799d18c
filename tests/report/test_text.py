"""Tables in a terminal: they fit its width, and no number is ever cut."""

from __future__ import annotations

import re

import pytest

from beansim.report.numbers import MINUS
from beansim.report.text import aligned, filled

ROWS = [
    ("", "strategy", "rating", "win share", "coins", "note"),
    ("1", "trader", "127 (108 to 145)", "36.5 % (34.6 to 38.4)", "11.44 (11.21 to 11.67)", "thin: 20 blocks"),
    (
        "2",
        "strategies/long_name.py:Mine",
        f"{MINUS}180 ({MINUS}194 to {MINUS}166)",
        "+9.8 in 100 (+8.9 to +10.7)",
        "3.18",
        "-",
    ),
]
TOLD = [
    ("hook", "by", "how"),
    ("appraise", "Trader", "Worth of a card by its field, an empty field, or the cheapest to clear."),
    ("bid", "Strategy", "never acts"),
]


def test_what_fits_stands_in_one_table():
    assert aligned([("a", "bc"), ("def", "g")], "> ", width=80) == "> a    bc\n> def  g"


@pytest.mark.parametrize("width", [44, 60, 80, 100])
def test_what_does_not_fit_stands_below_and_no_number_is_cut(width):
    text = aligned(ROWS, keys=2, width=width)
    assert max(map(len, text.splitlines())) <= width
    for row in ROWS[1:]:
        for cell in row[2:]:
            assert cell in text
    # Every line of every part says what it is about.
    for part in text.split("\n\n"):
        assert [line[:1] for line in part.splitlines()] == [" ", "1", "2"]


def test_names_are_shortened_and_stay_apart():
    rows = [
        ("name", "number"),
        *((f"a-name-that-is-too-long-{n}", "+9.8 in 100 (+8.9 to +10.7)") for n in "ab"),
    ]
    lines = aligned(rows, width=44).splitlines()
    assert max(map(len, lines)) <= 44
    assert len({line.split()[0] for line in lines}) == 3


@pytest.mark.parametrize("width", [40, 60])
def test_prose_in_the_last_column_is_wrapped(width):
    text = aligned(TOLD, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert re.sub(r"\s+", " ", text).count("cheapest") == 1
    assert all(word in text for word in TOLD[1][2].split())


def test_prose_is_filled_and_commands_are_not_broken():
    said = filled("word " * 30 + "beansim/" * 12, "  ", "    ", width=40)
    lines = said.splitlines()
    assert lines[0].startswith("  word")
    assert all(line.startswith("    ") for line in lines[1:])
    assert "beansim/" * 12 in said
