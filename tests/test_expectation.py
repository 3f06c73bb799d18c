"""Reading what an experiment expects, and when it may stop."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beansim.errors import InputError
from beansim.expectation import read_expectation
from beansim.experiment import Changes, describe, from_description, read_experiment
from beansim.stop import Stop, read_time

ASKED = """
deals = 50
expect = ["hermit win_share = 0.25 within 0.1", "games turns in base > in two-pass by 3"]

[[arms]]
players = ["hermit", "hermit", "random", "random"]

[[arms]]
variant = "two-pass"
players = ["hermit", "hermit", "random", "random"]

[stop]
half_width = 0.01
max_time = "1m30s"
"""


@pytest.mark.parametrize(
    ("text", "subject", "arm", "relation", "number", "other", "other_arm", "distance"),
    [
        ("champion win_share > trader by 0.02", "champion", "", ">", None, "trader", "", 0.02),
        ("champion win_share > 0.3", "champion", "", ">", 0.3, "", "", 0.0),
        ("seat 0 win_share < seat 3", "seat 0", "", "<", None, "seat 3", "", 0.0),
        ("seat 0 coins in base = 12 within 0.5", "seat 0", "base", "=", 12.0, "", "", 0.5),
        ("games turns in two-pass < in base by 5", "games", "two-pass", "<", None, "", "base", 5.0),
        ("a:x=1,y=2 coins in 'two words' > b", "a:x=1,y=2", "two words", ">", None, "b", "", 0.0),
        ("seat 1 coins in a = in b within 1e-3", "seat 1", "a", "=", None, "", "b", 0.001),
    ],
)
def test_lines_are_read(text, subject, arm, relation, number, other, other_arm, distance) -> None:
    found = read_expectation(text)
    assert (found.subject, found.arm, found.relation) == (subject, arm, relation)
    assert (found.number, found.other, found.other_arm) == (number, other, other_arm)
    assert found.distance == distance
    assert found.text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "ends where a strategy"),
        ("champion", "ends where a metric"),
        ("champion win_share", "ends where '>'"),
        ("champion win_share >= trader", "unknown relation '>='"),
        ("champion win_share >", "ends where a strategy"),
        ("champion win_share = trader", "needs 'within"),
        ("champion win_share > trader by", "ends where an amount"),
        ("champion win_share > trader by much", "'much'"),
        ("champion win_share > trader by -1", "'-1'"),
        ("champion win_share = trader within 0", "'0'"),
        ("champion win_share > 0.3 by 0.1", "does not go with a number"),
        ("champion win_share > trader by 0.1 in base", "'in base' stands at the end"),
        ("champion win_share > 'trader", "No closing quotation"),
        ("champion win_share in", "name of an arm"),
        ("seat", "number of a seat"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_expectation(text)
    assert expected in str(caught.value)
    assert repr(text) in str(caught.value)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        assert read_expectation(text).text == text


def asked(folder: Path, text: str = ASKED):
    path = folder / "asked.toml"
    path.write_text(text)
    return read_experiment(path)


def test_an_experiment_holds_both_and_its_description_gives_them_back(tmp_path: Path) -> None:
    plan = asked(tmp_path)
    assert plan.stop == Stop(half_width=0.01, max_time=90)
    assert [line.metric for line in plan.expect] == ["win_share", "turns"]
    again = from_description(describe(plan, plan.build()), "x")
    assert (again.stop, again.expect) == (plan.stop, plan.expect)


def test_expectations_go_when_the_arms_are_changed(tmp_path: Path) -> None:
    plan = asked(tmp_path)
    assert plan.changed(Changes(deals=3, seed=2)).expect == plan.expect
    assert plan.changed(Changes(variant="base")).expect == ()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("half_width = 0.01", "half_width = 0", "half_width is 0"),
        ("half_width = 0.01", "half_width = true", "half_width is True"),
        ("half_width = 0.01", "halfwidth = 0.01", "'half_width'"),
        ("half_width = 0.01", 'of = "both"', "'both'"),
        ("half_width = 0.01", "metric = 3", "metric is 3"),
        ('"1m30s"', '"soon"', "'soon'"),
        ('half_width = 0.01\nmax_time = "1m30s"', "", "needs half_width or max_time"),
        ('["hermit win_share', '[3, "hermit win_share', "expected a list of lines"),
        ("within 0.1", "about 0.1", "needs 'within"),
        ("[stop]", "[[stop]]", "expected a table [stop]"),
    ],
)
def test_mistakes_name_the_file(tmp_path: Path, old: str, new: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        asked(tmp_path, ASKED.replace(old, new))
    assert expected in str(caught.value)
    assert "asked.toml" in str(caught.value)


def test_times_are_read() -> None:
    assert [read_time(text) for text in ("90s", "10m", "1h30m", "2h", "1h1m1s")] == [
        90,
        600,
        5400,
        7200,
        3661,
    ]
    for text in ("", "10", "m", "1m1h"):
        with pytest.raises(InputError):
            read_time(text)
