"""Whatever a file holds, reading it gives a valid object or an error for people, and does nothing else."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fuzzing_tools import changed_json, damaged, harmless
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beansim.errors import BeansimError
from beansim.rules import resolve

ROOT = Path(__file__).parents[1]
CHECKS = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)
quick = settings(max_examples=40, deadline=None, suppress_health_check=CHECKS, derandomize=True)
thorough = settings(max_examples=600, deadline=None, suppress_health_check=CHECKS)

Read = Callable[[Path], Any]


def survives(read: Read, path: Path, content: bytes) -> None:
    """`read` takes the file, or refuses it with an error for people; and does nothing else."""
    path.write_bytes(content)
    with harmless(path.parent), contextlib.suppress(BeansimError):
        read(path)


def fewer(sizes: settings) -> settings:
    """For readers of which each call takes long."""
    return settings(sizes, max_examples=sizes.max_examples // 4)


def fuzz(read: Read, path: Path, contents: st.SearchStrategy[bytes], sizes: settings) -> None:
    @sizes
    @given(contents)
    def check(content: bytes) -> None:
        survives(read, path, content)

    check()


SIZES = pytest.mark.parametrize(
    "sizes", [pytest.param(quick, id="quick"), pytest.param(thorough, id="thorough", marks=pytest.mark.slow)]
)


# --- text that people write -----------------------------------------------------------------------


@SIZES
@pytest.mark.parametrize("name", ["players", "champion", "third-field"])
def test_experiments(tmp_path: Path, sizes: settings, name: str) -> None:
    from beansim.experiment import read_experiment

    content = (ROOT / "experiments" / f"{name}.toml").read_bytes()[:4000]
    fuzz(read_experiment, tmp_path / "x.toml", damaged(content), sizes)


HOUSE = b"""
[variants.five-fields]
extends = "base"
players = [3, 4]
run_outs = 2
fields = 3
kinds = ["blue", {name = "red", count = 12}, {name = "pinto", count = 40, needed = [2, 4, 6, 8]}]

[variants.five-fields.by_players.3]
fields = 4
"""


@SIZES
def test_house_rules(tmp_path: Path, sizes: settings) -> None:
    from beansim.house import named_variant

    fuzz(lambda path: named_variant(str(path)), tmp_path / "house.toml", damaged(HOUSE), sizes)


@SIZES
def test_line_ups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: settings) -> None:
    from beansim.experiment import split_players
    from beansim.strategy import load

    monkeypatch.chdir(tmp_path)
    words = st.sampled_from(
        ["trader", "miser", "hermit", "margin", ":", "=", ",", "1", "-1", "nan", "1e999", ".py", "/", "x"]
    )
    texts = st.one_of(st.lists(words, max_size=9).map("".join), st.text(max_size=30))

    @fewer(sizes)
    @given(texts)
    def check(text: str) -> None:
        with harmless(tmp_path), contextlib.suppress(BeansimError):
            for spec in split_players(text):
                load(spec)

    for known in ("trader", "miser", "hermit"):  # importing is no part of reading
        load(known)
    check()


@SIZES
def test_decks(tmp_path: Path, sizes: settings) -> None:
    from beansim.cli.deck import read_deck

    rules = resolve("base", 4)
    content = "\n".join(" ".join([kind.name] * kind.count) for kind in rules.kinds).encode()

    def read(path: Path) -> Any:
        with path.open(encoding="utf-8") as file:
            return read_deck(file, rules)

    fuzz(read, tmp_path / "deck.txt", damaged(content), sizes)


# --- games ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record() -> bytes:
    from beansim.cli.play import build_arm
    from beansim.engine import play
    from beansim.simulate.record import record_lines

    batch = play(build_arm("base", ("trader",) * 3, "fixed"), 1, 0, 1, log=True)
    return "".join(f"{line}\n" for line in record_lines(batch.records(0))).encode()


@SIZES
def test_records(tmp_path: Path, sizes: settings, record: bytes) -> None:
    from beansim.referee import bounded_lines, replay_lines

    lines = record.splitlines(keepends=True)

    def read(path: Path) -> None:
        with path.open("rb") as file:
            for verdict in replay_lines(bounded_lines(file), "record"):
                assert str(verdict)

    @st.composite
    def contents(draw: Any) -> bytes:
        at = draw(st.integers(0, len(lines) - 1))
        return b"".join((*lines[:at], draw(changed_json(lines[at])), b"\n", *lines[at + 1 :]))

    fuzz(read, tmp_path / "game.jsonl", contents(), sizes)


POSITION = """{
  "rules": {"variant": "base", "players": 3}, "turn": 5, "active": 1, "phase": 2, "drawn": true,
  "pile": ["red", "soy"], "discards": ["blue", "blue"], "revealed": ["garden", "chili"],
  "seats": [
    {"fields": [["blue", 4], null, ["soy", 1]], "hand": ["red", "green"], "earnings": ["stink"]},
    {"hand": ["chili"]}, {"received": ["red"]}
  ]
}"""
"""docs/positions.md, almost."""


@SIZES
def test_positions(tmp_path: Path, sizes: settings) -> None:
    from beansim.referee.position_reader import parse_position

    fuzz(
        lambda path: parse_position(path.read_bytes().decode(errors="replace")),
        tmp_path / "position.json",
        changed_json(POSITION),
        sizes,
    )


# --- results --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of few deals that kept its games."""
    from beansim.experiment import Changes, find_experiment, read_experiment
    from beansim.simulate.run import run

    changes = Changes(deals=4, players=("hermit", "hermit", "hermit", "miser"), keep="games")
    folder = tmp_path_factory.mktemp("stored") / "run"
    run(read_experiment(find_experiment("two-pass")).changed(changes), folder)
    return folder


