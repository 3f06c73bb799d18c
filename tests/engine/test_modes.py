"""One game, whatever way it is played: ranges, appraisals kept or not, compiled or interpreted."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tables import MIXED, arm

from beansim.engine import Bench, play
from beansim.engine.state import GAMES_DTYPE
from beansim.strategy import available, load

STRATEGIES = sorted(name for name in available() if load(name).compiled)


def equal(one, two) -> bool:
    return bool(
        np.array_equal(one.games, two.games)
        and np.array_equal(one.seats, two.seats)
        and np.array_equal(one.harvests, two.harvests)
        and np.array_equal(one.trades, two.trades)
    )


def test_a_range_of_deals_is_its_single_deals():
    table = arm(MIXED)
    whole = play(table, 9, 100, 6)
    parts = [play(table, 9, deal, 1) for deal in range(105, 99, -1)][::-1]
    assert np.array_equal(whole.games, np.concatenate([part.games for part in parts]))
    assert np.array_equal(whole.seats, np.concatenate([part.seats for part in parts]))
    assert np.array_equal(whole.harvests, sum(part.harvests for part in parts))


def test_logging_changes_nothing():
    assert equal(play(arm(MIXED), 4, 0, 5), play(arm(MIXED), 4, 0, 5, log=True))


def test_copies_win_alike_in_every_rotation():
    """RULES 5.9: rotating equal strategies rotates the result."""
    batch = play(arm(["trader"] * 4), 2, 0, 50)
    coins = batch.seats["coins"].reshape(50, 4, 4)
    assert (coins == coins[:, :1]).all()


@pytest.mark.parametrize("name", STRATEGIES)
def test_kept_appraisals_equal_fresh_ones(name):
    table = arm([name, "trader", "random", name])
    kept, _ = Bench(table).run(6, 0, 40)
    fresh, _ = Bench(table, always_appraise=True).run(6, 0, 40)
    assert equal(kept, fresh)


@pytest.mark.parametrize("name", STRATEGIES)
def test_interpreted_hooks_play_the_same_games(name):
    table = arm([name, name, "trader"])
    compiled = play(table, 8, 0, 4)
    assert (compiled.games["status"] == 0).all()
    assert equal(compiled, play(table, 8, 0, 4, interpreted=True))


INTERPRETED = """
import sys
from beansim.engine import play
from tests.engine.tables import arm, MIXED
sys.stdout.buffer.write(play(arm(MIXED, seatings=((0, 1, 2, 3, 4),)), 21, 0, 3).games.tobytes())
"""


def test_the_interpreted_engine_plays_the_same_games():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", INTERPRETED], env=environment, capture_output=True, check=True
    )
    compiled = play(arm(MIXED, seatings=((0, 1, 2, 3, 4),)), 21, 0, 3).games
    assert np.array_equal(np.frombuffer(done.stdout, GAMES_DTYPE), compiled)
