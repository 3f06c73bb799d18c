"""The champion's claim, on deals that it was not tuned on and that no committed figure was taken from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from beansim.engine import Arm, play
from beansim.experiment import find_experiment, read_experiment
from beansim.strategy import available, load
from beansim.tuning.objective import METRICS, Estimate

FRESH_SEED = 20_260


def lead(arm: Arm, deals: int) -> Estimate:
    """Win share of a champion's seat less that of one of the others, by blocks."""
    batch = play(arm, FRESH_SEED, 0, deals)
    assert (batch.games["status"] == 0).all()
    wins = METRICS["win_share"](batch.seats).reshape(deals, -1)
    names = np.array([entrant.name == "champion" for entrant in arm.lineup])
    mine = names[batch.seats["entry"]].reshape(deals, -1)
    share = (wins * mine).sum(axis=1) / mine.sum(axis=1)
    others = (wins * ~mine).sum(axis=1) / (~mine).sum(axis=1)
    return Estimate.of(share - others)


def test_the_experiment_names_every_compiled_strategy() -> None:
    plan = read_experiment(find_experiment("champion"))
    named = {player for arm in plan.arms for player in arm.players}
    assert named == {name for name in available() if load(name).compiled}
    assert len(plan.arms) == 6 * (len(named) - 1)
    assert {len(arm.players) for arm in plan.arms} == {3, 4, 5}
    assert Path(plan.where).name == "champion.toml"


@pytest.mark.parametrize("opponent", ["planner", "counter"])
def test_it_beats_the_next_best(opponent: str) -> None:
    plan = read_experiment(find_experiment("champion"))
    arms = [arm for arm in plan.build() if arm.name == f"4: one against {opponent}"]
    assert lead(arms[0], 300).low > 0.0


@pytest.mark.slow
def test_it_beats_everybody() -> None:
    """156 comparisons at once: the level of each is that of Bonferroni's correction, about 4 errors."""
    plan = read_experiment(find_experiment("champion"))
    for arm in plan.build():
        gap = lead(arm, 2000)
        assert gap.mean - 4.0 / 1.96 * gap.half > 0.0, (arm.name, gap)
