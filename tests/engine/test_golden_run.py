"""C62 of RULES 4: a game without luck, played by a scripted strategy in the compiled engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledger import states

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play_deck
from beansim.errors import InputError
from beansim.referee import replay_events
from beansim.rules import Rules
from beansim.strategy import load

SCRIPT = '''
from beansim.strategy import NONE, Strategy, hook, silent

DECK = {deck}


class Golden(Strategy):
    """The policy of C62; it knows the deck, and so the order in which cards were turned up."""

    appraise = announce = bid = propose = choose_bid = accept = silent

    @hook
    def plant_second(self, table, kind):
        return False

    @hook
    def choose_harvest(self, table, kind):
        best, most = NONE, -1
        for field in range(table.fields[self.seat]):
            if self.allowed[field]:
                coins = table.pay[table.field_kind[self.seat, field], table.field_cards[self.seat, field]]
                if coins > most:
                    best, most = field, coins
        return best

    @hook
    def plant_next(self, table):
        if table.run_outs:
            return Strategy.plant_next(self, table)
        return DECK[len(DECK) - table.pile - 2]
'''


def round_robin(rules: Rules) -> list[int]:
    """One card of each kind after the other, finished kinds passed over."""
    most = max(kind.count for kind in rules.kinds)
    return [number for turn in range(most) for number, kind in enumerate(rules.kinds) if kind.count > turn]


def test_the_golden_run(tmp_path: Path) -> None:
    rules = rules_of("base", 3)
    deck = round_robin(rules)
    path = tmp_path / "golden.py"
    path.write_text(SCRIPT.format(deck=tuple(deck)))
    batch = play_deck(table_of(rules, (load(str(path)),) * 3), 0, 0, 0, deck)
    events = batch.records(0)
    assert batch.games["status"][0] == 0
    assert replay_events(events).holds

    run_out = next(number for number, event in enumerate(events) if event["e"] == "exhausted")
    event = events[run_out]
    assert (event["turn"], event["phase"], events[run_out - 1]["seat"]) == (18, 4, 2)
    assert events[run_out - 1]["beans"][1:] != []
    first_pass = events[: run_out + 1]
    ledger = [ledger for _, ledger in states(first_pass)][-1]
    places = {name: dict(+cards) for name, cards in ledger.places.items()}
    harvests = [event for event in first_pass if event["e"] == "harvest"]
    coins = [sum(event["coins"] for event in harvests if event["seat"] == seat) for seat in range(3)]
    assert coins == [3, 3, 0]
    assert len(harvests) == 31
    assert ledger.places["discards"].total() == 37
    assert [ledger.places[f"hand {seat}"].total() for seat in range(3)] == [17, 17, 16]
    fields = [[places.get(f"field {seat} {field}") for field in range(3)] for seat in range(3)]
    assert fields == [
        [{"soy": 1}, {"green": 1}, {"chili": 3}],
        [{"chili": 1}, {"garden": 1}, {"blue": 1}],
        [{"chili": 1}, {"soy": 1}, {"red": 1}],
    ]


def test_a_deck_that_is_not_the_rule_sets_is_refused() -> None:
    rules = rules_of("base", 3)
    arm = table_of(rules, ("hermit",) * 3)
    with pytest.raises(InputError, match="the deck has 19 blue, expected 20"):
        play_deck(arm, 0, 0, 0, round_robin(rules)[1:])
    with pytest.raises(InputError, match="deck"):
        play_deck(arm, 0, 0, 0, [8, *round_robin(rules)])


def test_a_given_deck_is_dealt_as_it_stands() -> None:
    rules = rules_of("base", 3)
    deck = round_robin(rules)[::-1]
    events = play_deck(table_of(rules, ("trader",) * 3), 0, 0, 0, deck).records(0)
    shuffle = next(event for event in events if event["e"] == "shuffle")
    assert shuffle["deck"] == [rules.kind_names[kind] for kind in deck]
    hands = [event["beans"] for event in events if event["e"] == "draw" and event["turn"] == 0]
    assert hands == [shuffle["deck"][5 * seat : 5 * seat + 5] for seat in range(3)]
