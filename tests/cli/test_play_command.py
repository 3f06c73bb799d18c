"""`beansim play`: games told and recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beansim.rules import resolve

HERMITS = ("--players", "hermit,hermit,hermit")


def records(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_game_is_told_in_lines(beansim) -> None:
    said = beansim("play", *HERMITS, "--seed", 7)
    assert said.code == 0
    assert said.err == ""
    assert "Turn 1" in said.out
    assert said.out == beansim("play", *HERMITS, "--seed", 7).out
    assert said.out != beansim("play", *HERMITS, "--seed", 8).out


def test_records_go_to_a_file_or_to_stdout_one_event_a_line(beansim, workspace: Path) -> None:
    said = beansim("play", *HERMITS, "--deal", 3, "--games", 2, "--record", "-")
    events = records(said.out)
    assert [event["game"] for event in events if event["e"] == "game"] == [3, 4]
    assert [event["e"] for event in events][-1] == "end"
    beansim("play", *HERMITS, "--deal", 3, "--games", 2, "--record", "game.jsonl")
    assert Path("game.jsonl").read_text() == said.out
    assert ": " not in said.out.splitlines()[0]


def test_a_recorded_game_holds_in_the_referee(beansim, workspace: Path) -> None:
    beansim("play", *HERMITS, "--variant", "two-pass", "--games", 3, "--record", "game.jsonl")
    said = beansim("replay", "game.jsonl")
    assert said.code == 0
    assert "3 hold" in said.out


def test_the_game_is_the_one_that_run_plays(beansim, workspace: Path) -> None:
    beansim("run", "two-pass", *HERMITS, "--deals", 2, "--seed", 5, "--out", "a", "--quiet")
    told = beansim("play", *HERMITS, "--seed", 5, "--record", "-").out
    sample = Path("a/sample.jsonl").read_text()
    assert sample.startswith(told)


def test_a_seating_turns_the_table(beansim) -> None:
    words = ("play", "--players", "hermit,hermit,hermit,hermit", "--seatings", "permute", "--record", "-")
    assert beansim(*words, "--seating", 0).code == 0
    said = beansim(*words, "--seating", 1)
    assert said.code == 2
    assert "1 seating" in said.err


def deck_words() -> list[str]:
    return [kind.name for kind in resolve("base", 3).kinds for _ in range(kind.count)]


def test_a_real_deal_can_be_played(beansim, workspace: Path) -> None:
    words = deck_words()
    Path("deck.txt").write_text("# as dealt\n" + "\n".join(words))
    events = records(beansim("play", *HERMITS, "--deck", "deck.txt", "--record", "-").out)
    assert events[1]["deck"] == words
    assert events[2]["beans"] == words[:5]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda words: words[1:], ["103 cards", "missing: 1 blue"]),
        (lambda words: [*words, "red"], ["105 cards", "too many: 1 red"]),
        (lambda words: ["green", *words[1:]], ["missing: 1 blue", "too many: 1 green"]),
        (lambda words: ["gren", *words[1:]], ["'gren'", "'green'", "deck.txt, line 1"]),
        (lambda words: words * 300, ["no deck"]),
    ],
)
def test_a_deck_must_be_the_decks_cards(beansim, workspace: Path, change, expected: list[str]) -> None:
    Path("deck.txt").write_text("\n".join(change(deck_words())))
    said = beansim("play", *HERMITS, "--deck", "deck.txt")
    assert said.code == 2
    for word in ["deck.txt", *expected]:
        assert word in said.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["--players"]),
        (["--players", "hermit,hermit"], ["3 to 5 players, got 2"]),
        ([*HERMITS, "--variant", "bas"], ["'bas'", "'base'"]),
        ([*HERMITS, "--seed", "-1"], ["--seed"]),
        ([*HERMITS, "--deck", "no.txt"], ["no.txt"]),
        ([*HERMITS, "--deck", "-", "--games", "2"], ["--deck", "one game"]),
    ],
)
def test_wrong_use_is_one_line(beansim, workspace: Path, words: list[str], expected: list[str]) -> None:
    said = beansim("play", *words)
    assert said.code == 2
    assert len(said.err.splitlines()) == 1
    for word in expected:
        assert word in said.err


def test_a_game_that_ends_with_a_strategys_error_is_told_to_that_point(beansim, raising: str) -> None:
    said = beansim("play", "--players", f"{raising},hermit,hermit")
    assert said.code == 4
    assert "Turn 1" in said.out
    assert "raising.choose_harvest" in said.err
