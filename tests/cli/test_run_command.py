"""`beansim run` and `report`, end to end with real games."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

HERMITS = "hermit,hermit,hermit"


def test_a_question_in_a_report_out(beansim, workspace: Path) -> None:
    said = beansim("run", "two-pass", "--players", HERMITS, "--deals", 40, "--jobs", 2)
    assert said.code == 0
    assert "hermit" in said.out
    assert "two-pass" in said.out
    assert "reports/two-pass/index.html" in said.err
    folder = workspace / "reports" / "two-pass"
    for name in (
        "index.html",
        "report.md",
        "run.json",
        "experiment.json",
        "sample.jsonl",
        "chunks",
        "tables",
    ):
        assert (folder / name).exists()
    state = json.loads((folder / "run.json").read_text())
    assert (state["deals"], state["games"], state["complete"]) == (40, 80, True)


def test_the_stored_command_gives_the_same_results(beansim, workspace: Path) -> None:
    beansim("run", "two-pass", "--players", "hermit,hermit,hermit", "--deals", 20, "--out", "a")
    command = json.loads(Path("a/run.json").read_text())["command"]
    assert command == "beansim run two-pass --deals 20 --seed 1 --players hermit,hermit,hermit"
    assert beansim(*shlex.split(command)[1:], "--out", "b", "--jobs", 2).code == 0
    for name in ("run.json", "experiment.json", "sample.jsonl", "chunks/tally-00000.json"):
        assert Path("a", name).read_bytes() == Path("b", name).read_bytes()


def test_the_same_run_again_plays_nothing_and_another_one_is_refused(beansim, workspace: Path) -> None:
    words = ("run", "two-pass", "--players", HERMITS, "--out", "a", "--deals")
    beansim(*words, 20)
    again = beansim(*words, 20)
    assert (again.code, "nothing to play" in again.err) == (0, True)
    other = beansim(*words, 30)
    assert other.code == 2
    assert re.search(r"error: a holds another run .*--replace", other.err)
    assert beansim(*words, 30, "--replace").code == 0


def test_variant_and_players_replace_those_of_every_arm_and_equal_arms_merge(
    beansim, workspace: Path
) -> None:
    assert beansim("run", "two-pass", "--players", HERMITS, "--variant", "base", "--deals", 5).code == 0
    state = json.loads(Path("reports/two-pass/run.json").read_text())
    assert [arm["name"] for arm in state["arms"]] == ["base"]


def test_a_strategys_error_is_reported_and_loses_nothing(beansim, raising: str) -> None:
    said = beansim("run", "two-pass", "--players", f"hermit,hermit,{raising}", "--deals", 4, "--out", "a")
    assert said.code == 4
    assert said.err.count("error: ") == 4
    first = next(line for line in said.err.splitlines() if line.startswith("error:"))
    for word in ("raising", "choose_harvest", "99", "seed 1", "deal 0", "turn "):
        assert word in first
    assert json.loads(Path("a/errors.json").read_text())["games"] > 0
    assert json.loads(Path("a/run.json").read_text())["complete"] is True


WRONG = {
    "unknown experiment": (["run", "tow-pass"], ["'tow-pass'", "'two-pass'"]),
    "no experiment": (["run"], ["EXPERIMENT", "beansim run --help"]),
    "missing file": (["run", "no/such.toml"], ["no/such.toml", "No such file"]),
    "unknown variant": (["run", "two-pass", "--variant", "two-pas"], ["'two-pas'", "'two-pass'"]),
    "unknown strategy": (["run", "two-pass", "--players", "hermit,hermit,hermti"], ["'hermti'", "'hermit'"]),
    "unknown parameter": (
        ["run", "two-pass", "--players", "hermit,hermit,hermit:x=1"],
        ["'x'", "hermit:x=1"],
    ),
    "wrong seat count": (["run", "two-pass", "--players", "hermit,hermit"], ["3 to 5 players, got 2"]),
    "hole in the line-up": (["run", "two-pass", "--players", "hermit,,hermit"], ["empty name"]),
    "no deals": (["run", "two-pass", "--deals", "0"], ["--deals", "0"]),
    "no jobs": (["run", "two-pass", "--jobs", "0"], ["--jobs", "0 workers"]),
    "unknown seatings": (["run", "two-pass", "--seatings", "turn"], ["--seatings", "rotate"]),
    "unknown option": (["run", "two-pass", "--deal", "3"], ["--deal", "--deals"]),
    "unknown command": (["rnu"], ["'rnu'", "run"]),
    "resume and more": (["run", "two-pass", "--resume", "x"], ["--resume"]),
    "resume nothing": (["run", "--resume", "x"], ["x is no run folder"]),
    "report of nothing": (["report", "."], ["no run folder"]),
    "not writable": (
        ["run", "two-pass", "--players", HERMITS, "--out", "/proc/no"],
        ["cannot write to the folder /proc/no", "--out"],
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_use_is_one_line_and_exit_code_2(beansim, workspace: Path, what: str) -> None:
    words, expected = WRONG[what]
    said = beansim(*words)
    assert said.code == 2
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith("error: ")
    for word in expected:
        assert word in said.err


def test_ctrl_c_says_how_to_go_on(beansim, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from beansim.cli.progress import RunProgress

    def interrupt(self: RunProgress, done: int, total: int) -> None:
        if done >= 100:
            raise KeyboardInterrupt

    words = ("run", "two-pass", "--players", HERMITS, "--deals", 200)
    monkeypatch.setattr("beansim.simulate.chunks.CHUNK_GAMES", 60)
    with monkeypatch.context() as patch:
        patch.setattr(RunProgress, "update", interrupt)
        said = beansim(*words)
    assert said.code == 130
    assert "go on with: beansim run --resume reports/two-pass" in said.err
    assert json.loads(Path("reports/two-pass/run.json").read_text())["complete"] is False
    assert beansim("run", "--resume", "reports/two-pass").code == 0
    assert json.loads(Path("reports/two-pass/run.json").read_text())["complete"] is True


def test_report_writes_elsewhere_and_plays_nothing(beansim, workspace: Path) -> None:
    beansim("run", "two-pass", "--players", HERMITS, "--deals", 10, "--out", "a", "--keep", "summary")
    assert not list(Path("a/chunks").glob("*.parquet"))
    said = beansim("report", "a", "--out", "b")
    assert said.code == 0
    assert Path("b/index.html").exists()
    assert not Path("b/chunks").exists()


def test_quiet_says_nothing_but_the_summary(beansim, workspace: Path) -> None:
    beansim("run", "two-pass", "--players", HERMITS, "--deals", 10)
    said = beansim("run", "two-pass", "--players", HERMITS, "--deals", 10, "--quiet")
    assert said.err == ""
    assert "hermit" in said.out


EXPECTING = """
deals = 8000
keep = "summary"
expect = ["hermit win_share = 0.333 within 0.01", "seat 0 win_share {}"]

