"""Games told in words."""

from __future__ import annotations

import pytest

from beansim.errors import InputError
from beansim.report.tell import tell

GAME = {
    "e": "game",
    "record": 1,
    "variant": "base",
    "seed": 7,
    "game": 3,
    "players": ["trader", "miser"],
    "start": 0,
}


def told(*events):
    return list(tell([GAME, *events]))


def test_a_game_begins_with_who_plays_what():
    assert told() == [
        "Game 3 of seed 7: base, 2 players, seat 0 starts.",
        "  seat 0 (trader)",
        "  seat 1 (miser)",
    ]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"e": "shuffle", "pass": 1, "deck": ["blue"] * 104}, "the deck of 104 cards"),
        ({"e": "shuffle", "pass": 2, "deck": ["blue"] * 9}, "the discards are shuffled: 9 cards"),
        (
            {"e": "draw", "phase": "deal", "seat": 1, "beans": ["red", "soy"]},
            "seat 1 (miser) is dealt red, soy",
        ),
        ({"e": "draw", "phase": 4, "seat": 0, "beans": ["red"]}, "draws red"),
        ({"e": "reveal", "seat": 0, "beans": []}, "turns up nothing"),
        (
            {"e": "plant", "seat": 1, "bean": "red", "field": 1, "from": "received"},
            "seat 1 (miser) plants red (got in a deal) in field 1: 1 red",
        ),
        (
            {
                "e": "harvest",
                "phase": 1,
                "seat": 0,
                "field": 0,
                "bean": "red",
                "cards": 3,
                "coins": 1,
                "why": "forced",
            },
            "harvests 3 red for 1 coin (to make room)",
        ),
        (
            {
                "e": "harvest",
                "phase": "end",
                "seat": 0,
                "field": 0,
                "bean": "soy",
                "cards": 1,
                "coins": 0,
                "why": "final",
            },
            "seat 0 (trader) harvests 1 soy for nothing (at the end)",
        ),
        ({"e": "exhausted", "count": 2}, "-- the draw pile has run out for the 2nd time --"),
        (
            {"e": "field", "seat": 0, "how": "bought", "paid": ["soy", "red", "red"]},
            "buys a field, paying 3 coins",
        ),
        ({"e": "field", "seat": 1, "how": "field-bean"}, "seat 1 (miser) gains a field for two field beans"),
        ({"e": "discard", "seat": 0, "bean": "red", "from": "hand"}, "discards red (from hand)"),
        ({"e": "discard", "seat": 0, "bean": "red", "from": "offer"}, "discards red (on offer)"),
        ({"e": "match", "seat": 0, "beans": ["red", "soy"]}, "takes red, soy from the discard pile along"),
        ({"e": "token", "seat": 0}, "takes the draw token"),
        ({"e": "leave", "seat": 0, "beans": ["red"]}, "leaves red on offer"),
    ],
)
def test_each_event_has_its_line(event, line):
    turn = {"e": "turn", "turn": 1, "phase": 1, "seat": 0}
    assert told(turn, event)[-1] == f"  {line}"


def card(bean, source="hand"):
    return {"bean": bean, "from": source, "position": 0}


@pytest.mark.parametrize(
    ("gives", "gets", "line"),
    [
        ([card("red")], [card("soy"), card("soy")], "gives seat 1 (miser) red (hand) for 2 soy (hand)"),
        ([card("red", "revealed")], [], "gives seat 1 (miser) red (turned up) as a gift"),
        ([], [card("soy")], "gets soy (hand) from seat 1 (miser) as a gift"),
    ],
)
def test_deals_and_gifts(gives, gets, line):
    assert told({"e": "trade", "active": 0, "partner": 1, "gives": gives, "gets": gets})[-1] == f"  {line}"


def test_fields_are_followed():
    plant = {"e": "plant", "seat": 0, "bean": "red", "field": 0, "from": "hand"}
    harvest = {
        "e": "harvest",
        "phase": 1,
        "seat": 0,
        "field": 0,
        "bean": "red",
        "cards": 2,
        "coins": 1,
        "why": "early",
    }
    lines = told(plant, plant, harvest, plant)
    assert [line.rsplit(": ", 1)[-1] for line in (lines[3], lines[4], lines[6])] == [
        "1 red",
        "2 red",
        "1 red",
    ]


def test_the_end_names_the_winners():
    end = {"e": "end", "why": "exhausted", "turns": 39, "coins": [9, 12], "hand": [4, 1], "winner": 1}
    assert told(end)[-3:] == [
        "  seat 0 (trader): 9 coins, 4 cards left in hand",
        "  seat 1 (miser): 12 coins, 1 card left in hand",
        "Seat 1 (miser) wins.",
    ]
    assert told(end | {"winner": [0, 1]})[-1] == "Seat 0 (trader) and seat 1 (miser) share the win."


def test_names_cannot_break_a_line():
    lines = list(tell([GAME | {"players": ["a\nb\x1b[31m", "\u202eevil"]}]))
    assert all(line.isprintable() for line in lines)


def test_unknown_events_are_passed_over_and_damage_names_its_line():
    assert len(told({"e": "future"})) == 3
    with pytest.raises(InputError, match="line 2 of the record"):
        told({"e": "draw", "seat": 0})
    with pytest.raises(InputError, match="line 2"):
        told("nonsense")


def test_coins_are_told_where_wanted() -> None:
    """A14: harvests add, a field bought takes away."""
    harvest = {"e": "harvest", "turn": 1, "phase": 1, "seat": 1, "field": 0, "bean": "red", "cards": 5}
    harvest |= {"coins": 4, "why": "early"}
    bought = {"e": "field", "turn": 1, "phase": 1, "seat": 1, "how": "bought", "paid": ["red"] * 3}
    turns = [{"e": "turn", "turn": number, "phase": 1, "seat": 0} for number in (1, 2, 3)]
    events = [GAME, turns[0], harvest, turns[1], bought, turns[2]]
    told_coins = [line for line in tell(events, coins=True) if "coins:" in line]
    assert told_coins == ["  coins: 0, 0", "  coins: 0, 4", "  coins: 0, 1"]
    assert not [line for line in tell(events) if "coins:" in line]
