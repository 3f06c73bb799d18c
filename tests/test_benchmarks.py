"""benchmarks/: the C program plays the engine's very games; a library that is missing is said to be."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def script(name: str) -> ModuleType:
    """A script of benchmarks/ as a module."""
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


against_c, peers, peer_games = script("against_c"), script("peers"), script("peer_games")
needs_compiler = pytest.mark.skipif(against_c.compiler() is None, reason="no C compiler")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return against_c.compile_program(tmp_path_factory.mktemp("c"), ("-O1",))


@needs_compiler
@pytest.mark.parametrize(("seed", "first_deal"), [(1, 0), (2**63 - 1, 10**9)])
def test_the_c_program_plays_the_engines_games(program: Any, seed: int, first_deal: int) -> None:
    ours = against_c.engine_play(against_c.hermits(), seed, first_deal, 200)
    theirs = program.play(seed, first_deal, 200)
    against_c.check_same(ours, theirs)
    assert theirs.games["turns"].min() > 10
    assert theirs.harvests.sum() == theirs.seats["harvests"].sum() > 200 * 4


@needs_compiler
@pytest.mark.parametrize("column", ["coins", "hand_left", "second_plants"])
def test_one_number_that_differs_is_found(program: Any, column: str) -> None:
    ours = against_c.engine_play(against_c.hermits(), 1, 0, 50)
    theirs = program.play(1, 0, 50)
    theirs.seats[column][100] += 1
    with pytest.raises(against_c.DifferenceError, match=f"{column} of deal 25 .row 100"):
        against_c.check_same(ours, theirs)


@needs_compiler
def test_a_harvest_that_differs_is_found(program: Any) -> None:
    ours = against_c.engine_play(against_c.hermits(), 1, 0, 50)
    theirs = program.play(1, 0, 50)
    theirs.harvests[1, 2, 3, 0] += 1
    with pytest.raises(against_c.DifferenceError, match=r"\(1, 2, 3, 0\)"):
        against_c.check_same(ours, theirs)


@needs_compiler
def test_both_are_timed_in_turns() -> None:
    seconds = against_c.measure(50, 2)
    assert all(len(found) == 2 for found in seconds.values())
    assert len(seconds) == 1 + len(against_c.BUILDS)
    assert "times as long" in against_c.lines(50, seconds)


def test_a_peer_is_timed_and_its_decisions_counted() -> None:
    loop = peer_games.Loop(play=lambda number: [number] * 7, decisions=len)
    found = peer_games.measure(peer_games.Peer("pytest", "a game", "Python", lambda: loop), 0.01)
    assert found["decisions_per_game"] == 7
    assert found["decisions_per_second"] == pytest.approx(7 * found["games_per_second"])


def test_a_peer_that_is_not_installed_stands_in_the_table() -> None:
    def prepare() -> None:
        import beansim_no_such_library  # noqa: F401

    missing = peer_games.measure(peer_games.Peer("pytest", "a game", "C++", prepare), 0.01)
    ours = peers.measure_table("hermit", against_c.hermits(), 0.001)
    rows = list(peers.table({("beansim", "x", "y"): [ours, ours], ("pytest", "a game", "C++"): [missing]}))
    assert len({row.count("|") for row in rows}) == 1
    assert "183" in rows[2]
    assert "not measured: ModuleNotFoundError" in rows[3]