[[arms]]
players = ["hermit", "hermit", "hermit"]

[stop]
half_width = 0.1
of = "means"
metric = "turns"
"""


def test_an_experiment_can_be_a_test(beansim, workspace: Path) -> None:
    Path("asked.toml").write_text(EXPECTING.format("> 0.9"))
    said = beansim("run", "asked.toml", "--out", "a")
    assert said.code == 1
    assert "4,096 deals" in said.out
    assert "stopped by half_width" in said.out
    assert "fails      seat 0 win_share > 0.9" in said.out
    assert "holds      hermit win_share" in said.out
    assert "exact" in said.out
    assert "What was expected" in Path("a/report.md").read_text()
    assert "fails" in Path("a/tables/expectations.csv").read_text()


def test_what_is_expected_must_be_there(beansim, workspace: Path) -> None:
    Path("asked.toml").write_text(EXPECTING.format("> hemit"))
    said = beansim("run", "asked.toml")
    assert said.code == 2
    assert "'hemit'" in said.err
    assert not Path("reports").exists()


def test_changed_arms_are_not_what_was_expected(beansim, workspace: Path) -> None:
    Path("asked.toml").write_text(EXPECTING.format("> 0.9"))
    said = beansim("run", "asked.toml", "--players", "hermit,hermit,hermit,hermit", "--deals", 40)
    assert said.code == 0
    assert "is not judged here" in said.err


PRINTING = """
import os

from beansim.strategy import Strategy


class Printing(Strategy):
    compiled = False

    def plant_second(self, table, kind):
        print("noise")
        os.write(1, b"more noise\\n")
        return True
"""


def test_what_strategies_print_is_not_in_the_results(tmp_path: Path) -> None:
    """In a process of its own: its workers write to the file descriptors themselves."""
    (tmp_path / "printing.py").write_text(PRINTING)
    words = ["run", "two-pass", "--players", "printing.py,hermit,hermit", "--deals", "8", "--out", "out"]
    command = [sys.executable, "-c", "from beansim.cli.main import main; main()", *words, "--jobs", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "noise" in done.stderr
    assert "noise" not in done.stdout
    assert "hermit" in done.stdout


def test_a_strategy_that_does_not_compile_leaves_no_run_behind(beansim, tmp_path: Path) -> None:
    path = tmp_path / "none.py"
    path.write_text(
        "from beansim.strategy import Strategy, hook\n\n\nclass Nothing(Strategy):\n    @hook\n"
        "    def plant_second(self, table, kind):\n        return None\n"
    )
    said = beansim("run", "two-pass", "--players", f"{path},hermit,hermit", "--out", tmp_path / "out")
    assert said.code == 4
    assert "expected a whole number" in said.err
    assert "--resume" not in said.err
    assert not (tmp_path / "out").exists()
