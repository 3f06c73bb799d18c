"""`beansim bench`: the measurements are complete and make sense; how large they are is no test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from beansim.cli.bench import Sizes, lines, measure, question
from beansim.cli.figures import Figure, Measured, Sample, differences, in_turns, read_measured, table
from beansim.cli.rule_costs import IDLE, OtherGamesError, cost_lines, rule_costs
from beansim.errors import InputError


@pytest.fixture(scope="module")
def found() -> Measured:
    return measure(Sizes(400, repeats=1, chunk=400, run=400, cold=False), question(), ("hermit",))


def test_every_measurement_is_there(found: Measured) -> None:
    figures = {(figure.name, figure.unit): figure for figure in found.figures}
    assert set(figures) == {
        ("four hermits", "games/s"),
        ("four hermits, fastest slice", "games/s"),
        ("four hermits", "decisions/s"),
        ("four hermits, one job", "games/s"),
        ("four hermits, two jobs", "games/s"),
        ("tallies", "s a million games"),
        ("storing rows", "s a million games"),
        ("rows on disk", "bytes a game"),
        ("beansim --help", "s"),
        ("warm start to the first batch", "s"),
        ("peak memory of a warm start", "MB"),
        ("its report", "s"),
        ("peak memory of a run and its report", "MB"),
    }
    assert all(figure.best > 0 for figure in found.figures)
    games, decisions = figures["four hermits", "games/s"], figures["four hermits", "decisions/s"]
    assert figures["four hermits, fastest slice", "games/s"].best >= games.best
    assert decisions.best / games.best == pytest.approx(183, rel=0.05)
    assert 20 < figures["rows on disk", "bytes a game"].best < 500
    assert (
        figures["peak memory of a warm start", "MB"].best
        < figures["peak memory of a run and its report", "MB"].best
        < 2000
    )


def test_they_are_told_in_lines(found: Measured) -> None:
    text = "\n".join(lines(found))
    for word in ("four hermits", "median", "two jobs are", "1 repeats that took turns", "give more --games"):
        assert word in text
    assert "too small to tell: tallies and storing of 400 games, a chunk has 65,536" in text


def test_a_file_of_them_is_read_back(found: Measured, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(found.text())
    assert read_measured(tmp_path / "old.json") == found


def test_repeats_take_turns_and_the_best_depends_on_the_unit() -> None:
    called: list[str] = []

    def measurement(name: str, unit: str, values: list[float]) -> Iterator[Sample]:
        called.append(name)
        yield Sample(name, unit, values[sum(one == name for one in called) - 1])

    found = in_turns(
        [
            lambda: measurement("speed", "games/s", [3.0, 9.0, 5.0]),
            lambda: measurement("time", "s", [4.0, 2.0, 9.0]),
        ],
        3,
    )
    assert called == ["speed", "time"] * 3
    assert found == [Figure("speed", "games/s", 9.0, 5.0, 3), Figure("time", "s", 2.0, 4.0, 3)]


def measured(*figures: Figure, **changed: object) -> Measured:
    base = Measured({"beansim": "0.1.0", "numba": "1"}, {"processor": "x", "cores": 2}, 100, figures)
    return replace(base, **changed)  # type: ignore[arg-type]


def test_ratios_say_what_is_better_and_what_is_noise() -> None:
    now = measured(
        Figure("speed", "games/s", 200.0, 190.0, 3),
        Figure("start", "s", 2.0, 2.1, 3),
        Figure("shaky", "s", 1.0, 1.5, 3),
        Figure("new", "s", 1.0, 1.0, 3),
    )
    then = measured(
        Figure("speed", "games/s", 100.0, 99.0, 3),
        Figure("start", "s", 1.0, 1.1, 3),
        Figure("shaky", "s", 1.2, 1.3, 3),
    )
    rows = {line.split()[0]: line.split() for line in table(now, then).splitlines()[1:]}
    assert rows["speed"][-2:] == ["2.00", "better"]
    assert rows["start"][-2:] == ["2.00", "worse"]
    assert rows["shaky"][-3:] == ["0.83", "within", "noise"]
    assert rows["new"][-2:] == ["-", "-"]


def test_another_machine_or_number_of_games_is_named() -> None:
    now, then = measured(), measured(machine={"processor": "y", "cores": 2}, games=5)
    assert list(differences(now, then)) == [
        "then: machine processor y, now x",
        "then: games 5, now 100",
    ]
    assert not list(differences(now, now))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data.update(format=2), "format 1"),
        (lambda data: data.update(extra=1), "extra"),
        (lambda data: data.pop("figures"), "figures is missing"),
        (lambda data: data["figures"].append(3), "figure 1"),
        (lambda data: data["figures"][0].update(best="fast"), "best is 'fast'"),
        (lambda data: data["figures"][0].update(median=float("nan")), "median is nan"),
        (lambda data: data["figures"][0].update(best=10**400), "best is 1000"),
    ],
)
def test_a_file_that_is_none_of_ours_is_refused(tmp_path: Path, change: object, says: str) -> None:
    data = json.loads(measured(Figure("speed", "games/s", 2.0, 1.0, 3)).text())
    change(data)  # type: ignore[operator]
    (tmp_path / "old.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=says) as error:
        read_measured(tmp_path / "old.json")
    assert "old.json" in str(error.value)


def test_the_command_refuses_before_it_measures(beansim: Callable[..., Any], tmp_path: Path) -> None:
    said = beansim("bench", "--against", tmp_path / "nowhere.json")
    assert said.code == 2
    assert "nowhere.json" in said.err
    assert beansim("bench", "--rules", "--against", "x.json").code == 2


def test_idle_rule_options_are_timed_on_the_same_games() -> None:
    found = rule_costs(5, rounds=2)
    assert len(found) == len(IDLE) + 1
    assert all(one["low"] <= one["median"] <= one["high"] for one in found.values())
    text = "\n".join(cost_lines(found))
    assert "base again (noise)" in text
    assert "quartiles" in text


def test_an_option_that_changes_the_games_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the time of other games says nothing."""
    monkeypatch.setitem(IDLE, "two passes", {"run_outs": 2})
    with pytest.raises(OtherGamesError, match="two passes"):
        rule_costs(5, rounds=1)
