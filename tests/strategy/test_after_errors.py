"""A refused answer spoils its own game alone: the games after it are what they are when played alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Arm, describe_error, play, status
from beansim.errors import StrategyError
from beansim.strategy import HOOKS, Entrant
from beansim.strategy.base import DUEL_HOOKS, HOOKS_WITH_ARGUMENT

Written = Callable[..., Entrant]

RARELY = 300
SLIPS = {
    "choose_harvest": 9,
    "plant_next": 99,
    "announce": 7,
    "bid": 5,
    "choose_bid": 66,
    "propose": 4,
    "accept": 3,
}


def slipping_class() -> str:
    """A strategy that once in a while gives a wrong answer in each of several hooks."""
    text = 'class Slips(Strategy):\n    """Slips now and then."""\n'
    for hook, answer in SLIPS.items():
        extra = f", {HOOKS_WITH_ARGUMENT[hook]}" if hook in HOOKS_WITH_ARGUMENT else ""
        text += (
            f"\n    @hook\n    def {hook}(self, table{extra}):\n"
            f"        if self.random({RARELY}) == 0:\n            return {answer}\n"
            f"        return Strategy.{hook}(self, table{extra})\n"
        )
    return text


@pytest.fixture
def arm(written: Written) -> Arm:
    return table_of(
        rules_of("base", 4), (written(slipping_class()), "trader", "random", "trader"), rotate=True
    )


def test_games_after_a_refused_answer_are_those_played_alone(arm: Arm) -> None:
    whole = play(arm, 5, 0, 40)
    assert 20 < (whole.games["status"] != 0).sum() < 140
    refused = {HOOKS[number] for number in whole.games["error_hook"] if number >= 0}
    assert len(refused) > 3
    for deal in range(40):
        alone = play(arm, 5, deal, 1)
        np.testing.assert_array_equal(alone.games, whole.games[4 * deal : 4 * deal + 4])
        np.testing.assert_array_equal(alone.seats, whole.seats[16 * deal : 16 * deal + 16])


def test_interpreted_hooks_slip_in_the_same_games(arm: Arm) -> None:
    compiled, interpreted = play(arm, 5, 0, 3), play(arm, 5, 0, 3, interpreted=True)
    np.testing.assert_array_equal(compiled.games, interpreted.games)
    np.testing.assert_array_equal(compiled.seats, interpreted.seats)


def test_a_refused_game_has_no_winner(arm: Arm) -> None:
    batch = play(arm, 5, 0, 20)
    broken = batch.games["status"] != 0
    assert broken.any()
    assert (batch.games["winners"][broken] == 0).all()
    assert (batch.seats["win_units"].reshape(-1, 4)[broken] == 0).all()
    assert (batch.seats["win_units"].reshape(-1, 4)[~broken].sum(axis=1) == 420).all()


def test_a_refused_game_counts_in_no_tally(arm: Arm) -> None:
    """The harvests and trades counted are those of the games that ended by the rules."""
    for batch in (play(arm, 5, 0, 20), play(arm, 5, 0, 3, interpreted=True), play(arm, 5, 0, 3, log=True)):
        ended = np.repeat(batch.games["status"] == 0, 4)
        assert not ended.all()
        assert batch.harvests.sum() == batch.seats["harvests"][ended].sum()
        alone = [play(arm, 5, int(deal), 1) for deal in np.unique(batch.games["deal"])]
        assert (batch.trades == sum(part.trades for part in alone)).all()
        assert (batch.trades >= 0).all()


RAISING = '''
class Raises(Strategy):
    """Ordinary Python that raises, but not at once where it is asked often."""

    compiled = False

    def fail(self, table):
        if table.turn > {after}:
            raise KeyError("lost")

    @hook
    def {hook}(self, table{extra}):
        self.fail(table)
        return Strategy.{hook}(self, table{extra})
'''


@pytest.mark.parametrize("hook", sorted(set(HOOKS) - {"buy_field", "give_copy", "harvest_early"}))
def test_plain_python_may_raise_in_any_hook(hook: str, written: Written) -> None:
    extra = f", {HOOKS_WITH_ARGUMENT[hook]}" if hook in HOOKS_WITH_ARGUMENT else ""
    after = 0 if hook == "choose_field" else 3  # asked only while fields are empty
    entrant = written(RAISING.format(hook=hook, extra=extra, after=after))
    if hook in DUEL_HOOKS:
        arm = table_of(rules_of("duel", 2), (entrant, "trader"))
    else:
        arm = table_of(rules_of("base", 4), (entrant, "trader", "trader", "trader"))
    batch = play(arm, 6, 0, 6)
    broken = np.flatnonzero(batch.games["status"])
    assert len(broken)
    assert sorted(batch.errors) == broken.tolist()
    game = batch.games[broken[0]]
    assert int(game["status"]) == status.RAISED
    assert HOOKS[int(game["error_hook"])] == hook
    line = describe_error(arm, game, 6)
    assert line.startswith(f"mine.{hook} raised an exception: KeyError: 'lost' at mine.py:")
    assert f"seed 6, deal {game['deal']}, seating 0, turn {game['turns']}" in line
    assert "\n" not in line


ANSWERING = '''
import numpy as np

class Answers(Strategy):
    """Ordinary Python with one answer."""

    compiled = False

    @hook
    def plant_second(self, table, kind):
        return {answer}
'''


def answered(written: Written, answer: str) -> Any:
    return play(table_of(rules_of("base", 3), (written(ANSWERING.format(answer=answer)),) * 3), 6, 0, 1)


@pytest.mark.parametrize("answer", ["True", "1", "np.int8(1)", "np.int64(1)"])
def test_whole_numbers_of_any_type_are_answers(answer: str, written: Written) -> None:
    batch = answered(written, answer)
    assert batch.games["status"][0] == 0
    assert batch.seats["second_plants"].sum() > 0


@pytest.mark.parametrize("answer", ["2", "-1", "2**31", "2**62", "-(2**62)"])
def test_whole_numbers_out_of_range_are_refused_as_they_are(answer: str, written: Written) -> None:
    game = answered(written, answer).games[0]
    assert game["status"] == status.BAD_YES_NO
    assert game["error_answer"] == eval(answer)


@pytest.mark.parametrize("answer", ["2**64", "2**64 + 1"])
def test_a_number_that_no_word_holds_is_refused(answer: str, written: Written) -> None:
    assert answered(written, answer).games["status"][0] != 0


def test_a_numpy_truth_value_is_an_answer(written: Written) -> None:
    assert answered(written, "np.array([3])[0] > kind").games["status"][0] == 0


def test_a_fraction_is_never_cut_silently(written: Written) -> None:
    text = """
    class Mine(Strategy):
        \"\"\"Writes a fraction where a whole number belongs.\"\"\"

        @hook
        def announce(self, table):
            self.wish[0] = 1
            self.wish_nothing = 0.7
            return OFFER if table.announcements == 0 else PASS
    """
    arm = table_of(rules_of("base", 3), (written(text),) * 3)
    with pytest.raises(StrategyError, match="wish_nothing is a whole number"):
        play(arm, 6, 0, 1)
    with pytest.raises(StrategyError, match="wish_nothing is a whole number"):
        play(arm, 6, 0, 1)  # not from the cache either
