"""Replaying records: what holds, what is refused and how it is named, and hostile input."""

from __future__ import annotations

import copy
import io
import json
import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from beansim.cli.replay import replay
from beansim.referee import RecordError, Verdict, bounded_lines, replay_events, replay_lines
from beansim.referee.record import MAX_LINE
from beansim.rules import resolve

from .random_play import Event, lines, play, record
from .rule_sets import build

RECORDS = [record(play(resolve("base", 3), seed), seed) for seed in range(3)]
LIVELY = record(play(build({"set": "rio-grande", "players": 4}), 5), 5)


def fault(events: list[Event]) -> tuple[int, str, str]:
    """Line, event and rule of the departure."""
    verdict = replay_events(events)
    assert verdict.departure is not None
    return verdict.departure.line, verdict.departure.event, verdict.departure.rule


def of(events: list[Event], name: str, **keys: Any) -> list[int]:
    """Indices of the events of a name with these keys."""
    return [n for n, e in enumerate(events) if e["e"] == name and all(e.get(k) == v for k, v in keys.items())]


def other(bean: str) -> str:
    return "red" if bean != "red" else "blue"


def change(name: str, key: str, to: Callable[[Any], Any], **keys: Any) -> Callable[[list[Event], int], None]:
    def mutate(events: list[Event], pick: int) -> None:
        found = of(events, name, **keys)
        event = events[found[pick % len(found)]]
        event[key] = to(event[key])

    return mutate


def drop(name: str) -> Callable[[list[Event], int], None]:
    def mutate(events: list[Event], pick: int) -> None:
        found = of(events, name)
        del events[found[pick % len(found)]]

    return mutate


def double(events: list[Event], pick: int) -> None:
    at = pick % len(events)
    events.insert(at, copy.deepcopy(events[at]))


def swap_cards(events: list[Event], pick: int) -> None:
    """Two different cards of the first deck change places."""
    deck = events[1]["deck"]
    first = pick % (len(deck) - 1)
    second = next(n for n in range(len(deck)) if deck[n] != deck[first])
    deck[first], deck[second] = deck[second], deck[first]


def trade_on(events: list[Event], pick: int) -> None:
    """A card just received is given away again."""
    found = [n for n in of(events, "trade") if events[n]["gets"]]
    at = found[pick % len(found)]
    gone = {"bean": events[at]["gets"][0]["bean"], "from": "received"}
    events.insert(at + 1, {**copy.deepcopy(events[at]), "gives": [gone], "gets": []})


MUTATIONS: dict[str, Callable[[list[Event], int], None]] = {
    "coins of a harvest": change("harvest", "coins", lambda coins: coins + 1),
    "cards of a harvest": change("harvest", "cards", lambda cards: cards + 1),
    "kind of a harvest": change("harvest", "bean", other),
    "seat of a turn": change("turn", "seat", lambda seat: (seat + 1) % 3),
    "planted kind": change("plant", "bean", other),
    "source of a plant": change("plant", "from", lambda source: "hand" if source != "hand" else "revealed"),
    "number of a turn": change("plant", "turn", lambda turn: turn + 1),
    "phase": change("plant", "phase", lambda phase: 4),
    "drawn kind": change("draw", "beans", lambda beans: [other(beans[0]), *beans[1:]]),
    "one card fewer drawn": change("draw", "beans", lambda beans: beans[1:]),
    "revealed kind": change("reveal", "beans", lambda beans: [other(beans[0]), *beans[1:]]),
    "run-out number": change("exhausted", "count", lambda count: count + 1),
    "pass": change("shuffle", "pass", lambda number: number + 1),
    "deck": change("shuffle", "deck", lambda deck: [other(deck[0]), *deck[1:]]),
    "final coins": change("end", "coins", lambda coins: [coins[0] + 1, *coins[1:]]),
    "final hands": change("end", "hand", lambda hand: [hand[0] + 1, *hand[1:]]),
    "winner": change("end", "winner", lambda seat: (seat + 1) % 3),
    "end reason": change("end", "why", lambda why: "no-discards"),
    "turns": change("end", "turns", lambda turns: turns - 1),
    "position of a traded card": change(
        "trade", "gives", lambda cards: [{**card, "from": "hand", "position": 99} for card in cards] or [1]
    ),
    "partner": change("trade", "partner", lambda seat: 3),
    "active seat of a deal": change("trade", "active", lambda seat: (seat + 1) % 3),
    "a card traded on": trade_on,
    "cards swapped in the deck": swap_cards,
    "an event twice": double,
    **{
        f"no {name}": drop(name)
        for name in ("turn", "plant", "draw", "reveal", "exhausted", "shuffle", "end", "game")
    },
    "final harvest left out": lambda events, pick: events.pop(of(events, "harvest", why="final")[0]) and None,
    "final harvest called early": change("harvest", "why", lambda why: "early", why="final"),
    "forced harvest called final": change("harvest", "why", lambda why: "final", why="forced"),
}


