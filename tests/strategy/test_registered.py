"""Strategies of other packages, registered under the entry point group `beansim.strategies`."""

from __future__ import annotations

from pathlib import Path

import pytest

from beansim.checking.contract import check_strategy
from beansim.checking.tables import rules_of, table_of
from beansim.cli.main import run_main
from beansim.engine import play
from beansim.errors import InputError, StrategyError
from beansim.strategy import load, registered

CLASS = '''"""A strategy of a package, with a neighbour module."""

from beansim.strategy import Strategy, hook

from .numbers import LEAST


class Friendly(Strategy):
    """Plants what is worth enough.

    Idea: packaged.
    Source: this test.
    """

    @hook
    def plant_second(self, table, kind):
        return self.worth[kind] > LEAST
'''


class Packages:
    """Distributions laid out as an installer does it, on a folder of sys.path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, package: str, entries: str, text: str = CLASS) -> None:
        source = self.folder / package
        source.mkdir()
        (source / "__init__.py").write_text("")
        (source / "numbers.py").write_text("LEAST = 0.25\n")
        (source / "friendly.py").write_text(text)
        info = self.folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[beansim.strategies]\n{entries}\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    monkeypatch.syspath_prepend(tmp_path)
    return Packages(tmp_path)


def test_a_registered_strategy_plays_by_its_name(
    packages: Packages, capsys: pytest.CaptureFixture[str]
) -> None:
    packages.add("beans_one", "friendly = beans_one.friendly:Friendly")
    entrant = load("friendly")
    assert (entrant.label, load(entrant.spec).cls) == ("friendly", entrant.cls)
    batch = play(table_of(rules_of("base", 3), ("friendly", "hermit", "trader")), 1, 0, 5)
    assert (batch.games["status"] == 0).all()
    found = list(check_strategy(entrant, 5, checks=["compiles", "blind to hidden cards"]))
    assert all(item.passed for item in found), found
    assert run_main(["strategies"]) == 0
    assert "friendly: Plants what is worth enough." in capsys.readouterr().out


def test_an_unknown_name_suggests_registered_ones(packages: Packages) -> None:
    packages.add("beans_two", "friendly = beans_two.friendly:Friendly")
    with pytest.raises(InputError, match="did you mean 'friendly'"):
        load("freindly")


def test_one_name_for_two_strategies_is_an_error(packages: Packages) -> None:
    packages.add("beans_three", "friendly = beans_three.friendly:Friendly")
    packages.add(
        "beans_four", "friendly = beans_four.friendly:Friendly\ntrader = beans_four.friendly:Friendly"
    )
    with pytest.raises(InputError, match=r"registered twice: beans_.* by beans_"):
        registered()


def test_a_registered_name_does_not_hide_one_of_beansim(packages: Packages) -> None:
    packages.add("beans_five", "trader = beans_five.friendly:Friendly")
    with pytest.raises(InputError, match=r"comes with beansim .* by beans_five"):
        load("trader")


@pytest.mark.parametrize(
    ("package", "entry", "words"),
    [
        ("beans_six", "friendly = beans_six.friendly:LEAST", "expected a strategy class"),
        ("beans_seven", "friendly = beans_seven.missing:Friendly", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_a_broken_registration_names_its_package(
    package: str, entry: str, words: str, packages: Packages, capsys: pytest.CaptureFixture[str]
) -> None:
    packages.add(package, entry)
    with pytest.raises(StrategyError, match=words) as error:
        load("friendly")
    assert f"by {package}" in str(error.value)
    assert run_main(["strategies"]) == 0
    assert "friendly: cannot be loaded" in capsys.readouterr().out
