"""The experiments that come with beansim can be played, and each has its answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from beansim.engine import play
from beansim.experiment import experiment_files, read_experiment

ANSWERS = (Path(__file__).parents[1] / "docs" / "answers.md").read_text()


@pytest.mark.parametrize("name", experiment_files())
def test_an_experiment_can_be_played(name: str) -> None:
    plan = read_experiment(experiment_files()[name])
    assert plan.title
    assert plan.question
    for arm in plan.build():
        assert (play(arm, plan.seed, 0, 1).games["status"] == 0).all()


def test_every_question_has_an_answer_with_its_command() -> None:
    sections = re.split(r"^## ", ANSWERS, flags=re.MULTILINE)[1:]
    asked = [re.findall(r"^    beansim run ([\w-]+) --deals \d+ --seed \d+$", one, re.M) for one in sections]
    assert sorted(name for names in asked for name in names) == sorted(experiment_files())
    for section, commands in zip(sections, asked, strict=True):
        assert len(commands) == 1, section[:60]
        assert re.search(r"\d[\d,]* games", section), section[:60]
        assert re.search(r"\*\*[^*]+\*\*", section), section[:60]


def test_the_games_of_an_answer_are_those_of_its_command() -> None:
    told = re.findall(r"^    beansim run ([\w-]+) --deals (\d+) --seed \d+\n\n([\d,]+) games", ANSWERS, re.M)
    assert sorted(name for name, _, _ in told) == sorted(experiment_files())
    for name, deals, games in told:
        arms = read_experiment(experiment_files()[name]).build()
        played = int(deals) * sum(len(arm.seatings) for arm in arms)
        assert played == int(games.replace(",", "")), name
