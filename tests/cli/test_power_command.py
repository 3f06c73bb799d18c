"""`beansim power`, with real games."""

from __future__ import annotations

import json

import pytest

LINEUP = ("--players", "hermit,trader,trader", "--pilot", 40, "--jobs", 1)
EQUALS = ("--players", "miser,trader,trader", "--pilot", 40, "--jobs", 1)


def test_it_says_how_many_deals(beansim) -> None:
    said = beansim("power", "--difference", 0.05, *LINEUP)
    assert said.code == 0
    assert "0.05 in win share" in said.out
    assert "hermit - trader, in base" in said.out


def test_more_deals_for_less(beansim) -> None:
    deals = [
        json.loads(beansim("power", "--difference", size, *EQUALS, "--json").out)[0]["deals"]
        for size in (0.02, 0.04)
    ]
    assert deals[0] == pytest.approx(4 * deals[1], rel=0.05)


def test_two_variants_on_common_deals(beansim) -> None:
    said = beansim("power", "--difference", 1, "--metric", "turns", *LINEUP, "--against", "two-pass")
    assert "games, two-pass - base" in said.out
    assert "1 in length of a game" in said.out


def test_the_arms_of_an_experiment(beansim) -> None:
    said = beansim("power", "two-pass", "--difference", 0.5, "--metric", "coins", "--pilot", 4, "--jobs", 1)
    assert "trader, two-pass - base" in said.out
    assert "thin: 4 blocks" in said.out


def test_errors_end_it_with_exit_code_4(beansim, raising: str) -> None:
    said = beansim("power", "--difference", 0.1, "--players", f"hermit,hermit,{raising}", "--pilot", 5)
    assert said.code == 4


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--players", "hermit,hermit,trader"], ["--difference"]),
        (["--difference", "0.1"], ["--players"]),
        (["two-pass", "--difference", "0.1", "--players", "hermit,hermit,trader"], ["--players"]),
        (["--difference", "0.1", "--players", "hermit,trader,trader", "--metric", "wins"], ["'wins'"]),
        (
            ["--difference", "0.1", "--players", "hermit,hermit,hermit", "--pilot", "3"],
            ["nothing to compare"],
        ),
    ],
)
def test_wrong_use_is_one_line(beansim, words: list[str], expected: list[str]) -> None:
    said = beansim("power", *words)
    assert said.code == 2
    assert len(said.err.splitlines()) == 1
    for word in expected:
        assert word in said.err
