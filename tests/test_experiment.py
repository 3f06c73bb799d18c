from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beansim.errors import InputError
from beansim.experiment import (
    ArmPlan,
    Changes,
    Experiment,
    arm_names,
    experiment_files,
    find_experiment,
    read_experiment,
    seat,
    short_lineup,
    split_players,
)

GOOD = """
title = "Two passes or three?"
seed = 7
deals = 50

[[arms]]
variant = "base"
players = ["hermit", "hermit", "hermit", "hermit"]

[[arms]]
variant = "quick"
players = ["hermit", "hermit", "hermit", "hermit"]

[variants.quick]
extends = "base"
run_outs = 1
"""

TABLE = ("hermit",) * 4


def write(folder: Path, text: str) -> Path:
    path = folder / "asked.toml"
    path.write_text(text)
    return path


def test_reads_settings_arms_and_house_variants(tmp_path: Path) -> None:
    plan = read_experiment(write(tmp_path, GOOD))
    assert (plan.name, plan.seed, plan.deals, plan.seatings, plan.keep) == ("asked", 7, 50, "rotate", "games")
    assert [arm.variant for arm in plan.arms] == ["base", "quick"]
    assert [plan.rules(number).run_outs for number in (0, 1)] == [3, 1]


def test_house_variants_extend_each_other_in_any_order(tmp_path: Path) -> None:
    text = GOOD.replace('variant = "quick"', 'variant = "silent"')
    text += '\n[variants.silent]\nextends = "mute"\ntrading = false\n'
    text += '[variants.mute]\nextends = "quick"\ngifts = false\n'
    rules = read_experiment(write(tmp_path, text)).rules(1)
    assert (rules.run_outs, rules.trading, rules.gifts, rules.variant) == (1, False, False, "silent")


def test_house_variant_may_open_other_player_counts(tmp_path: Path) -> None:
    text = GOOD.replace("run_outs = 1", "run_outs = 1\nplayers = [4, 6]")
    plan = read_experiment(write(tmp_path, text))
    assert plan.changed(Changes(variant="quick", players=("hermit",) * 6)).rules(0).players == 6


# what is wrong -> (text replaced, by, words that the message must have)
MISTAKES = {
    "broken TOML": ("seed = 7", "seed = = 7", ["broken TOML", "line 3"]),
    "unknown key": ("deals = 50", "deal = 50", ["unknown key 'deal'", "did you mean 'deals'"]),
    "unknown key of an arm": ('variant = "quick"', 'varian = "quick"', ["'varian'", "arm 2", "'variant'"]),
    "unknown variant": (
        'variant = "quick"',
        'variant = "quik"',
        ["unknown variant 'quik'", "'quick'", "arm 2"],
    ),
    "unknown option": ("run_outs = 1", "run_out = 1", ["[variants.quick]", "'run_out'", "'run_outs'"]),
    "option out of bounds": ("run_outs = 1", "run_outs = 0", ["run_outs is 0", "1 to 9", "[variants.quick]"]),
    "option of wrong type": ("run_outs = 1", 'run_outs = "1"', ["run_outs is '1'", "whole number"]),
    "wrong word": ("run_outs = 1", 'tie = "coin"', ["value of tie 'coin'", "last_seat"]),
    "text for a number": ("deals = 50", 'deals = "50"', ["deals is '50'", "whole number"]),
    "yes for a number": ("deals = 50", "deals = true", ["deals is True", "whole number"]),
    "no deals": ("deals = 50", "deals = 0", ["deals is 0", "from 1 to"]),
    "seed below zero": ("seed = 7", "seed = -1", ["seed is -1", "from 0 to"]),
    "number for a text": ('title = "Two passes or three?"', "title = 2", ["title is 2", "text"]),
    "wrong seatings": ("seed = 7", 'seatings = "rotated"', ["'rotated'", "'rotate'"]),
    "wrong keep": ("seed = 7", 'keep = "game"', ["'game'", "'games'"]),
    "players no list": (
        'players = ["hermit", "hermit", "hermit", "hermit"]',
        'players = "hermit"',
        ["players is 'hermit'", "list"],
    ),
    "six at a table for five": (
        'variant = "base"\nplayers = [',
        'variant = "base"\nplayers = ["hermit", "hermit", ',
        ["3 to 5 players, got 6", "arm 1"],
    ),
    "one player": (
        '["hermit", "hermit", "hermit", "hermit"]',
        '["hermit"]',
        ["players are hermit", "expected 2 to 7", "arm 1"],
    ),
    "arms no tables": (GOOD, "arms = 3", ["arms is 3", "[[arms]]"]),
    "no arms": (GOOD, "seed = 1", ["no arms", "[[arms]]"]),
    "variants no tables": (GOOD, "variants = 3", ["variants is 3", "[variants.NAME]"]),
    "extends itself": ('extends = "base"', 'extends = "quick"', ["extends itself", "quick > quick"]),
    "extends nothing": ('extends = "base"', 'extends = "bas"', ["'bas'", "'base'", "[variants.quick]"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_error_that_says_what_and_where(tmp_path: Path, mistake: str) -> None:
    old, new, words = MISTAKES[mistake]
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_experiment(path)
    message = str(caught.value)
    assert "asked.toml" in message
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("spec", "words"),
    [("hermti", ["'hermti'", "'hermit'"]), ("hermit:marge=1", ["'marge'"]), ("no/such.py", ["no/such.py"])],
)
def test_an_unknown_strategy_is_found_when_the_arms_are_built(spec: str, words: list[str]) -> None:
    plan = Experiment(name="x", arms=(ArmPlan(variant="base", players=("hermit", "hermit", spec)),))
    with pytest.raises(InputError) as caught:
        plan.build()
    for word in ["arm 1 (base)", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b"#" * 2_000_000])
def test_a_file_that_is_no_experiment(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "asked.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"asked\.toml"):
        read_experiment(path)


@given(st.binary(max_size=200))
def test_any_bytes_are_an_experiment_or_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x.toml"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_experiment(path)


def test_changes_replace_settings_and_merge_equal_arms(tmp_path: Path) -> None:
    plan = read_experiment(write(tmp_path, GOOD))
    changed = plan.changed(Changes(variant="two-pass", deals=9, seed=0))
    assert changed.arms == (ArmPlan(variant="two-pass", players=TABLE),)
    assert (changed.deals, changed.seed) == (9, 0)
    assert plan.changed(Changes()) is plan


def test_a_changed_arm_loses_the_name_that_described_it() -> None:
    plan = Experiment(name="x", arms=(ArmPlan(variant="base", players=TABLE, name="hermits"),))
    assert plan.changed(Changes(players=("trader",) * 3)).arms[0].name == ""
    assert plan.changed(Changes(deals=3)).arms[0].name == "hermits"


def test_changes_are_checked(tmp_path: Path) -> None:
    plan = read_experiment(write(tmp_path, GOOD))
    with pytest.raises(InputError, match=r"unknown variant 'tow-pass'.*'two-pass'"):
        plan.changed(Changes(variant="tow-pass"))
    with pytest.raises(InputError, match="3 to 5 players, got 2"):
        plan.changed(Changes(players=("hermit",) * 2))


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("a,b,c", ("a", "b", "c")),
        ("trader:margin=1,greed=2,miser", ("trader:margin=1,greed=2", "miser")),
        ("trader,margin=1,miser", ("trader:margin=1", "miser")),
        (" a , b ", ("a", "b")),
        ("x/y.py:Cls:m=1,n=2,z.py:Other", ("x/y.py:Cls:m=1,n=2", "z.py:Other")),
        ("x/y.py:Cls,m=1", ("x/y.py:Cls:m=1",)),
    ],
)
def test_a_line_up_is_split_at_the_commas_between_strategies(text: str, players: tuple[str, ...]) -> None:
    assert split_players(text) == players


