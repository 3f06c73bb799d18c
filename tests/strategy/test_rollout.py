"""Looking ahead: what goes into a playout, what comes of it, and the decision that only it gets right."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from traces import game, trades

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play
from beansim.errors import InputError
from beansim.rules import VARIANTS
from beansim.strategy import Entrant, load

Written = Callable[..., Entrant]

SPY = """
from beansim.engine.playouts import Playouts
from beansim.strategies._lookahead import LookAhead
from beansim.strategies.trader import Trader

SEEN = []


class Mine(LookAhead, Trader):
    \"\"\"Keeps what it looked at.\"\"\"

    def tried(self, playouts, usual, others):
        found = playouts.play([usual, *others], 0, 3, {turns})
        hidden = playouts._block[0].copy()
        SEEN.append((playouts._asked.copy(), playouts._block[1].copy(), hidden, found))
        return usual
"""


def looked(written: Written, rules: Any, turns: str = "0", deals: int = 1) -> list[tuple[Any, ...]]:
    """What a strategy that answers as a trader saw when it looked ahead: asked, position, end, worths."""
    entrant = written(SPY.format(turns=turns), "spy")
    seen: list[tuple[Any, ...]] = vars(sys.modules[entrant.cls.__module__])["SEEN"]
    seen.clear()
    others = ["trader", "random", "champion", "early", "planner", "trader"]
    arm = table_of(rules, (entrant, *others[: rules.players - 1]))
    batch = play(arm, 3, 0, deals)
    assert (batch.games["status"] == 0).all(), batch.errors
    plain = table_of(rules, ("trader", *others[: rules.players - 1]))
    assert (play(plain, 3, 0, deals).seats["coins"] == batch.seats["coins"]).all()
    return list(seen)


VARIANTS_PLAYED = [
    (name, players)
    for name, known in VARIANTS.items()
    for players in (min(known.players), min(7, max(known.players)))
    if rules_of(name, min(known.players)).turn == "standard"
]


@pytest.mark.parametrize(("variant", "players"), VARIANTS_PLAYED)
def test_no_card_is_lost_or_doubled_in_a_playout(variant: str, players: int, written: Written) -> None:
    """RULES 5.1 after the rest of the turn: the deck is pile, discards, hands, fields, aside and coins."""
    rules = rules_of(variant, players)
    hooks = set()
    for asked, _, end, found in looked(written, rules):
        hooks.add(int(asked[0]))
        assert np.isfinite(found).all()
        np.testing.assert_array_equal(counted(end, rules), [kind.count for kind in rules.kinds])
    assert len(hooks) >= 4


def counted(block: Any, rules: Any) -> Any:
    """Cards of each kind, wherever they lie."""
    table, hidden, kinds = block["table"], block["hidden"], len(rules.kinds)
    places = [hidden["pile"][int(hidden["next_card"]) :][: int(table["pile"])]]
    places.append(hidden["discard"][: int(table["discards"])])
    total = table["coined"] + table["revealed"] + table["aside"][: rules.players].sum(axis=0)
    for seat in range(rules.players):
        record = block["seats"][seat]
        front = int(record["hand_front"])
        hand = record["hand"][front : front + int(record["hand_count"])]
        np.testing.assert_array_equal(np.bincount(hand, minlength=16), record["held"])
        places.append(hand)
        for field in range(table["fields"][seat]):
            if table["field_kind"][seat, field] >= 0:
                total[table["field_kind"][seat, field]] += table["field_cards"][seat, field]
    return (total + np.bincount(np.concatenate(places), minlength=16))[:kinds]


def test_the_seat_keeps_its_hand_and_others_get_any(written: Written) -> None:
    """Over many samples each other hand holds what the unseen cards make likely."""
    seen = looked(written, rules_of("base", 4))
    _, position, end, _ = seen[0]
    assert position["seats"]["hand_count"][1:].sum() == 0  # nothing of the other hands is there
    assert end["seats"]["hand_count"][1:4].sum() > 0


def test_an_answer_is_worth_the_same_when_tried_again(written: Written) -> None:
    """A sample is fixed by the seat's stream: two games of the same deal see the same worths."""
    first = [found for *_, found in looked(written, rules_of("base", 3), "5")]
    again = [found for *_, found in looked(written, rules_of("base", 3), "5")]
    assert len(first) == len(again) > 10
    assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))


def test_win_shares_and_leads_are_those_of_games(written: Written) -> None:
    for *_, found in looked(written, rules_of("base", 3), "1000"):
        wins, leads = found[:, :, 0], found[:, :, 1]
        assert ((wins == 0) | (wins == 1)).all()  # the base game has one winner
        assert (leads[wins == 1] >= 0).all()
        assert (leads[wins == 0] <= 0).all()
        assert (leads == leads.round()).all()


REFUSED = {
    "ordinary Python": ("Playouts(self.rules, load(__file__), table, self)", "ordinary Python"),
    "no such hook": (
        "Playouts(self.rules, load('trader'), table, self).look('acept', 0)",
        "did you mean 'accept'",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_playouts_refuse_what_cannot_be_played_on(what: str, written: Written) -> None:
    line, words = REFUSED[what]
    text = f"""
    from beansim.engine.playouts import Playouts
    from beansim.strategy import load


    class Mine(Strategy):
        \"\"\"Looks ahead in a wrong way.\"\"\"

        compiled = False

        @hook
        def plant_second(self, table, kind):
            {line}
    """
    batch = play(table_of(rules_of("base", 3), (written(text), "hermit", "hermit")), 1, 0, 1)
    assert isinstance(batch.errors[0], InputError)
    assert words in str(batch.errors[0])


def test_a_policy_is_written_by_its_name() -> None:
    entrant = load("rollout:samples=64,policy=trader")
    assert entrant.label == "rollout:samples=64,policy=trader"
    assert load(entrant.spec).values == entrant.values
    with pytest.raises(InputError, match="did you mean 'trader'"):
        load("rollout:policy=tradre")
    with pytest.raises(InputError, match="samples"):
        load("rollout:samples=0")


def test_in_the_duel_it_plays_as_the_champion() -> None:
    rules = rules_of("duel", 2)
    ours = play(table_of(rules, ("rollout", "trader")), 4, 0, 3)
    champions = play(table_of(rules, ("champion", "trader")), 4, 0, 3)
    assert (ours.seats["coins"] == champions.seats["coins"]).all()


REFUSER = """
from beansim.strategies._lookahead import LookAhead
from beansim.strategies.trader import Trader


class Refuser(Trader):
    \"\"\"The trader, but it closes no proposal.\"\"\"

    @hook
    def accept(self, table, partner):
        return False


class Mine(LookAhead, Refuser):
    \"\"\"The refuser, looking ahead.\"\"\"
"""


def test_it_takes_what_its_rules_refuse(write: Callable[..., Path]) -> None:
    """Cards for nothing that fit its fields: the playouts see the coins in them, the rules close nothing."""
    path = write(REFUSER)
    deck = "AASGY ACSGY BCSGY BCSGY CS"
    refused = game([f"{path}:Refuser", "Donor", "Quiet", "Quiet"], deck)
    taken = game([f"{path}:Mine:policy=trader,samples=100,prize=0", "Donor", "Quiet", "Quiet"], deck)
    assert trades(refused, 99) == []
    deals = trades(taken, 99)
    assert len(deals) >= 5
    assert all(deal.startswith("0>1: nothing for ") for deal in deals)
