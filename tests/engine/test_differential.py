"""Every way of playing gives the same games; where one does not, the difference is shown as a record."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beansim.checking.differential import (
    COMPILED,
    INTERPRETED_ENGINE,
    INTERPRETED_HOOKS,
    REFEREE,
    RULES,
    compare,
    judge,
)
from beansim.checking.games import arm_from, arm_recipe, first_difference
from beansim.checking.tables import every_table, rules_of, table_of
from beansim.cli.main import run_main
from beansim.engine import Arm, play
from beansim.rules import VARIANTS
from beansim.strategy import available, load

TABLES = every_table()
QUICK = (REFEREE, INTERPRETED_HOOKS)
SAMPLE = [next(arm for arm in TABLES if arm.rules.variant == name) for name in ("base", "rio-grande", "duel")]


def table_id(arm: Arm) -> str:
    return f"{arm.rules.variant}-{arm.rules.players}-{arm.lineup[0].label}"


@pytest.mark.parametrize("arm", TABLES, ids=table_id)
def test_compiled_interpreted_and_referee_agree(arm: Arm) -> None:
    assert compare(arm, 31, 0, 3, QUICK) is None


@pytest.mark.parametrize("arm", SAMPLE, ids=table_id)
def test_the_interpreted_engine_agrees(arm: Arm) -> None:
    assert compare(arm, 32, 0, 2, (INTERPRETED_ENGINE,)) is None


@pytest.mark.slow
@pytest.mark.parametrize("arm", TABLES, ids=table_id)
def test_many_games_agree_in_every_way(arm: Arm) -> None:
    assert compare(arm, 33, 0, 40) is None


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_ten_thousand_games_of_each_variant_hold(variant: str) -> None:
    """With every strategy at the table at least once."""
    tables = [arm for arm in TABLES if arm.rules.variant == variant]
    for arm in tables:
        assert compare(arm, 34, 0, -(-10_000 // len(tables)), (REFEREE,)) is None


def test_every_strategy_sits_at_a_table_of_each_size() -> None:
    for variant, known in VARIANTS.items():
        for players in known.players:
            seated = {
                entrant.name
                for arm in TABLES
                if (arm.rules.variant, arm.rules.players) == (variant, players)
                for entrant in arm.lineup
            }
            assert seated == {name for name in available() if load(name).compiled}


def test_a_difference_names_line_and_place_and_keeps_the_record() -> None:
    arm = table_of(rules_of("base", 3), ("trader",) * 3)
    events = play(arm, 1, 0, 1, log=True).records(0)
    place = next(number for number, event in enumerate(events) if event["e"] == "harvest")
    events[place]["coins"] += 1
    found = judge(events, "somewhere")
    assert found is not None
    assert found.ways == (COMPILED, REFEREE)
    assert found.line == place + 1
    assert found.events is events
    assert "RULES 1.1 beanometer" in str(found)
    assert str(found).startswith("somewhere: the compiled engine differs from the referee: line ")


def test_a_game_that_a_strategy_ended_is_a_difference(tmp_path: Any) -> None:
    path = tmp_path / "late.py"
    path.write_text(
        "from beansim.strategy import Strategy, hook\n\n\n"
        'class Late(Strategy):\n    """Answers nonsense in turn 9."""\n\n'
        "    @hook\n    def plant_second(self, table, kind):\n        return 5 if table.turn == 9 else 0\n"
    )
    found = compare(table_of(rules_of("base", 3), (load(str(path)),) * 3), 1, 0, 2)
    assert found is not None
    assert found.ways == (COMPILED, RULES)
    assert "late.plant_second answered neither yes" in str(found)


def test_first_difference_finds_changed_missing_and_added_events() -> None:
    events = [{"e": "turn", "seat": seat} for seat in range(4)]
    assert first_difference(events, list(events)) is None
    changed = [*events[:2], {"e": "turn", "seat": 9}, events[3]]
    assert first_difference(events, changed) == (3, '{"e":"turn","seat":2} against {"e":"turn","seat":9}')
    for other in (events[:3], [*events, {"e": "end"}]):
        found = first_difference(events, other)
        assert found is not None
        assert "events against" in found[1]


def test_an_arm_goes_to_another_process_as_plain_data() -> None:
    arm = table_of(
        rules_of("two-pass", 4, protect="all_single"), ("trader:margin=0.5", "random") * 2, rotate=True
    )
    assert arm_from(json.loads(json.dumps(arm_recipe(arm)))) == arm


def test_check_engine_says_how_many_games_agree(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("beansim.checking.tables.every_table", lambda: TABLES[:2])
    assert run_main(["check", "--engine", "--deals", "1", "--seed", "5"]) == 0
    said = capsys.readouterr()
    assert "2 games played compiled agree with the referee, interpreted hooks, the interp" in said.out
    assert said.err.count(" agree\n") == 2


def test_check_engine_prints_the_first_difference_as_a_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    events = play(TABLES[0], 1, 0, 1, log=True).records(0)
    events[-1]["coins"][0] += 1
    difference = judge(events, "here")
    monkeypatch.setattr("beansim.checking.differential.compare", lambda *args: difference)
    assert run_main(["check", "--engine"]) == 1
    said = capsys.readouterr()
    assert "differs from the referee" in said.err
    assert [json.loads(line) for line in said.out.splitlines()] == events