@pytest.mark.parametrize("text", ["", "a,,b", "a,", "margin=1,a"])
def test_a_line_up_with_a_hole_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="players"):
        split_players(text)


names = st.from_regex(r"[a-z]{1,5}(:[a-z]{1,3}=[0-9](,[a-z]{1,3}=[0-9])?)?", fullmatch=True)


@given(st.lists(names, min_size=1, max_size=7))
def test_splitting_what_was_joined_gives_it_back(players: list[str]) -> None:
    assert list(split_players(",".join(players))) == players


def test_rotation_gives_every_entry_every_seat_once() -> None:
    seatings = seat("abcd", "rotate")
    assert seatings[0] == (0, 1, 2, 3)
    for place in range(4):
        assert sorted(seating[place] for seating in seatings) == [0, 1, 2, 3]


def test_permutation_leaves_out_what_copies_make_equal() -> None:
    assert len(seat("abc", "permute")) == 6
    assert len(seat("aabb", "permute")) == 6
    assert seat("abca", "permute")[0] == (0, 1, 2, 3)
    assert seat("abc", "fixed") == ((0, 1, 2),)


def test_arms_are_named_by_variant_and_by_line_up_where_needed() -> None:
    arms = [ArmPlan(variant="base", players=TABLE), ArmPlan(variant="two-pass", players=TABLE)]
    assert arm_names("x", arms, [TABLE, TABLE]) == ["base", "two-pass"]
    arms = [ArmPlan(variant="base", players=TABLE), ArmPlan(variant="base", players=("a", "a", "b"))]
    assert arm_names("x", arms, [TABLE, ("a", "a", "b")]) == ["base (4 hermit)", "base (2 a, b)"]
    with pytest.raises(InputError, match="arms 1 and 2 are both called"):
        arm_names("x", [arms[0]] * 2, [TABLE, TABLE])
    assert short_lineup(["a", "b", "b", "a"]) == "a, 2 b, a"


def test_every_experiment_that_ships_can_be_read_and_seated() -> None:
    files = experiment_files()
    assert {"two-pass", "strategies", "seats"} <= set(files)
    for name, path in files.items():
        plan = read_experiment(find_experiment(name))
        assert plan.title
        assert plan.question
        assert plan.name == path.stem


def test_a_name_is_looked_up_in_the_workspace_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "seats.toml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert find_experiment("seats") == Path("experiments/seats.toml")
    assert find_experiment("two-pass").name == "two-pass.toml"
    with pytest.raises(InputError, match=r"unknown experiment 'seat'.*'seats'"):
        find_experiment("seat")


def test_a_description_is_read_back_as_the_same_arms(tmp_path: Path) -> None:
    from beansim.experiment import describe, from_description

    plan = read_experiment(write(tmp_path, GOOD))
    arms = plan.build()
    data = describe(plan, arms)
    again = from_description(data, "experiment.json")
    assert describe(again, again.build()) == data
    assert again.deals == 50
    with pytest.raises(InputError, match="not the experiment of a run"):
        from_description({"format": 1}, "experiment.json")