def read_run(path: Path) -> None:
    """All that a report reads."""
    from beansim.analysis.convergence import Settling
    from beansim.analysis.frames import block_frame
    from beansim.analysis.run import Run

    run = Run.read(path.parent if path.parent.name != "chunks" else path.parent.parent)
    Settling(run).win_shares(0, run.arms[0].lineup[0])
    block_frame(run)


@SIZES
@pytest.mark.parametrize("name", ["run.json", "watched.json", "chunks/tally-00000.json"])
def test_results(stored: Path, tmp_path: Path, sizes: settings, name: str) -> None:
    shutil.copytree(stored, tmp_path / "run")
    path = tmp_path / "run" / name
    fuzz(read_run, path, changed_json(path.read_bytes()), sizes)


@SIZES
@pytest.mark.parametrize("name", ["chunks/games-00000.parquet", "chunks/seats-00000.parquet"])
def test_rows(stored: Path, tmp_path: Path, sizes: settings, name: str) -> None:
    shutil.copytree(stored, tmp_path / "run")
    path = tmp_path / "run" / name
    fuzz(read_run, path, damaged(path.read_bytes()), sizes)


@SIZES
def test_what_a_run_is_resumed_from(stored: Path, tmp_path: Path, sizes: settings) -> None:
    """Reading alone: going on with a run loads the strategies that it names (docs/safety.md)."""
    from beansim.experiment import from_description
    from beansim.simulate.folder import RunFolder

    def read(path: Path) -> None:
        from_description(RunFolder(path.parent).read_json(path.name), str(path))

    content = (stored / "experiment.json").read_bytes()
    fuzz(read, tmp_path / "experiment.json", changed_json(content), sizes)


@SIZES
def test_searches(tmp_path: Path, sizes: settings) -> None:
    pytest.importorskip("optuna")
    from beansim.tuning.study import _open_study

    description = {"strategy": "trader", "seed": 1}
    study = _open_study(tmp_path / "first", "random", description)
    for value in (0.25, 0.5):
        trial = study.ask()
        trial.suggest_float("margin", 0, 1)
        study.tell(trial, value)
    lines = (tmp_path / "first" / "trials.log").read_bytes().splitlines(keepends=True)

    @st.composite
    def contents(draw: Any) -> bytes:
        at = draw(st.integers(0, len(lines) - 1))
        return b"".join((*lines[:at], draw(changed_json(lines[at])), b"\n", *lines[at + 1 :]))

    def read(path: Path) -> None:
        assert _open_study(path.parent, "random", description).trials is not None

    fuzz(read, tmp_path / "trials.log", contents(), fewer(sizes))


@SIZES
def test_measurements(tmp_path: Path, sizes: settings) -> None:
    from beansim.cli.figures import Figure, Measured, differences, read_measured, table

    some = Measured({"beansim": "0"}, {"cores": 2}, 9, (Figure("speed", "games/s", 2.0, 1.0, 3),))

    def read(path: Path) -> None:
        old = read_measured(path)
        assert table(some, old)
        assert list(differences(some, old)) is not None

    fuzz(read, tmp_path / "old.json", changed_json(some.text()), sizes)


# --- negative controls ----------------------------------------------------------------------------


def test_a_reader_that_unpickles_or_writes_elsewhere_is_caught(tmp_path: Path) -> None:
    import pickle

    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    for deed in (
        lambda: pickle.loads(pickle.dumps(Path)),
        lambda: outside.write_text("x"),
        lambda: inside.joinpath("..", "other").mkdir(),
    ):
        with pytest.raises(AssertionError), harmless(inside):
            deed()
    with harmless(inside):
        (inside / "x").write_text("x")


def test_a_file_without_an_end_is_not_read_to_its_end() -> None:
    from beansim.errors import InputError
    from beansim.reading import read_limited, read_toml

    endless = Path("/dev/zero")
    if not endless.exists():
        pytest.skip("no endless file here")
    for read in (read_toml, lambda path: read_limited(path, 1000)):
        with pytest.raises(InputError, match="larger than"):
            read(endless)
