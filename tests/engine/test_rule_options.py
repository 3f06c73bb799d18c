"""Every rule option does what it says: `random` plays it, the referee agrees, and it has an effect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Batch, play
from beansim.referee import replay_events
from beansim.rules import KINDS
from beansim.strategy import load

BASE = ["blue", "chili", "stink", "green", "soy", "black-eyed", "red", "garden"]
FIELD_BEAN = tuple(KINDS[name] for name in (*BASE, "wax", "field"))
FEW = tuple(KINDS[name] for name in ("garden", "cocoa", "red"))

OPTIONS: dict[str, dict[str, Any]] = {
    "as published": {},
    "tie by hand": {"tie": "hand"},
    "strict protection": {"protect": "all_single"},
    "no trading": {"trading": False},
    "no proposals": {"proposals": False},
    "everyone draws": {"draw": 1, "draws": "everyone"},
    "one run-out": {"run_outs": 1},
    "five run-outs": {"run_outs": 5},
    "late reshuffle": {"reshuffle": "late"},
    "run-out when needed": {"reshuffle": "late", "exhaust": "needed"},
    "front-most copy": {"copy": "front_most"},
    "forced harvests": {"harvest": "forced"},
    "harvests in the own turn": {"harvest": "own_turn"},
    "draw token": {"token_at": 6},
    "draw token, everyone draws": {"token_at": 4, "token_draw": 2, "draw": 1, "draws": "everyone"},
    "one field a kind": {"same_kind_twice": False},
    "field bean": {"kinds": FIELD_BEAN, "fields": 2, "max_fields": 3, "draw": 1, "draws": "everyone"},
    "field bought": {"fields": 2, "max_fields": 3, "field_price": 3},
    "field bought, paid to the box": {"fields": 2, "max_fields": 3, "field_price": 2, "field_payment": "box"},
    "few cards": {"kinds": FEW, "run_outs": 9},
    "few cards, late": {"kinds": FEW, "run_outs": 9, "reshuffle": "late"},
    "few cards, play on": {"kinds": FEW, "empty_discard": "play_on", "run_outs": 4},
    "few cards, play on, needed": {
        "kinds": FEW,
        "empty_discard": "play_on",
        "reshuffle": "late",
        "exhaust": "needed",
    },
    "nothing turned up": {"reveal": 0},
    "nothing drawn": {"draw": 0},
    "uneven hands": {"hands": (3, 4, 5)},
    "small caps": {"announcement_cap": 1, "proposal_cap": 1},
    "no caps left": {"announcement_cap": 0, "proposal_cap": 0},
}

SWAPS = '''
from beansim.strategies.random import Random
from beansim.strategy import OFFER, PASS, hook


class Swaps(Random):
    """Random play that never gives or asks for nothing."""

    def random_held(self, table):
        return self.hand[self.random(self.hand_count)]

    @hook
    def announce(self, table):
        if self.hand_count == 0 or self.random(2):
            return PASS
        self.give[self.random_held(table)] = 1
        self.wish[self.random(table.kinds)] = 1
        return OFFER

    @hook
    def bid(self, table):
        for kind in range(table.kinds):
            if table.wished[kind] and self.held[kind]:
                self.give[kind] = 1
                for other in range(table.kinds):
                    self.take[other] = table.put_up[other]
                return OFFER
        return PASS

    @hook
    def propose(self, table):
        if self.hand_count == 0:
            return PASS
        self.give[self.random_held(table)] = 1
        self.take[self.random(table.kinds)] = 1
        return OFFER
'''


def random_games(options: dict[str, Any], deals: int = 12, variant: str = "base") -> Batch:
    return play(table_of(rules_of(variant, 3, **options), ("random",) * 3), 4, 0, deals, log=True)


def events_of(batch: Batch, name: str) -> list[dict[str, Any]]:
    return [event for row in range(len(batch.games)) for event in batch.records(row) if event["e"] == name]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_referee_agrees_with_every_game(name: str) -> None:
    batch = random_games(OPTIONS[name])
    assert (batch.games["status"] == 0).all()
    for row in range(len(batch.games)):
        verdict = replay_events(batch.records(row))
        assert verdict.holds, verdict


UNCHANGED = {"as published", "tie by hand", "uneven hands", "few cards", "few cards, late"}
"""The basis of comparison, what only ends a game, and what small decks never reach."""


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - UNCHANGED))
def test_an_option_changes_the_games(name: str) -> None:
    options = OPTIONS[name]
    same_deck = {"kinds": options["kinds"]} if "kinds" in options else {}
    plain, changed = random_games(same_deck, 40), random_games(options, 40)
    fields = [field for field in plain.seats.dtype.names or () if field not in ("deal", "arm", "seating")]
    assert any(not np.array_equal(plain.seats[field], changed.seats[field]) for field in fields)


def test_ties_by_hand_go_to_the_fuller_hand_or_are_shared() -> None:
    """A13: base game by seat, Rio Grande by cards in hand."""
    arm = table_of(rules_of("base", 3, tie="hand", run_outs=1), ("hermit", "trader", "random"))
    by_seat = table_of(rules_of("base", 3, run_outs=1), ("hermit", "trader", "random"))
    batch, plain = play(arm, 4, 0, 3000), play(by_seat, 4, 0, 3000)
    coins, hands = (batch.seats[name].reshape(-1, 3) for name in ("coins", "hand_left"))
    tied = coins == coins.max(axis=1, keepdims=True)
    most = np.where(tied, hands, -1)
    expected = tied & (most == most.max(axis=1, keepdims=True))
    won = batch.seats["win_units"].reshape(-1, 3)
    assert ((won > 0) == expected).all()
    assert (won.sum(axis=1) == 420).all()
    last = 2 - np.argmax(tied[:, ::-1], axis=1)
    assert (np.argmax(plain.seats["win_units"].reshape(-1, 3), axis=1) == last).all()
    assert tied.sum(axis=1).max() > 1


def test_no_trading_means_no_market() -> None:
    batch = random_games({"trading": False})
    assert (
        batch.games["deals"].sum()
        == batch.games["announcements"].sum()
        == batch.games["proposals"].sum()
        == 0
    )
    assert not events_of(batch, "trade")


def test_no_proposals_leaves_announcements() -> None:
    batch = random_games({"proposals": False})
    assert batch.games["proposals"].sum() == 0
    assert batch.games["announcements"].sum() > 0


def test_no_gifts_leaves_exchanges(tmp_path: Any) -> None:
    path = tmp_path / "swaps.py"
    path.write_text(SWAPS)
    batch = play(table_of(rules_of("base", 3, gifts=False), (load(str(path)),) * 3), 4, 0, 10, log=True)
    assert (batch.games["status"] == 0).all()
    trades = events_of(batch, "trade")
    assert trades
    assert all(trade["gives"] and trade["gets"] for trade in trades)
    assert batch.games["gifts"].sum() == 0
    assert all(replay_events(batch.records(row)).holds for row in range(10))


def test_gifts_go_both_ways_by_default() -> None:
    trades = events_of(random_games({}), "trade")
    assert any(not trade["gets"] for trade in trades)
    assert any(not trade["gives"] for trade in trades)
    assert any(len(trade["gives"]) > 1 and len(trade["gets"]) > 1 for trade in trades)


def test_caps_bite_and_are_counted() -> None:
    free, capped = random_games({}), random_games({"announcement_cap": 1, "proposal_cap": 1})
    assert free.games["caps"].sum() == 0
    assert (capped.games["caps"] > 0).all()
    assert (capped.games["caps"] <= capped.games["turns"]).all()
    assert (capped.games["announcements"] <= capped.games["turns"]).all()
    assert (capped.games["proposals"] <= capped.games["turns"]).all()


def test_an_endless_talker_is_cut_off(tmp_path: Any) -> None:
    path = tmp_path / "talker.py"
    path.write_text(
        "from beansim.strategy import OFFER, Strategy, hook, silent\n\n\n"
        'class Talker(Strategy):\n    """Begs for ever."""\n\n    bid = propose = silent\n\n'
        "    @hook\n    def announce(self, table):\n        self.wish[0] = 1\n        return OFFER\n"
    )
    batch = play(table_of(rules_of("base", 3), (load(str(path)),) * 3), 4, 0, 5)
    games = batch.games
    assert (games["status"] == 0).all()
    assert (games["announcements"] == 64 * games["turns"]).all()
    assert (games["caps"] == games["turns"]).all()


def test_everyone_draws_one_card_from_the_active_seat_on() -> None:
    """RULES 2.1, C49."""
    batch = random_games({"draw": 1, "draws": "everyone"}, 2)
    events = [event for event in batch.records(0) if event["e"] in ("turn", "draw") and event["turn"] == 1]
    assert [event["seat"] for event in events] == [0, 0, 1, 2]
    assert [len(event["beans"]) for event in events[1:]] == [1, 1, 1]


@pytest.mark.parametrize("run_outs", [1, 2, 3, 5])
def test_the_game_ends_on_the_run_out_that_ends_it(run_outs: int) -> None:
    batch = random_games({"run_outs": run_outs})
    assert (batch.games["run_outs"] == run_outs).all()
    assert (batch.games["end"] == 0).all()


def test_a_run_out_without_discards_ends_the_game_or_does_not() -> None:
    """A4."""
    ended = random_games({"kinds": FEW, "run_outs": 9}, 60)
    assert (ended.games["end"] == 1).any()
    ending = [event["why"] for event in events_of(ended, "end")]
    assert [why == "no-discards" for why in ending] == (ended.games["end"] == 1).tolist()
    on = random_games({"kinds": FEW, "run_outs": 4, "empty_discard": "play_on"}, 60)
    assert (on.games["end"] == 0).all()
    assert (on.games["run_outs"] == 4).all()


def test_a_late_reshuffle_takes_more_cards() -> None:
    """A2: when the last card was the second one turned up, harvests until the next draw come along."""
    early, late = random_games({}, 40), random_games({"reshuffle": "late"}, 40)
    sizes = [
        [len(event["deck"]) for event in events_of(batch, "shuffle") if event["pass"] == 2]
        for batch in (early, late)
    ]
    assert sizes[0] == sizes[1], "the first run-out is never at such a place (RULES 5.3)"
    third = [
        [len(event["deck"]) for event in events_of(batch, "shuffle") if event["pass"] == 3]
        for batch in (early, late)
    ]
    assert sum(third[1]) > sum(third[0])


def test_front_most_copies_leave() -> None:
    """A8, A9."""
    batch = random_games({"copy": "front_most"})
    hands: dict[int, list[str]] = {}
    for row in range(len(batch.games)):
        for event in batch.records(row):
            _follow(hands, event)


def _follow(hands: dict[int, list[str]], event: dict[str, Any]) -> None:
    """Keep the hands; every card that is traded away is the front-most of its kind."""
    if event["e"] == "shuffle" and event["pass"] == 1:
        hands.clear()
    elif event["e"] == "draw":
        hands.setdefault(event["seat"], []).extend(event["beans"])
    elif event["e"] == "plant" and event["from"] == "hand":
        assert hands[event["seat"]].pop(0) == event["bean"]
    elif event["e"] == "trade":
        for giver, side in (("active", "gives"), ("partner", "gets")):
            for card in event[side]:
                if card["from"] == "hand":
                    hand = hands[event[giver]]
                    assert hand.index(card["bean"]) == card["position"]
                    hand.pop(card["position"])


def test_owners_choose_other_copies_by_default() -> None:
    batch = random_games({})
    with pytest.raises(AssertionError):
        _follow_all(batch)


def _follow_all(batch: Batch) -> None:
    hands: dict[int, list[str]] = {}
    for row in range(len(batch.games)):
        for event in batch.records(row):
            _follow(hands, event)


def test_forced_harvests_alone() -> None:
    batch = random_games({"harvest": "forced"})
    assert {event["why"] for event in events_of(batch, "harvest")} == {"forced", "final"}
    assert "early" in {event["why"] for event in events_of(random_games({}), "harvest")}


def test_harvests_in_the_own_turn_alone() -> None:
    """A6(c): what makes room for a received card is no choice of time."""
    seats: set[bool] = set()
    for options in ({"harvest": "own_turn"}, {}):
        batch = random_games(options)
        active = -1
        own = set()
        for row in range(len(batch.games)):
            for event in batch.records(row):
                active = event["seat"] if event["e"] == "turn" else active
                if event["e"] == "harvest" and event["why"] == "early":
                    own.add(event["seat"] == active)
        seats |= own
        assert own == ({True} if options else {True, False})
    assert seats == {True, False}


def test_the_holder_of_the_token_draws_four() -> None:
    """House rule (RULES 3): taken with enough cards in the fields, and more than the holder has."""
    batch = random_games({"token_at": 6}, 20)
    takes, drawn = 0, set()
    for row in range(len(batch.games)):
        events, holder = batch.records(row), None
        for place, event in enumerate(events):
            if event["e"] == "token":
                assert event["seat"] != holder
                holder = event["seat"]
                takes += 1
            # a draw with a run-out is told in pieces
            if (
                event["e"] == "draw"
                and event["phase"] == 4
                and "exhausted"
                not in (
                    events[place - 1]["e"],
                    events[place + 1]["e"],
                    events[place - 2]["e"],
                )
            ):
                drawn.add((event["seat"] == holder, len(event["beans"])))
    assert takes > 20
    assert drawn == {(True, 4), (False, 3)}


def test_field_beans_earn_fields() -> None:
    """RULES 2.1, C52 to C54: two field beans are a third field, once; three are three coins."""
    batch = random_games(OPTIONS["field bean"], 40)
    earned = events_of(batch, "field")
    assert earned
    assert all(event["how"] == "field-bean" and not event["paid"] for event in earned)
    harvests = [event for event in events_of(batch, "harvest") if event["bean"] == "field"]
    assert {(event["cards"], event["coins"]) for event in harvests} <= {(1, 0), (2, 0), (3, 3)}


@pytest.mark.parametrize(("payment", "price"), [("discard", 3), ("box", 2)])
def test_fields_are_bought_once(payment: str, price: int) -> None:
    """RULES 2.2, C56, C57, C59."""
    options = {"fields": 2, "max_fields": 3, "field_price": price, "field_payment": payment}
    batch = random_games(options, 30)
    for row in range(len(batch.games)):
        bought = [event for event in batch.records(row) if event["e"] == "field"]
        assert all(event["how"] == "bought" and len(event["paid"]) == price for event in bought)
        assert len({event["seat"] for event in bought}) == len(bought)
    assert events_of(batch, "field")


def test_one_field_a_kind() -> None:
    """A7: no seat ever grows one kind in two fields."""
    for options, twice in (({}, True), ({"same_kind_twice": False}, False)):
        batch = random_games(options, 20)
        assert any(_grows_twice(batch.records(row)) for row in range(20)) == twice


def _grows_twice(events: list[dict[str, Any]]) -> bool:
    fields: dict[tuple[int, int], str] = {}
    for event in events:
        if event["e"] == "plant":
            fields[event["seat"], event["field"]] = event["bean"]
            grown = [bean for (seat, _), bean in fields.items() if seat == event["seat"]]
            if len(set(grown)) < len(grown):
                return True
        elif event["e"] == "harvest":
            fields.pop((event["seat"], event["field"]), None)
    return False