@pytest.mark.parametrize("name", MUTATIONS)
@given(pick=st.integers(0, 10_000))
@settings(max_examples=6, deadline=None)
def test_a_broken_record_is_refused(name: str, pick: int) -> None:
    events = copy.deepcopy(RECORDS[pick % len(RECORDS)])
    MUTATIONS[name](events, pick)
    verdict = replay_events(events)
    assert not verdict.holds
    assert verdict.departure is not None
    assert verdict.departure.rule.startswith(("RULES", "RECORD"))


DUEL = record(play(build({"set": "duel", "players": 2}), 3), 3)
DUEL_MUTATIONS: dict[str, Callable[[list[Event], int], None]] = {
    "no discard": drop("discard"),
    "no cards taken along": drop("match"),
    "nothing left on offer": drop("leave"),
    "another kind discarded": change("discard", "bean", other),
    "a discard from elsewhere": change(
        "discard", "from", lambda source: "hand" if source != "hand" else "offer"
    ),
    "a card at another position": change(
        "discard", "position", lambda position: position + 20, **{"from": "hand"}
    ),
    "another card taken along": change("match", "beans", lambda beans: [other(beans[0]), *beans[1:]]),
    "a card more on offer": change("leave", "beans", lambda beans: [*beans, "red"]),
    "an offer that is no list of beans": change("leave", "beans", lambda beans: [1]),
    "the other seat plants": change("plant", "seat", lambda seat: 1 - seat),
    "an offered card planted as turned up": change(
        "plant", "from", lambda source: "revealed", **{"from": "offer"}
    ),
}


@pytest.mark.parametrize("name", DUEL_MUTATIONS)
@given(pick=st.integers(0, 10_000))
@settings(max_examples=6, deadline=None)
def test_a_broken_duel_is_refused(name: str, pick: int) -> None:
    events = copy.deepcopy(DUEL)
    DUEL_MUTATIONS[name](events, pick)
    assert not replay_events(events).holds


def test_a_duel_holds_in_whatever_order_its_offers_are_listed() -> None:
    events = [{**event, "beans": event["beans"][::-1]} if event["e"] == "leave" else event for event in DUEL]
    assert replay_events(events).holds


def test_the_first_departure_is_named() -> None:
    events = copy.deepcopy(RECORDS[0])
    at = of(events, "harvest", why="final")[0]
    events[at]["coins"] += 1
    assert fault(events) == (at + 1, "harvest", "RULES 1.1 beanometer")
    events = copy.deepcopy(RECORDS[0])
    events[-1]["winner"] = (events[-1]["winner"] + 1) % 3
    assert fault(events) == (len(events), "end", "RULES A13")
    assert fault(RECORDS[0][:-1]) == (len(RECORDS[0]) - 1, "?", "RECORD")
    assert fault([*RECORDS[0], RECORDS[0][-1]])[2] == "RECORD"


def test_unknown_keys_are_ignored_and_brandy_is_wax() -> None:
    events = [{**event, "note": {"seen": [1.5, True]}} for event in LIVELY]
    text = (
        b"".join(lines(events)).replace(b'"wax"', b'"brandy"').replace(b'"name": "brandy"', b'"name": "wax"')
    )
    assert b'"brandy"' in text
    assert all(verdict.holds for verdict in replay_lines(text.splitlines(), "x"))


def test_many_games_are_judged_one_by_one() -> None:
    broken = copy.deepcopy(RECORDS[1])
    del broken[20]
    text = [line for events in (RECORDS[0], broken, RECORDS[2]) for line in lines(events)]
    verdicts = list(replay_lines(text, "three"))
    assert [verdict.holds for verdict in verdicts] == [True, False, True]
    assert [verdict.line for verdict in verdicts] == [
        1,
        1 + len(RECORDS[0]),
        1 + len(RECORDS[0]) + len(broken),
    ]


def first_verdict(*text: str | bytes) -> Verdict:
    return next(iter(replay_lines(text, "hostile")))


