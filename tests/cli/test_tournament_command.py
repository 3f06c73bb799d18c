"""`beansim tournament`, with real games."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

WORDS = ("tournament", "hermit", "trader", "miser", "--players-count", 3, "--deals", 12, "--quiet")


def test_strategies_are_rated_and_compared(beansim) -> None:
    said = beansim(*WORDS, "--jobs", 1)
    assert said.code == 0
    lines = said.out.splitlines()
    assert "7 line-ups, 12 deals each, 252 games" in " ".join(lines)
    # What does not fit into 80 columns stands in a table below, behind the same names.
    assert all(len(line) <= 80 for line in lines[:-1])
    first = [line for line in lines if line.startswith("1  trader")]
    assert len(first) == 2
    assert "thin: 12 blocks" in first[1]
    assert any(line.startswith("lead over") for line in lines)
    assert "trader is rated best" in said.out
    assert lines[-1].startswith("beansim tournament hermit trader miser --format round-robin")


def test_results_do_not_depend_on_jobs_and_the_printed_command_repeats_them(beansim) -> None:
    first = beansim(*WORDS, "--jobs", 1)
    assert beansim(*WORDS, "--jobs", 2).out == first.out
    command = first.out.splitlines()[-1].split()[1:]
    assert beansim(*command, "--quiet").out == first.out


def test_files_hold_every_table(beansim, workspace: Path) -> None:
    said = beansim(*WORDS, "--out", "cup", "--json", "--format", "one-against-all")
    data = json.loads(said.out)
    assert data == json.loads(Path("cup/tournament.json").read_text())
    assert set(data["tables"]) == {"standings", "head_to_head", "line_ups"}
    assert len(pl.read_csv("cup/tables/line_ups.csv")) == 12
    assert "## Head to head" in Path("cup/report.md").read_text()
    assert [row["place"] for row in data["tables"]["standings"]] == [1, 2, 3]


def test_ctrl_c_shows_what_is_complete(beansim, monkeypatch: pytest.MonkeyPatch) -> None:
    from beansim.cli.progress import RunProgress

    def interrupt(self: RunProgress, done: int, total: int) -> None:
        if done >= 84:
            raise KeyboardInterrupt

    monkeypatch.setattr("beansim.analysis.tournament.LOOK_GAMES", 42)
    monkeypatch.setattr(RunProgress, "update", interrupt)
    said = beansim(*WORDS, "--jobs", 1)
    assert said.code == 130
    assert "deals each" in said.out
    assert "252 games" not in said.out


def test_errors_of_a_strategy_are_told_with_exit_code_4(beansim, raising: str) -> None:
    said = beansim("tournament", "hermit", raising, "--players-count", 3, "--deals", 3)
    assert said.code == 4
    assert "raising.choose_harvest" in said.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["--all"]),
        (["hermit", "--all"], ["--all"]),
        (["hermit"], ["at least two"]),
        (["hermit", "trader", "--format", "cup"], ["--format"]),
        (["hermit", "trader", "--players-count", "2"], ["3 to 5 players, got 2"]),
        (["hermit", "trader", "--deals", "1", "--players-count", "3", "--out", "/proc/no"], ["--out"]),
    ],
)
def test_wrong_use_is_one_line(beansim, words: list[str], expected: list[str]) -> None:
    said = beansim("tournament", *words, "--quiet")
    assert said.code == 2
    assert len(said.err.splitlines()) == 1
    for word in expected:
        assert word in said.err


def test_the_formats_that_are_offered_are_those_that_can_be_played() -> None:
    from beansim.analysis import tournament as played
    from beansim.cli.tournament import FORMATS

    assert list(FORMATS) == list(played.FORMATS)
