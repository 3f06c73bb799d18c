"""`beansim match`, with real games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beansim.bundled import bundled_folder

QUICK = ("--players-count", 3, "--jobs", 1)


def test_the_better_one_is_found_with_exit_code_0(beansim) -> None:
    said = beansim("match", "trader", "hermit", *QUICK)
    assert said.code == 0
    names = [line.split()[0] for line in said.out.splitlines()]
    assert names == ["match", "verdict", "difference", "test", "played", "blocks", "line-ups", "repeat"]
    assert "trader is better than hermit" in said.out
    assert "1 trader, 2 hermit: " in said.out


def test_the_worse_one_gets_exit_code_1_and_the_mirrored_numbers(beansim) -> None:
    there = json.loads(beansim("match", "trader", "hermit", *QUICK, "--json").out)
    said = beansim("match", "hermit", "trader", *QUICK, "--json")
    back = json.loads(said.out)
    assert said.code == 1
    assert back["answer"] == "not better"
    if back["deals"] == there["deals"]:
        assert back["difference"] == -there["difference"]
    assert "trader is better" in beansim("match", "hermit", "trader", *QUICK).out


def test_results_do_not_depend_on_jobs(beansim) -> None:
    words = ("match", "trader", "collector", "--players-count", 3, "--max-deals", 90, "--json", "--jobs")
    assert beansim(*words, 1).out == beansim(*words, 2).out


def test_too_few_deals_are_undecided_with_exit_code_3(beansim) -> None:
    said = beansim("match", "trader", "trader:margin=0.2", *QUICK, "--max-deals", 20)
    assert said.code == 3
    assert "Not settled" in said.out
    assert "thin: 20 blocks" in said.out


def test_a_strategy_against_itself_is_even_by_symmetry_and_plays_nothing(beansim, monkeypatch) -> None:
    monkeypatch.setattr("beansim.simulate.work.play_around", None)
    said = beansim("match", "hermit", "hermit")
    assert said.code == 1
    assert "exactly even by symmetry" in said.out


def test_twins_are_exactly_even_in_every_block(beansim, workspace: Path) -> None:
    hermit = bundled_folder("strategies") / "hermit.py"
    Path("twin.py").write_text(hermit.read_text().replace("class Hermit", "class Twin"))
    said = beansim("match", "hermit", "twin.py", *QUICK)
    assert said.code == 1
    assert "every deal was exactly even" in said.out
    assert "exact: the same in every block" in said.out
    assert "nan" not in said.out.lower()


def test_the_command_that_is_printed_repeats_the_match(beansim) -> None:
    said = beansim("match", "trader", "hermit", *QUICK, "--seed", 5)
    command = said.out.splitlines()[-1].split("beansim ", 1)[1].partition(" (")[0]
    assert beansim(*command.split()).out == said.out


def test_errors_of_a_strategy_are_told_with_exit_code_4(beansim, raising: str) -> None:
    said = beansim("match", "hermit", raising, *QUICK)
    assert said.code == 4
    assert "raising.choose_harvest" in said.err


def test_ctrl_c_shows_what_is_known(beansim, monkeypatch: pytest.MonkeyPatch) -> None:
    from beansim.cli.progress import StatusLine

    def interrupt(self: StatusLine, text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(StatusLine, "update", interrupt)
    said = beansim("match", "trader", "trader:margin=0.2", *QUICK)
    assert said.code == 130
    assert "Not settled" in said.out


def test_the_live_line_says_how_far_it_is(beansim, monkeypatch: pytest.MonkeyPatch) -> None:
    from beansim.cli.progress import StatusLine

    lines: list[str] = []
    monkeypatch.setattr(StatusLine, "update", lambda self, text: lines.append(text))
    beansim("match", "trader", "trader:margin=0.2", *QUICK, "--max-deals", 60)
    assert "of the bound for" in lines[-1]
    assert "games left" in lines[-1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hermit"], ["'B'"]),
        (["hermit", "hermti"], ["'hermti'", "'hermit'"]),
        (["hermit", "random", "--margin", "0"], ["--margin"]),
        (["hermit", "random", "--alpha", "0.5"], ["--alpha"]),
        (["hermit", "random", "--players-count", "2"], ["3 to 5 players, got 2"]),
        (["hermit", "random", "--variant", "bas"], ["'bas'", "'base'"]),
    ],
)
def test_wrong_use_is_one_line(beansim, words: list[str], expected: list[str]) -> None:
    said = beansim("match", *words)
    assert said.code == 2
    assert len(said.err.splitlines()) == 1
    for word in expected:
        assert word in said.err
