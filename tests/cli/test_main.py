"""The group of commands, the lists, and what is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import beansim as package
from beansim.cli.main import COMMANDS, run_main
from beansim.referee.replay import replay_lines
from beansim.report.text import aligned

ROOT = Path(package.__file__).parent.parent


def imported_by(code: str) -> set[str]:
    """Modules that are loaded once a new interpreter has run `code`."""
    text = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = {"numpy", "numba", "polars", "pandas", "matplotlib", "scipy", "joblib", "rich"}


def test_help_and_import_load_nothing_heavy() -> None:
    code = "from beansim.cli.main import run_main; run_main(['--help'])"
    assert not HEAVY & imported_by(code)
    assert not HEAVY & imported_by("import beansim")


def test_help_names_every_command_and_each_has_its_own(beansim) -> None:
    said = beansim("--help")
    assert said.code == 0
    for name, lazy in COMMANDS.items():
        assert name in said.out
        assert lazy.help in said.out
        assert beansim(name, "--help").code == 0


def test_version(beansim) -> None:
    assert beansim("--version").out == f"beansim {package.__version__}\n"


def test_variants_are_listed_and_described(beansim) -> None:
    assert "two-pass" in beansim("variants").out
    said = beansim("variants", "base")
    assert "run_outs" in said.out
    assert "4/6/8/10" in said.out
    data = json.loads(beansim("variants", "two-pass", "--json").out)
    assert data["two-pass"]["rules"]["4"]["run_outs"] == 2
    assert set(json.loads(beansim("variants", "--json").out)) >= {"base", "two-pass"}
    assert beansim("variants", "bse").code == 2


def test_strategies_are_listed_and_described(beansim, workspace: Path) -> None:
    Path("strategies").mkdir()
    Path("strategies/broken.py").write_text("import no_such_module")
    said = beansim("strategies")
    assert said.code == 0
    assert "hermit" in said.out
    assert "cannot be loaded" in said.out
    assert "trade" in beansim("strategies", "hermit").out
    assert "'hermit'" in beansim("strategies", "hermt").err


def test_columns_line_up() -> None:
    assert aligned([("a", "bb"), (12, "c")]) == "a   bb\n12  c"


def test_simulate_is_a_package_and_can_be_called_in_any_order() -> None:
    code = "import beansim{}; from beansim.simulate.run import run; print(callable(beansim.simulate))"
    for first in ("", ", beansim.simulate.chunks", "; beansim.simulate"):
        assert "True" in imported_by(code.format(first))


@pytest.mark.parametrize("name", ["simulate", "Strategy", "open_run", "Experiment"])
def test_public_names_are_there(name: str) -> None:
    assert callable(getattr(package, name))
    assert name in dir(package)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such"):
        package.no_such  # noqa: B018


def test_every_package_is_listed_for_the_wheel() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {
        str(path.parent.relative_to(ROOT)).replace("/", ".")
        for path in (ROOT / "beansim").rglob("__init__.py")
    }
    assert found == {name for name in listed if "_bundled" not in name}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", [["variants"], ["strategies"], ["--help"]])
def test_a_full_disk_is_one_line(command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from beansim.cli.main import main; main()", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.stderr == "error: cannot write or read: No space left on device\n"
    assert done.returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="a shell that closes files")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_input_and_output_are_no_errors(closed: str, tmp_path: Path) -> None:
    words = ["play", "--players", "hermit,hermit,hermit", "--record", "it"]
    code = f"from beansim.cli.main import main; main({words})"
    done = subprocess.run(
        f'exec "{sys.executable}" -c "{code}" {closed}',
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (verdict,) = replay_lines((tmp_path / "it").read_text().splitlines(), "it")
    assert verdict.holds


@pytest.mark.parametrize("command", [["run", "two-pass"], ["report", "."], ["tournament", "trader", "miser"]])
def test_an_empty_folder_name_is_refused(
    command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_main([*command, "--out", ""]) == 2
    assert "the name is empty, expected a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_a_command_there_is_help_and_no_error(beansim) -> None:
    said = beansim()
    assert said.code == 2
    assert said.err.startswith("Usage: beansim")
    assert "error:" not in said.err
    assert "see beansim" not in said.err
