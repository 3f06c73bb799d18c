"""What holds in every game (RULES 5), and every record in the referee."""

import pytest

from beansim.engine import play
from beansim.referee import replay_events
from beansim.rules import Kind, Rules, resolve
from beansim.rules.variants import VARIANTS

from .tables import MIXED, arm

TABLES = [["random"] * 3, ["random"] * 4, ["random"] * 5, MIXED[:4], MIXED, ["trader"] * 3]
FIRST_RUN_OUT = {3: (18, 2), 4: (17, 0), 5: (16, 0)}  # turn and seat, RULES 5.3
CEILING = {"base": 86, "two-pass": 77}  # RULES 5.6


@pytest.fixture(scope="module", params=["base", "two-pass"])
def variant(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def batches(variant):
    return [play(arm(table, variant), 7, 0, 12, log=True) for table in TABLES]


def test_the_first_run_out_comes_where_it_must(batches):
    for batch in batches:
        turn, seat = FIRST_RUN_OUT[batch.arm.rules.players]
        assert (batch.games["run_out_turn"][:, 0] == turn).all()
        assert (batch.games["run_out_phase"][:, 0] == 4).all()
        assert (turn - 1) % batch.arm.rules.players == seat


def test_run_outs_follow_the_position_law(batches):
    for batch in batches:
        for index in range(len(batch.games)):
            _check_positions(batch.records(index))


def _check_positions(events):
    """RULES 5.4: the T-th card drawn has position ((T-1) mod 5)+1; 1 and 2 are phase 2."""
    drawn = 0
    for event in events:
        if event["e"] in ("draw", "reveal") and event["phase"] != "deal":
            drawn += len(event["beans"])
        if event["e"] == "exhausted":
            position = (drawn - 1) % 5 + 1
            assert event["phase"] == (2 if position <= 2 else 4)


def test_coins_stay_below_the_ceiling_and_turns_below_the_bound(batches, variant):
    for batch in batches:
        players = batch.arm.rules.players
        coins = batch.seats["coins"].reshape(-1, players).sum(axis=1)
        assert coins.max() <= CEILING[variant]
        assert batch.games["turns"].max() <= 60


def test_every_record_holds_in_the_referee(batches):
    for batch in batches:
        for index in range(len(batch.games)):
            verdict = replay_events(batch.records(index))
            assert verdict.holds, verdict.departure


def test_tallies_agree_with_the_rows(batches):
    for batch in batches:
        assert batch.harvests.sum() == batch.seats["harvests"].sum()
        assert batch.harvests[..., :].sum(axis=(0, 1, 3))[0] == 0, "no empty field is harvested"
        assert (batch.seats["trades"].sum()) == 2 * batch.games["deals"].sum()


def test_win_shares_add_up(batches):
    for batch in batches:
        players = batch.arm.rules.players
        assert (batch.seats["win_units"].reshape(-1, players).sum(axis=1) == 420).all()


def _rules(players: int, **options) -> Rules:
    return VARIANTS["base"].extended("house", options).rules(players)


OPTIONS = {
    "tie by hand": {"tie": "hand"},
    "all single": {"protect": "all_single"},
    "no gifts": {"gifts": False},
    "no proposals": {"proposals": False},
    "no trading": {"trading": False},
    "forced harvests": {"harvest": "forced"},
    "one field a kind": {"same_kind_twice": False},
    "front-most": {"copy": "front_most"},
    "everyone draws": {"draws": "everyone", "draw": 1},
    "late": {"reshuffle": "late"},
    "needed": {"reshuffle": "late", "exhaust": "needed"},
    "one pass": {"run_outs": 1},
    "nine passes": {"run_outs": 9},
    "play on": {"run_outs": 9, "empty_discard": "play_on"},
    "play on, needed": {"run_outs": 9, "empty_discard": "play_on", "reshuffle": "late", "exhaust": "needed"},
    "bought field": {"field_price": 3, "max_fields": 3},
    "bought field, box": {"field_price": 2, "max_fields": 4, "field_payment": "box"},
    "field bean": {"kinds": ["wax", "blue", "chili", "stink", "field", "red"], "max_fields": 3},
    "one field": {"fields": 1, "max_fields": 1},
    "small caps": {"announcement_cap": 1, "proposal_cap": 1},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_every_rule_option_agrees_with_the_referee(options):
    batch = play(arm(["random", "random", "trader", "random"], rules=_rules(4, **options)), 3, 0, 8, log=True)
    assert (batch.games["status"] == 0).all()
    for index in range(len(batch.games)):
        verdict = replay_events(batch.records(index))
        assert verdict.holds, verdict.departure


def test_caps_are_counted_when_they_bite():
    rules = _rules(4, announcement_cap=1, proposal_cap=1)
    assert play(arm(["trader"] * 4, rules=rules), 3, 0, 20).games["caps"].sum() > 0
    assert play(arm(["trader"] * 4), 3, 0, 20).games["caps"].sum() == 0


def test_a_new_kind_of_bean_can_be_played():
    kinds = [*resolve("base", 4).kinds[:4], Kind("moon", 30, (2, 5, 9, 14))]
    rules = Rules(variant="moon", players=4, kinds=tuple(kinds), fields=2, max_fields=2, hands=(5,) * 4)
    batch = play(arm(["random"] * 4, rules=rules), 1, 0, 4, log=True)
    assert all(replay_events(batch.records(index)).holds for index in range(len(batch.games)))
