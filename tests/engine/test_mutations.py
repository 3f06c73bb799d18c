"""Deliberately broken engines: each fault is caught by the differential.

The compiled engine is broken by what it works with: it is handed other rules or tables than the record
names. The interpreted engine is broken in its source, one function replaced by a wrong one.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from beansim.checking.differential import judge
from beansim.checking.tables import rules_of, table_of
from beansim.engine import Arm, Bench, warm
from beansim.engine.record import read_log, write_record

DEALS = 40
Events = list[dict[str, Any]]


def record_of(bench: Bench, told: Arm, deal: int) -> Events:
    """The record of one game played on a bench, with the rules of `told` in its header."""
    batch, log = bench.run(3, deal, 1, [0], log_rows=20_000)
    labels = [entrant.label for entrant in told.lineup]
    return write_record(told.rules, labels, 3, batch.games[0], batch.seats, read_log(log))


def caught(bench: Bench, told: Arm) -> set[str]:
    """Rules that the referee finds broken in some games of a bench."""
    found = set()
    for deal in range(DEALS):
        difference = judge(record_of(bench, told, deal), f"deal {deal}")
        if difference is not None:
            found.add(difference.detail.split(": ")[1])
    return found


def honest(players: int = 4, **options: Any) -> Arm:
    arm = table_of(rules_of("base", players, **options), ("random",) * players)
    warm([arm])
    return arm


def test_an_unbroken_engine_is_not_accused() -> None:
    """The negative control."""
    arm = honest()
    assert caught(Bench(arm), arm) == set()


def wrong_beanometer(arm: Arm) -> Bench:
    """One entry of one beanometer: three stink beans pay two coins."""
    bench = Bench(arm)
    bench.block["table"]["pay"][0, 3, 2] = 2
    return bench


def test_one_wrong_beanometer_entry_is_caught() -> None:
    arm = honest()
    assert caught(wrong_beanometer(arm), arm) & {"RULES 1.1 beanometer"}


@pytest.mark.parametrize(
    ("told", "broken", "section"),
    [
        ({}, {"reshuffle": "late"}, "RULES 1.2"),
        ({"reshuffle": "late"}, {"reshuffle": "immediate"}, "RULES A2"),
        ({"protect": "all_single"}, {"protect": "other_ge2"}, "RULES 1.2 protection"),
        ({"tie": "hand"}, {"tie": "last_seat"}, "RULES A13"),
        ({"same_kind_twice": False}, {"same_kind_twice": True}, "RULES A7"),
        ({"gifts": False}, {"gifts": True}, "RULES A10"),
        ({"harvest": "forced"}, {"harvest": "any_time"}, "RULES A6"),
        ({"run_outs": 2}, {"run_outs": 3}, "RULES 1.2"),
        ({"exhaust": "needed", "reshuffle": "late"}, {"reshuffle": "late"}, "RULES A1"),
    ],
    ids=str,
)
def test_an_engine_with_other_rules_is_caught(
    told: dict[str, Any], broken: dict[str, Any], section: str
) -> None:
    """The record names the one rule set, the engine plays the other."""
    players = 3 if "tie" in told else 4
    header = honest(players, **told)
    engine = Bench(replace(header, rules=rules_of("base", players, **broken)))
    found = caught(engine, header)
    assert any(rule.startswith(section) for rule in found), found


@pytest.mark.parametrize(
    ("variant", "told", "broken", "section"),
    [
        ("duel", {"match_discards": False}, {"match_discards": True}, "RULES"),
        ("duel", {}, {"match_discards": False}, "RULES"),
        ("duel", {}, {"harvest": "any_time"}, "RULES A6"),
        ("duel-rio-grande", {}, {"field_payment": "discard"}, "RULES"),
        ("rio-grande", {}, {"field_payment": "box"}, "RULES"),
        ("rio-grande", {}, {"field_price": 2}, "RULES"),
        ("field-bean", {}, {"max_fields": 2}, "RULES"),
        ("base", {"token_at": 5}, {"token_at": 6}, "RULES"),
        ("base", {"token_at": 5}, {"token_at": 5, "token_draw": 5}, "RULES"),
        ("base", {"harvest": "own_turn"}, {"harvest": "any_time"}, "RULES A6"),
    ],
    ids=str,
)
def test_an_engine_with_other_rules_of_a_variant_is_caught(
    variant: str, told: dict[str, Any], broken: dict[str, Any], section: str
) -> None:
    players = 2 if variant.startswith("duel") else 4
    header = table_of(rules_of(variant, players, **told), ("random",) * players)
    warm([header])
    engine = Bench(replace(header, rules=rules_of(variant, players, **broken)))
    found = caught(engine, header)
    assert any(rule.startswith(section) for rule in found), found


def reversed_ties(events: Events) -> Events:
    """The winner that the other reading of the tie-break gives: the tied seat met first, not last."""
    coins = events[-1]["coins"]
    events[-1]["winner"] = coins.index(max(coins))
    return events


def test_a_reversed_tie_break_is_caught() -> None:
    arm = honest(3, run_outs=1)
    bench, refused, tied = Bench(arm), 0, 0
    for deal in range(200):
        events = record_of(bench, arm, deal)
        coins = events[-1]["coins"]
        difference = judge(reversed_ties(events), "")
        if coins.count(max(coins)) > 1:
            tied += 1
            refused += difference is not None and "RULES A13" in difference.detail
        else:
            assert difference is None
    assert tied
    assert refused == tied


def test_a_received_card_traded_on_is_caught() -> None:
    """C25: after a deal, the active seat passes on what it has just received."""
    arm = honest()
    bench, tried = Bench(arm), 0
    for deal in range(10):
        events = record_of(bench, arm, deal)
        for place, event in enumerate(events):
            if event["e"] == "trade" and event["gets"]:
                tried += 1
                found = judge(passed_on(events, place), "")
                assert found is not None
                assert found.line == place + 2
                break
    assert tried


def passed_on(events: Events, place: int) -> Events:
    """A gift of a received card, directly after the deal that brought it."""
    trade = copy.deepcopy(events[place])
    bean = trade["gets"][0]["bean"]
    trade["gives"], trade["gets"] = [{"bean": bean, "from": "received"}], []
    return [*events[: place + 1], trade, *events[place + 1 :]]


def test_a_card_of_the_wrong_kind_or_place_is_caught() -> None:
    """Any single number of a record changed is a departure."""
    arm = honest()
    events = record_of(Bench(arm), arm, 0)
    generator = np.random.default_rng(1)
    changed = 0
    for place in generator.choice(np.arange(1, len(events)), 60, replace=False):
        for key, value in events[place].items():
            if isinstance(value, int) and key not in ("turn", "phase"):
                edited = copy.deepcopy(events)
                edited[place][key] = value + 1
                assert judge(edited, "") is not None, (events[place], key)
                changed += 1
    assert changed > 60


MUTANTS = {
    "protection off": """
