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
    asked = set(re.findall(r"^    beansim run ([\w-]+) ", ANSWERS, re.MULTILINE))
    assert asked == set(experiment_files()) - {"strategies"}
    for heading in re.split(r"^## ", ANSWERS, flags=re.MULTILINE)[1:]:
        assert re.search(r"\d[\d,]* games", heading), heading[:60]
