"""The characteristic decision of every strategy, pinned by traces against scripted opponents.

Letters are kinds (`traces.LETTERS`); a trace stands beside the one that the trader leaves in the same place.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from traces import game, happened, trades

from beansim.checking.tables import rules_of
from beansim.strategy import available

HANDS = "BCSGY BCSGY BCSGY BCSGY"


class Trace(NamedTuple):
    """One game: the subject's seat is `?`; deals of the first turns with the subject and with the trader."""

    players: str
    deck: str
    deals: list[str]
    traders: list[str]
    turns: int = 1


TRACES: dict[str, Trace] = {
    # closes what costs it a card for nothing
    "agreeable": Trace(
        "? Beggar Quiet Quiet", f"{HANDS} AE", ["0>1: E for nothing", "0>1: A for nothing"], []
    ),
    # leaves the start seat's gift to nobody, though a trader wants it
    "boycotter": Trace("Santa ? Quiet Quiet", f"{HANDS} AE", [], ["0>1: A+E for nothing"]),
    # pays the loved kind last, the disliked one first
    "collector:love=0.5,rare=8": Trace(
        "Auctioneer ? Quiet Quiet", "BCSGY RRYYY BCSGY BCSGY AS", ["0>1: A+S for R"], ["0>1: A+S for Y"]
    ),
    "staple:love=5": Trace(
        "Auctioneer ? Quiet Quiet", "BCSGY SABBB BCSGY BCSGY AS", ["0>1: A+S for A"], ["0>1: A+S for B"]
    ),
    # keeps soy, of which more is unseen, and pays black-eyed
    "counter": Trace(
        "Auctioneer ? Quiet Quiet", "BCSGY YYEEE BCSGY BCSGY AS", ["0>1: A+S for E"], ["0>1: A+S for Y"]
    ),
    # keeps what waits in its hand
    "planner": Trace("Auctioneer ? Quiet Quiet", "BCSGY YYYEE BCSGY BCSGY AS", [], ["0>1: A+S for Y"]),
    # takes no part in a market of prices
    "dumper": Trace("Auctioneer ? Quiet Quiet", "BCSGY RRRRR BCSGY BCSGY AC", [], ["0>1: A+C for R"]),
    # refuses gifts and bundles, takes one for one
    "equalizer": Trace(
        "? Donor Bundler Swapper",
        "BCSGY ABCCC ABBBB ARRRR CC",
        ["0>3: C for A"],
        [
            "0>1: nothing for A",
            "0>1: nothing for B",
            *["0>1: nothing for C"] * 3,
            "0>2: C for A+B",
            "0>2: C for B+B",
        ],
    ),
    # takes a swap that gains nothing
    "generous": Trace("? Swapper Quiet Quiet", f"{HANDS} CC", ["0>1: C for B", "0>1: C for C"], []),
    # has no use for a market at all
    "hermit": Trace("Santa ? Quiet Quiet", f"{HANDS} AE", [], ["0>1: A+E for nothing"]),
    # pays whatever is wished and takes nothing
    "giver": Trace("Wisher ? Quiet Quiet", "BCSGY BCSGA BCSGY BCSGY CC", ["0>1: nothing for A+B+C+G+S"], []),
    # holds out where the trader takes three small gains
    "miser": Trace(
        "? Bidder Quiet Quiet",
        "BCSGY BCSGA BCSGY BCSGY CS",
        [],
        ["0>1: S for B", "0>1: S for C", "0>1: G for A"],
    ),
    # sees that stink pays three coins for two cards more, where the next coin alone needs as many
    "rate": Trace(
        "? Auctioneer Quiet Quiet",
        "SSYSY BCSGB BCSGB BCSGB SB YYY AA",
        ["1>0: A+A for Y"],
        ["1>0: A+A for S"],
        2,
    ),
    # sees no coin in the first card of a kind
    "myopic": Trace("Auctioneer ? Quiet Quiet", "BCSGY CYBBB BCSGY BCSGY AS", [], ["0>1: A+S for B"]),
    # refuses the seat that has a coin in its field
    "leveller:lead=1": Trace(
        "Santa ? Quiet Quiet",
        "GGGBB CCSSS BCSGY BCSGY BB BBB BR BBB BB BBB YY EEE RA",
        ["0>1: B+B for nothing"],
        ["0>1: B+B for nothing", "0>1: R for nothing"],
        5,
    ),
    # a stranger has to offer more
    "reciprocator:caution=0.6": Trace(
        "? Auctioneer Quiet Quiet", "RRBCS RBBBB BCSGY BCSGY RS BBB CE", [], ["1>0: C+E for B"], 2
    ),
}


