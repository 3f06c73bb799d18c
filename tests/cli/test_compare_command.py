"""`beansim compare`: the same deals under several rule sets, told and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beansim.cli.main import run_main
from beansim.engine import play
from beansim.experiment import experiment_of

Said = pytest.CaptureFixture[str]
DEALS = 40


def compared(folder: Path, said: Said, *arguments: str, deals: int = DEALS) -> str:
    words = ["compare", "--deals", str(deals), "--out", str(folder / "out"), "--jobs", "1", "--quiet"]
    assert run_main([*words, *arguments]) == 0
    return said.readouterr().out


def test_differences_are_those_of_the_games(tmp_path: Path, capsys: Said) -> None:
    """Turns, coins, spread, wins, deals and run-outs, counted anew from the games themselves."""
    text = compared(
        tmp_path, capsys, "--variants", "base,two-pass", "--players", "trader,random,hermit", "--json"
    )
    told = {row["quantity"]: row for row in json.loads(text)}
    arms = experiment_of("x", ["base", "two-pass"], [("trader", "random", "hermit")]).build()
    base, short = (play(arm, 1, 0, DEALS) for arm in arms)
    for quantity, value in {
        "turns a game": lambda batch: batch.games["turns"].mean(),
        "deals a game": lambda batch: batch.games["deals"].mean(),
        "deals a turn": lambda batch: batch.games["deals"].sum() / batch.games["turns"].sum(),
        "gifts among deals": lambda batch: batch.games["gifts"].sum() / batch.games["deals"].sum(),
        "coins of all seats together": lambda batch: batch.seats["coins"].reshape(-1, 3).sum(1).mean(),
        "coins between first and last": lambda batch: (
            (coins := batch.seats["coins"].reshape(-1, 3)).max(1) - coins.min(1)
        ).mean(),
        "coins of random": lambda batch: batch.seats["coins"][batch.seats["entry"] == 1].mean(),
        "wins of trader": lambda batch: batch.seats["win_units"][batch.seats["entry"] == 0].mean() / 420,
        "wins of the start seat": lambda batch: (
            batch.seats["win_units"][batch.seats["seat"] == 0].mean() / 420
        ),
        "turn of run-out 2": lambda batch: batch.games["run_out_turn"][:, 1].mean(),
        "coins a harvest": lambda batch: batch.seats["coins"].sum() / batch.seats["harvests"].sum(),
        "harvests worth nothing": lambda batch: (
            batch.seats["zero_harvests"].sum() / batch.seats["harvests"].sum()
        ),
    }.items():
        row = told[quantity]
        assert row["base"] == pytest.approx(value(base))
        assert row["value"] == pytest.approx(value(short))
        assert row["difference"] == pytest.approx(value(short) - value(base))
        if row["way"] != "counted":
            assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert "turn of run-out 3" not in told


def test_a_rule_that_changes_nothing_makes_no_difference(tmp_path: Path, capsys: Said) -> None:
    """The negative control: A2 cannot matter where the game ends on the first run-out."""
    house = tmp_path / "house.toml"
    house.write_text('[variants.one]\nrun_outs = 1\n[variants.late]\nextends = "one"\nreshuffle = "late"\n')
    variants = f"{house}:one,{house}:late"
    text = compared(tmp_path, capsys, "--variants", variants, "--players", "random,random,random", "--json")
    assert {row["difference"] for row in json.loads(text)} <= {0.0, None}


def test_the_table_has_one_part_for_each_other_variant_and_line_up(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = compared(
        tmp_path,
        capsys,
        *("--variants", "base,two-pass,bga"),
        *("--players", "hermit,hermit,trader", "--players", "hermit,hermit,hermit"),
        deals=3,
    )
    assert text.startswith("base against two-pass, bga\n3 deals, 54 games, seed 1\n")
    assert text.count("turns a game") == 4
    for words in ("wins of trader", "coins of hermit", "turn of run-out 1", "coins a harvest of garden"):
        assert words in text
    assert (tmp_path / "out" / "index.html").exists()
    assert (
        "beansim compare --variants base,two-pass,bga --players"
        in (tmp_path / "out" / "report.md").read_text()
    )


def test_duels_are_compared_without_a_market(tmp_path: Path, capsys: Said) -> None:
    text = compared(
        tmp_path, capsys, "--variants", "duel,duel-rio-grande", "--players", "trader,hermit", deals=5
    )
    assert "deals a turn" not in text
    assert "turn of run-out 1" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--variants", "base", "--players", "hermit,hermit,hermit"], "two or more rule sets"),
        (["--variants", "base,bass", "--players", "hermit,hermit,hermit"], "'bass'"),
        (["--variants", "base,field-bean", "--players", "hermit,hermit,hermit"], "4 to 5 players, got 3"),
        (["--variants", "base,base", "--players", "hermit,hermit,hermit"], "same name"),
        (["--variants", "base,two-pass", "--players", "hermit,,hermit"], "empty name"),
        (["--variants", "base,none.toml:x", "--players", "hermit,hermit,hermit"], "none.toml"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    arguments: list[str], words: str, capsys: Said, tmp_path: Path
) -> None:
    assert run_main(["compare", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert words in capsys.readouterr().err
