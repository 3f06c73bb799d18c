"""Reading positions: short forms, and every fault named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beansim.errors import InputError
from beansim.referee import Game, format_position, parse_position, read_position

SHORT: dict[str, Any] = {"rules": {"variant": "base", "players": 3, "protect": "all_single"}, "pile": ["red"]}


def test_what_is_left_out_is_empty() -> None:
    position = read_position(SHORT)
    assert position.rules.protect == "all_single"
    assert [seat.fields for seat in position.seats] == [(None, None, None)] * 3
    assert (position.turn, position.phase, position.passes) == (1, 1, 1)
    assert parse_position(format_position(position)) == position


def test_brandy_is_read_as_wax() -> None:
    kinds = ["wax", "red"]
    assert read_position({"rules": {**SHORT["rules"], "kinds": kinds}, "pile": ["brandy"]}).pile == ("wax",)


def test_an_empty_pile_is_not_rebuilt_yet() -> None:
    position = read_position({**SHORT, "pile": [], "run_outs": 1, "discards": ["red"]})
    assert position.passes == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rules": None}, "rules is missing"),
        ({"rules": {"variant": "bass", "players": 3}}, "bass"),
        ({"rules": {"variant": "base"}}, "players"),
        ({"rules": {"variant": "base", "players": 3, "protekt": 1}}, "protect"),
        ({"pile": "red"}, "pile"),
        ({"pile": ["read"]}, "red"),
        ({"pile": [1]}, "names of beans"),
        ({"pile": ["red"] * 9}, "9 red cards, the deck has 8"),
        ({"pile": []}, "run out"),
        ({"pil": []}, "pile"),
        ({"position": 2}, "format"),
        ({"turn": -1}, "turn"),
        ({"turn": 0}, "turns count from 1"),
        ({"turn": True}, "turn"),
        ({"phase": 5}, "phase"),
        ({"phase": "end"}, "phase"),
        ({"active": 3}, "active is 3"),
        ({"drawn": 1}, "drawn"),
        ({"drawn": True}, "phases 2 and 4"),
        ({"planted": 3}, "planted"),
        ({"discarded": True}, "step 2 of the Duel"),
        ({"token": 1}, "draw token"),
        ({"revealed": ["red"]}, "aside"),
        ({"run_outs": 4}, "run_outs"),
        ({"ending": "exhausted"}, "ending"),
        ({"ending": "why"}, "ending"),
        ({"seats": [{}]}, "1 seats"),
        ({"seats": [{}, {}, {}, {}]}, "seats"),
        ({"seats": [[], {}, {}]}, "object"),
        ({"seats": [{"field": []}, {}, {}]}, "fields"),
        ({"seats": [{"fields": [None]}, {}, {}]}, "fields"),
        ({"seats": [{"fields": [["red", 0], None, None]}, {}, {}]}, "without cards"),
        ({"seats": [{"fields": [["red"], None, None]}, {}, {}]}, "pair"),
        ({"seats": [{"fields": 3}, {}, {}]}, "fields"),
    ],
)
def test_a_wrong_position_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_position(json.dumps({**SHORT, **change}))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, "[]", "{" * 5, " " * 2_000_000, '{"turn": ' + "9" * 5000 + "}"]
)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_position(text)


def test_there_is_no_position_in_the_middle_of_a_move() -> None:
    with pytest.raises(InputError, match="between two moves"):
        Game(read_position(SHORT).rules).position()