@pytest.mark.parametrize("name", TRACES)
def test_characteristic_deals(name: str) -> None:
    trace = TRACES[name]
    for strategy, deals in ((name, trace.deals), ("trader", trace.traders)):
        players = trace.players.replace("?", strategy).split()
        assert trades(game(players, trace.deck), trace.turns) == deals, strategy


def test_a_reciprocator_trades_with_who_gave_before() -> None:
    deck = "RRBCS RBBBB BCSGY BCSGY RS BBB CE"
    deals = trades(game(["reciprocator:caution=0.6", "Friend", "Quiet", "Quiet"], deck), 2)
    assert deals[0] == "0>1: nothing for R"
    assert deals[-1] == "1>0: C+E for C"


def test_a_grudger_refuses_whoever_insulted_it() -> None:
    """A request for a revealed card in turn 1 is the insult; gifts in later turns come too late."""
    deck = "BCSGY BCSGY BCSGY BCSGY AB CCC"
    patient = game(["grudger:patience=9,insult=0", "Cadger", "Quiet", "Quiet"], deck)
    grim = game(["grudger:patience=1,insult=0", "Cadger", "Quiet", "Quiet"], deck)
    assert "0>1: nothing for" in " ".join(trades(patient, 99))
    assert trades(grim, 99) == []


def test_the_second_card() -> None:
    """Nobody deals: one plants the front card alone, the other the next one too, whatever it clears."""
    deck = "BBSGY BCSGY BCSGY BCSGY BC"
    quiet = ["Quiet"] * 3

    def from_hand(name: str) -> list[str]:
        plants = happened(game([name, *quiet], deck), "plant", 0, 1)
        return [event["bean"] for event in plants if event["from"] == "hand"]

    assert from_hand("one_plant") == ["blue"]
    assert from_hand("two_plant") == ["blue", "blue"]
    for turn in (1, 5, 9):
        plants = happened(game(["two_plant", *quiet], deck), "plant", 0, turn)
        assert sum(event["from"] == "hand" and event["turn"] == turn for event in plants) == 2


def early_harvests(name: str) -> list[tuple[int, str, int]]:
    """Turn, kind and cards of each harvest that nobody forced, in a game without deals."""
    events = game([name, "Quiet", "Quiet", "Quiet"], "GGBCS RBBBB BCSGY BCSGY GS BBB CE")
    harvests = happened(events, "harvest", 0, 98)
    return [(event["turn"], event["bean"], event["cards"]) for event in harvests if event["why"] == "early"]


def test_harvests_that_nobody_forced() -> None:
    """At one coin; right before run-outs (turns 17 and 25); right after the first of them."""
    assert early_harvests("trader") == []
    assert early_harvests("early:coins=1")[0] == (1, "green", 3)
    assert early_harvests("reshuffler") == [(17, "soy", 2), (17, "garden", 2), (25, "chili", 3)]
    assert early_harvests("reshuffler:before=0") == [(18, "garden", 2)]


def test_the_finisher_is_the_trader_until_the_last_pass() -> None:
    players = ["trader", "Quiet", "Bidder"]
    ours, traders = game(["finisher", *players], ""), game(["trader", *players], "")
    pairs = enumerate(zip(ours[1:], traders[1:], strict=False))
    parted = next(place for place, (one, other) in pairs if one != other)
    assert sum(event["e"] == "exhausted" for event in ours[: parted + 1]) >= 2


@pytest.mark.parametrize(
    ("values", "other"),
    [
        ("generous=1,miserly=0", "generous"),
        ("generous=0,miserly=1", "miser"),
        ("generous=0,miserly=0", "trader"),
    ],
)
def test_the_mixture_plays_each_of_its_parts(values: str, other: str) -> None:
    players = ["trader", "Swapper", "Bidder"]
    assert game([f"mixture:{values}", *players], "")[1:] == game([other, *players], "")[1:]


def test_the_buyer_buys_once_it_can_pay() -> None:
    rules = rules_of("base", 4, field_price=3, max_fields=3)
    bought = happened(game(["buyer", "trader", "trader", "trader"], "", rules), "field", 0, 99)
    assert [event["paid"] for event in bought] == [["blue"] * 3]
    late = happened(game(["buyer:reserve=20", *["trader"] * 3], "", rules), "field", 0, 99)
    assert late == []


PINNED_ELSEWHERE = {
    "buyer",
    "champion",
    "early",
    "finisher",
    "grudger",
    "mixture",
    "one_plant",
    "random",
    "reshuffler",
    "rollout",
    "trader",
    "two_plant",
}
"""By the tests below the table, by every trace (trader), or by its luck (random)."""


def test_every_strategy_is_pinned() -> None:
    pinned = {name.partition(":")[0] for name in TRACES} | PINNED_ELSEWHERE
    assert set(available()) <= pinned
