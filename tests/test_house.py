"""House rules: read from files, inherited, changed by number of players, refused where impossible."""

from __future__ import annotations

from pathlib import Path

import pytest

from beansim.errors import InputError
from beansim.experiment import Changes, experiment_of, read_experiment
from beansim.house import named_variant
from beansim.rules import KINDS, VARIANTS

ARM = '[[arms]]\nvariant = "mine"\nplayers = ["hermit", "hermit", "hermit"]\n'


def file(folder: Path, text: str, arms: str = ARM) -> Path:
    path = folder / "mine.toml"
    path.write_text(f"{arms}\n{text}")
    return path


FULL = """
[variants.mine]
title = "Everything changed"
source = "us"
extends = "base"
players = [3, 6]
kinds = [
  "blue",
  {name = "red", count = 12},
  {name = "pinto", count = 30, needed = [2, 4, 6, 8]},
  {name = "magic", count = 9, needed = [0, 0, 3], field_at = 2},
]
fields = 2
max_fields = 4
hands = 4
reveal = 3
draw = 2
draws = "everyone"
run_outs = 2
exhaust = "needed"
reshuffle = "late"
empty_discard = "play_on"
protect = "all_single"
harvest = "own_turn"
same_kind_twice = false
copy = "front_most"
trading = true
gifts = false
proposals = false
tie = "hand"
field_price = 2
field_payment = "box"
token_at = 7
token_draw = 5
announcement_cap = 9
proposal_cap = 8

[variants.mine.by_players.6]
hands = [2, 2, 3, 3, 4, 4]
draw = 1
"""


def test_every_option_can_be_changed(tmp_path: Path) -> None:
    rules = read_experiment(file(tmp_path, FULL)).rules(0)
    default = VARIANTS["base"].rules(3)
    same = {name for name, value in rules.to_dict().items() if value == default.to_dict()[name]}
    assert same == {"players", "trading", "turn", "match_discards"}
    assert (rules.deck_size, rules.hands) == (20 + 12 + 30 + 9, (4, 4, 4))
    assert rules.kinds[1].needed == KINDS["red"].needed
    assert [rules.kinds[3].coins(cards) for cards in range(5)] == [0, 0, 0, 3, 3]
    six = named_variant(f"{tmp_path}/mine.toml:mine").rules(6)
    assert (six.hands, six.draw, six.run_outs) == ((2, 2, 3, 3, 4, 4), 1, 2)


def test_a_variant_of_a_file_goes_by_file_and_name(tmp_path: Path) -> None:
    path = file(tmp_path, FULL)
    assert named_variant(str(path)) == named_variant(f"{path}:mine")
    assert named_variant("base") is VARIANTS["base"]
    plan = experiment_of("x", ["base", f"{path}:mine"], [("hermit",) * 3])
    assert [arm.variant for arm in plan.arms] == ["base", "mine"]
    assert plan.changed(Changes(variant=str(path))).rules(0).variant == "mine"
    with pytest.raises(InputError, match=r"unknown variant 'min' in .*mine.toml; did you mean 'mine'"):
        named_variant(f"{path}:min")
    with pytest.raises(InputError, match="same name"):
        experiment_of("x", [str(path), f"{path}:mine"], [("hermit",) * 3])


IMPOSSIBLE = {
    "a deck too small for the deal": (
        'kinds = ["garden", "cocoa"]',
        "the deal takes 15 cards and the deck has 10",
    ),
    "a deck just too small": ('kinds = ["garden"]\nhands = 2', "a draw pile must be left"),
    "a beanometer that falls": ('kinds = [{name = "odd", count = 60, needed = [4, 6, 5]}]', "must rise"),
    "a beanometer that pays more coins than cards": (
        'kinds = [{name = "odd", count = 60, needed = [2, 2, 2]}]',
        "2 cards cannot become 3 coins",
    ),
    "a single card worth a coin": (
        'kinds = [{name = "odd", count = 60, needed = [1]}]',
        "never worth a coin",
    ),
    "eight players": ("players = 8", "players is 8, expected a whole number from 2 to 7"),
    "one player": ("players = [1]", "players is 1"),
    "too many fields": ("fields = 5", "fields is 5, expected a whole number from 1 to 4"),
    "fewer fields than at the start": ("fields = 3\nmax_fields = 2", "max_fields 2 is less than fields 3"),
    "no end": ("reveal = 0\ndraw = 0", "the game would never end"),
    "a Duel of three": ('turn = "duel"\ntrading = false', "the Duel's turn is for 2 players"),
    "a Duel with trading": ('turn = "duel"\nplayers = 2', "the Duel has no trading"),
    "matching without a Duel": ("match_discards = true", "belongs to the Duel's turn"),
    "hands for other seats": ("hands = [5, 5]", "hands lists 2 seats, expected 3"),
    "a kind twice": ('kinds = ["wax", "brandy", "blue"]', "'wax' stands twice"),
    "a kind without cards": ('kinds = [{name = "odd", count = 0, needed = [2]}]', "count is 0"),
    "an unknown kind": ('kinds = ["blu"]', "unknown kind of bean 'blu'"),
    "an unknown option": ("field = 3", "unknown rule option 'field'"),
    "an unknown option for one number": ("[variants.mine.by_players.3]\nfeilds = 3", "'fields'"),
    "a number of players that is none": (
        "[variants.mine.by_players.x]\nfields = 3",
        "a number of players is 'x'",
    ),
    "the resolved name": ('variant = "base"', "unknown rule option 'variant'"),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_an_impossible_rule_set_is_refused_with_the_reason(what: str, tmp_path: Path) -> None:
    text, reason = IMPOSSIBLE[what]
    # the experiment does not even play it
    path = file(tmp_path, f"[variants.mine]\n{text}\n", ARM.replace("mine", "base"))
    with pytest.raises(InputError) as caught:
        read_experiment(path)
    assert reason in str(caught.value)
    assert "mine.toml: [variants.mine]" in str(caught.value)


def test_possible_with_some_numbers_of_players_is_possible(tmp_path: Path) -> None:
    text = "[variants.mine]\nhands = [5, 5, 5]\n"
    assert read_experiment(file(tmp_path, text)).rules(0).hands == (5, 5, 5)
    with pytest.raises(InputError, match=r"arm 1 .mine.*hands lists 3 seats, expected 4"):
        read_experiment(file(tmp_path, text, ARM.replace('["hermit"', '["hermit", "hermit"')))


def test_a_name_of_beansim_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has a variant of this name"):
        read_experiment(file(tmp_path, "[variants.base]\nrun_outs = 2\n", ARM.replace("mine", "base")))
