"""What a rule option costs that a game never makes use of, for `beansim bench --rules`.

Each option is set so that a table of traders plays the very same games, which is checked; so whatever time
they take more is the option's own cost. Games are timed in turns with those of the base game, and the base
game is timed against itself: that difference is noise.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from beansim.cli.measures import SEED
from beansim.cli.play import build_arm
from beansim.engine import Arm, play, warm
from beansim.errors import BeansimError
from beansim.report.text import aligned
from beansim.rules import MAX_DECK, Kind, Rules

ROUNDS = 15
"""Times that every option is timed; the median counts."""

IDLE: dict[str, dict[str, Any]] = {
    "base again (noise)": {},
    "harvests only when forced": {"harvest": "forced"},
    "harvests in one's own turn": {"harvest": "own_turn"},
    "fields for sale, nobody buys": {"field_price": 3, "max_fields": 3},
    "payment to the box": {"field_payment": "box"},
    "tie by hand": {"tie": "hand"},
    "no discards: play on": {"empty_discard": "play_on"},
    "front-most copies": {"copy": "front_most"},
    "one field a kind": {"same_kind_twice": False},
    "a draw token out of reach": {"token_at": MAX_DECK},
    "market caps of 10,000": {"announcement_cap": 10_000, "proposal_cap": 10_000},
}
"""Options that change no game of four traders, by what they are."""


class OtherGamesError(BeansimError):
    """An option that was to change nothing changed the games, so its time says nothing."""


def rule_costs(games: int, rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """For each idle option its time over that of the base game: median and quartiles over the rounds.

    Args:
        games: of each timing.
        rounds: timings of each option.
    """
    base = build_arm("base", ("trader",) * 4, "fixed")
    arms = {name: replace(base, rules=replace(base.rules, **changes)) for name, changes in IDLE.items()}
    arms["a kind that would earn fields"] = replace(base, rules=_with_idle_field_kind(base.rules))
    warm([base])
    for name, arm in arms.items():
        _check_same_games(name, base, arm)
    ratios: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(rounds):
        for name, arm in arms.items():
            ratios[name].append(_ratio(arm, base, games))
    return {name: _quartiles(found) for name, found in ratios.items()}


def _with_idle_field_kind(rules: Rules) -> Rules:
    """The last kind would earn a field with more cards than the deck has of it."""
    last = rules.kinds[-1]
    return replace(rules, kinds=(*rules.kinds[:-1], Kind(last.name, last.count, last.needed, field_at=99)))


def _check_same_games(name: str, base: Arm, arm: Arm) -> None:
    one, two = (play(each, 1, 0, 200) for each in (base, arm))
    if not np.array_equal(one.seats["coins"], two.seats["coins"]):
        raise OtherGamesError(f"{name}: other games than the base game's")


def _ratio(arm: Arm, base: Arm, games: int) -> float:
    """Time of one over that of the other, each timed before and after the other one."""
    times = [_cpu_seconds(each, games) for each in (arm, base, base, arm)]
    return (times[0] + times[3]) / (times[1] + times[2])


def _cpu_seconds(arm: Arm, deals: int) -> float:
    started = time.process_time()
    play(arm, SEED, 0, deals)
    return time.process_time() - started


def _quartiles(ratios: Sequence[float]) -> dict[str, float]:
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else (ratios[0],) * 3
    return {"median": middle, "low": low, "high": high}


def cost_lines(found: dict[str, dict[str, float]]) -> Iterator[str]:
    """The costs as text."""
    rows = [("rule option, not made use of", "time", "quartiles of the rounds")]
    for name, one in found.items():
        change = f"{one['median'] - 1:+.1%}"
        rows.append((name, change, f"{one['low'] - 1:+.1%} to {one['high'] - 1:+.1%}"))
    yield aligned(rows)
    yield "\n(against the base game, four traders; the same games)"