HEAD = json.dumps(RECORDS[0][0])


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        "[1, 2",
        "[]",
        "7",
        '"text"',
        "null",
        "{}",
        '{"e": "game"}',
        '{"e": ["game"]}',
        '{"e": "nonsense", "turn": 1, "phase": 1}',
        "[" * 100_000,
        '{"e": "turn", "x": ' + "[" * 60_000 + "]" * 60_000 + "}",
        '{"e": "turn", "turn": ' + "9" * 10_000 + "}",
        '{"e": "turn", "turn": NaN, "phase": 1, "seat": 0}',
        '{"e": "turn", "turn": 1e400, "phase": 1, "seat": 0}',
        '{"e": "turn", "turn": 0, "phase": "deal", "seat": true}',
        '{"e": "turn", "turn": 99999999999999999999999999, "phase": 1, "seat": 0}',
        '{"e": "plant", "turn": 0, "phase": [], "seat": 0, "bean": "red", "field": 0, "from": "hand"}',
        '{"e": "shuffle", "turn": 0, "phase": "deal", "pass": 1, "deck": [1, "red", null]}',
        '{"e": "shuffle", "turn": 0, "phase": "deal", "pass": 1, "deck": []}',
        '{"e": "trade", "turn": 0, "phase": "deal", "active": 0, "partner": 1, "gives": [[]], "gets": [{}]}',
        "x" * (MAX_LINE + 1),
    ],
    ids=range(22),
)
def test_a_hostile_line_is_an_error_with_its_line(line: str | bytes) -> None:
    verdict = first_verdict(HEAD, line)
    assert verdict.departure is not None
    assert verdict.departure.line == 2
    assert len(str(verdict)) < 1000
    assert not first_verdict(line).holds


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("record", 2),
        ("record", True),
        ("rules", []),
        ("rules", {}),
        ("players", ["a"]),
        ("players", [1, 2, 3]),
        ("start", 3),
        ("start", -1),
        ("variant", "other"),
        ("seed", "1"),
        ("game", None),
    ],
)
def test_a_wrong_game_line_is_refused(key: str, value: Any) -> None:
    assert fault([{**RECORDS[0][0], key: value}, *RECORDS[0][1:]])[:2] == (1, "game")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("players", 10**30),
        ("kinds", 5),
        ("kinds", [{"name": "x", "count": 10**9, "needed": [4]}]),
        ("kinds", [[]]),
        ("hands", "555"),
        ("exhaust", ["last_card"]),
        ("trading", 1),
        ("variant", 3),
    ],
)
def test_a_wrong_rule_option_is_refused(option: str, value: Any) -> None:
    head = {**RECORDS[0][0], "rules": {**RECORDS[0][0]["rules"], option: value}}
    assert fault([head, *RECORDS[0][1:]])[:2] == (1, "game")


def test_a_hostile_text_is_shown_harmless() -> None:
    bean = "\x1b[31m\n\u202e" + "x" * 10_000
    events = copy.deepcopy(RECORDS[0])
    at = of(events, "plant")[0]
    events[at]["bean"] = bean
    departure = replay_events(events).departure
    events[at]["e"] = bean
    for text in (str(departure), str(replay_events(events))):
        assert text.isascii()
        assert text.isprintable()
        assert len(text) < 1000


def test_a_stray_line_belongs_to_no_game() -> None:
    text = [*lines(RECORDS[0]), b"{", *lines(RECORDS[1])]
    verdicts = list(replay_lines(text, "stray"))
    assert [(v.holds, v.game, v.line) for v in verdicts] == [
        (True, 0, 1),
        (False, None, 1 + len(RECORDS[0])),
        (True, 1, 2 + len(RECORDS[0])),
    ]


def test_no_event_at_all_is_no_record() -> None:
    with pytest.raises(RecordError):
        replay_events([])


@given(st.integers(0, 10_000), st.binary(max_size=30))
@settings(max_examples=60, deadline=None)
def test_damaged_bytes_never_raise(seed: int, junk: bytes) -> None:
    luck = random.Random(seed)
    text = bytearray(b"".join(lines(RECORDS[0])))
    at = luck.randrange(len(text))
    text[at : at + luck.randrange(40)] = junk
    for verdict in replay_lines(bounded_lines(io.BytesIO(bytes(text))), "damaged"):
        assert str(verdict)


def test_an_endless_line_needs_bounded_memory() -> None:
    class Endless(io.BytesIO):
        left = 60

        def readline(self, size: int | None = -1) -> bytes:
            self.left -= 1
            return b"[" * (size or 0) if self.left > 0 else b""

    tracemalloc.start()
    verdicts = list(replay_lines(bounded_lines(Endless()), "endless"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(verdicts) == 1
    assert peak < 20 * MAX_LINE


def run(*arguments: str, text: bytes | None = None) -> Any:
    return CliRunner().invoke(replay, list(arguments), input=text)


def test_command_line(tmp_path: Any) -> None:
    good, bad, empty = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "empty.jsonl"
    good.write_bytes(b"".join(lines(RECORDS[0]) + lines(RECORDS[1])))
    bad.write_bytes(b"".join(lines(RECORDS[0][:-1])))
    empty.write_bytes(b"\n")
    result = run(str(good))
    assert result.exit_code == 0, result.output
    assert result.output.count("holds:") == 2
    assert result.output.endswith("2 games, 2 hold, 0 do not\n")
    assert run("--quiet", str(good)).output == "2 games, 2 hold, 0 do not\n"
    result = run(str(good), str(bad), str(empty))
    assert result.exit_code == 1
    assert f"bad.jsonl:{len(RECORDS[0]) - 1}: game 0 does not hold" in result.output
    assert "empty.jsonl: holds no game" in result.output
    assert run("-", text=good.read_bytes()).exit_code == 0
    assert run(str(tmp_path / "missing.jsonl")).exit_code == 2
    assert run().exit_code == 2