fields.harvestable = lambda g, seat: rows.above(g.table.field_cards[seat], 0)
""",
    "tie-break reversed": """
def first_best(g):
    coins = [int(g.table.coins[seat]) for seat in range(g.table.players)]
    return 1 << coins.index(max(coins))
kernel.winners = first_best
""",
    "received cards to the hand": """
def keep(g, seat, kind):
    fields.to_hand(g, seat, kind)
market.set_aside = keep
""",
    "a coin too many": """
pay = fields._earn
def generous(g, seat, kind, coins):
    pay(g, seat, kind, coins)
    g.table.coins[seat] += 1
fields._earn = generous
""",
    "reshuffle leaves one card out": """
shuffle = deck._reshuffle
def short(g):
    g.table.discards -= 1
    return shuffle(g)
deck._reshuffle = short
""",
    "a third card is planted": """
once = turn.plant_from_hand
def twice(g):
    once(g)
    once(g)
turn.plant_from_hand = twice
""",
    "nothing": "",
}
"""What is changed in the interpreted engine, by name; `nothing` is the control."""

SIZES = {"tie-break reversed": ("hermit", 1, 25), "reshuffle leaves one card out": ("random", 2, 2)}
"""Strategy, run-outs and deals that show a mutant, where three short games of random play do not."""

HARNESS = """
import json
from beansim.checking.tables import rules_of, table_of
from beansim.engine import deck, fields, kernel, market, play, rows, turn
{mutation}
strategy, run_outs, deals = {table}
batch = play(table_of(rules_of("base", 3, run_outs=run_outs), (strategy,) * 3), 3, 0, deals, log=True)
for row in range(len(batch.games)):
    if batch.games["status"][row] == 0:
        print(json.dumps(batch.records(row)))
"""


def verdicts(name: str) -> list[str]:
    """What the referee says to the games of a mutant; empty texts where it has nothing to say."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            HARNESS.format(mutation=MUTANTS[name], table=SIZES.get(name, ("random", 1, 3))),
        ],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = (judge(json.loads(line), "") for line in done.stdout.splitlines())
    return ["" if difference is None else difference.detail for difference in found]


@pytest.mark.parametrize("name", sorted(set(MUTANTS) - {"nothing"}))
def test_a_mutant_of_the_interpreted_engine_is_caught(name: str) -> None:
    assert any(verdicts(name))


def test_the_control_is_not_accused() -> None:
    found = verdicts("nothing")
    assert found
    assert not any(found)
