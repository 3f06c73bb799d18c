"""The cases of RULES section 4 against the referee; the case files fit any other implementation too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beansim.referee import (
    Action,
    Draw,
    EndPhase,
    Game,
    Harvest,
    IllegalAction,
    Plant,
    Position,
    Reveal,
    Shuffle,
    read_choice,
    read_position,
)
from beansim.rules import KINDS, VARIANTS, Rules

from .rule_sets import BASE, RULE_SETS, build

HERE = Path(__file__).parents[1] / "conformance"
CASES = [
    case
    for name in ("harvests", "trades", "run_outs", "endings", "variants", "duel")
    for case in json.loads((HERE / f"{name}.json").read_text())["cases"]
]
BEANOMETERS = json.loads((HERE / "beanometers.json").read_text())["beanometers"]
DECKS = json.loads((HERE / "variants.json").read_text())["decks"]
GOLDEN = json.loads((HERE / "golden.json").read_text())


def cards(items: Any) -> Any:
    """Spell out `bean*3` wherever beans are listed."""
    if isinstance(items, dict):
        return {key: cards(value) for key, value in items.items()}
    if not isinstance(items, list):
        return items
    spelled: list[Any] = []
    for item in items:
        bean, star, number = item.partition("*") if isinstance(item, str) else (cards(item), "", "")
        spelled += [bean] * (int(number) if star else 1)
    return spelled


def position(rules: Rules, data: dict[str, Any]) -> Position:
    data = cards(data)
    seats = data.get("seats", [])
    data["seats"] = [*seats, *({} for _ in range(rules.players - len(seats)))]
    return read_position({"rules": rules.to_dict(), **data})


def action(game: Game, data: dict[str, Any]) -> Action:
    simple: dict[str, Action] = {"reveal": Reveal(), "draw": Draw(), "end-phase": EndPhase()}
    if data["e"] in simple:
        return simple[data["e"]]
    if data["e"] == "shuffle":
        return Shuffle(tuple(cards(data.get("deck", game.table.discards))))
    choice = read_choice(data)
    assert choice is not None
    return choice


def state(game: Game) -> dict[str, Any]:
    """What a case may expect, by name."""
    seats = game.table.seats
    found: dict[str, Any] = {
        name: getattr(game, name)
        for name in (
            "turn",
            "active",
            "phase",
            "run_outs",
            "awaits_shuffle",
            "over",
            "winner",
            "passes",
            "token",
        )
    }
    found |= {name: getattr(game.table, name) for name in ("revealed", "discards", "box")}
    found |= {"sizes.pile": len(game.table.pile), "sizes.discards": len(game.table.discards)}
    for number, seat in enumerate(seats):
        found[f"fields.{number}"] = [[own.bean, own.cards] if own.cards else None for own in seat.fields]
        found[f"hands.{number}"], found[f"received.{number}"] = seat.hand, seat.received
        found[f"earnings.{number}"], found[f"coins.{number}"] = seat.earnings, len(seat.earnings)
    found["end.coins"] = [len(seat.earnings) for seat in seats]
    found["hand_sizes"] = found["end.hand"] = [len(seat.hand) for seat in seats]
    found["harvests"] = sum(event["e"] == "harvest" for event in game.events)
    found["end.why"] = game.ending
    return found


def expect(game: Game, expected: dict[str, Any]) -> None:
    found = state(game)
    assert {key: found[key] for key in expected} == cards(expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}: {case['says']}")
def test_case(case: dict[str, Any]) -> None:
    rules = build(case["rules"])
    game = Game.from_position(position(rules, case["position"]))
    for step in case["steps"]:
        if "do" in step:
            assert action(game, step["do"]).can(game)
            game.apply(action(game, step["do"]))
        elif "refuse" in step:
            assert not action(game, step["refuse"]).can(game)
            with pytest.raises(IllegalAction) as caught:
                game.apply(action(game, step["refuse"]))
            assert caught.value.rule == step["rule"]
        else:
            expect(game, step["expect"])


@pytest.mark.parametrize("case", BEANOMETERS, ids=lambda case: f"{case['case']}: {case['kind']}")
def test_beanometer(case: dict[str, Any]) -> None:
    kind = case["kind"]
    rules = build(
        {"variant": "base", "players": 4, "kinds": list(dict.fromkeys([*BASE, kind])), "max_fields": 3}
    )
    for number in range(1, KINDS[kind].count + 1):
        coins = max(pays for step, pays in case["pays"].items() if int(step) <= number or pays == 0)
        filler = "blue" if kind != "blue" else "red"
        start = position(rules, {"pile": [filler], "seats": [{"fields": [[kind, number], None]}]})
        game = Game.from_position(start)
        game.apply(Harvest(0, 0, "early"))
        expect(game, {"coins.0": coins, "sizes.discards": number - coins})
        fields_after = case.get("fields_after", {}).get(str(number), 2)
        assert len(game.table.seats[0].fields) == fields_after


@pytest.mark.parametrize("case", DECKS, ids=lambda case: f"{case['case']}: {case['rules']}")
def test_deck(case: dict[str, Any]) -> None:
    rules = build(case["rules"])
    game = Game(rules)
    assert len(game.table.discards) == case["deck"]
    game.apply(Shuffle(tuple(game.table.discards)))
    assert len(game.table.pile) == case["first_pass"]
    if "hands" in case:
        expect(game, {"hand_sizes": case["hands"]})
        assert rules.draw == case["draw"]


NAMED = [(name, players) for name in RULE_SETS for players in VARIANTS[name].players]


@pytest.mark.parametrize(("name", "players"), NAMED)
def test_named_variants_are_what_the_rules_say(name: str, players: int) -> None:
    """Options that a set does not name have the defaults of the base game (RULES 1.3)."""
    assert VARIANTS[name].rules(players).to_dict() == build({"set": name, "players": players}).to_dict()


def test_the_player_counts_are_those_of_the_rules() -> None:
    counts = {name: (min(known.players), max(known.players)) for name, known in VARIANTS.items()}
    assert counts == {
        "base": (3, 5),
        "two-pass": (3, 5),
        "more-beans": (3, 7),
        "field-bean": (4, 5),
        "rio-grande": (3, 7),
        "bga": (3, 5),
        "duel": (2, 2),
        "duel-rio-grande": (2, 2),
    }


def round_robin(rules: Rules) -> tuple[str, ...]:
    """C62: one card of each kind after the other, skipping finished kinds."""
    most = max(kind.count for kind in rules.kinds)
    return tuple(kind.name for turn in range(most) for kind in rules.kinds if kind.count > turn)


def best_place(game: Game, number: int, bean: str) -> int:
    """C62: matching, else empty, else the harvestable field with most coins; lowest index first."""
    fields = game.table.seats[number].fields
    for wanted in (bean, ""):
        for place, own in enumerate(fields):
            if own.bean == wanted:
                return place
    free = [place for place in range(len(fields)) if not game.table.is_protected(number, place)]
    place = max(
        free, key=lambda place: (game.table.coins_for(fields[place].bean, fields[place].cards), -place)
    )
    game.apply(Harvest(number, place, "forced"))
    return place


def test_golden_run() -> None:
    rules = build(GOLDEN["rules"])
    game = Game(rules, [round_robin(rules)])
    while not game.awaits_shuffle:
        seat = game.active
        front = game.table.seats[seat].hand[0]
        game.apply(Plant(seat, front, best_place(game, seat, front), "hand"))
        game.apply(EndPhase())
        game.apply(Reveal())
        game.apply(EndPhase())
        for bean in list(game.table.revealed):
            game.apply(Plant(seat, bean, best_place(game, seat, bean), "revealed"))
        game.apply(EndPhase())
        game.apply(Draw())
        if not game.awaits_shuffle:
            game.apply(EndPhase())
    expect(game, GOLDEN["expect"])
