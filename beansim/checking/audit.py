"""An audit: a share of a run's games, drawn by the seed, played again in the referee.

Nobody has to believe the engine for a run of a million games: any thousand of them show what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from beansim.checking.differential import judge
from beansim.checking.games import Difference, place_text
from beansim.engine import Arm, play
from beansim.errors import InputError
from beansim.experiment import check_same, describe, from_description
from beansim.simulate.folder import RunFolder

PURPOSE_AUDIT = 9
"""Purpose of the stream that draws the games (docs/architecture.md, luck)."""


@dataclass
class Audit:
    """What an audit has found.

    Attributes:
        games: games in the run.
        chosen: games drawn.
        held: drawn games that the referee agrees with.
        failed: drawn games that a strategy's error had ended; they are reported elsewhere.
        departures: what the referee says against the others, the first of them.
    """

    games: int
    chosen: int = 0
    held: int = 0
    failed: int = 0
    departures: list[Difference] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether the referee agrees with every game that could be judged."""
        return self.held + self.failed == self.chosen

    def __str__(self) -> str:
        share = f"{self.chosen:,} of {self.games:,} games replayed in the referee, {self.held:,} hold"
        ended = f", {self.failed:,} ended with a strategy's error" if self.failed else ""
        wrong = self.chosen - self.held - self.failed
        return f"audit: {share}{ended}" + (f", {wrong:,} DO NOT" if wrong else "")


def read_share(text: str) -> float:
    """A share as people write it, `0.1%` or `0.001`; InputError unless it is above 0 and at most 1."""
    number, percent, rest = text.strip().partition("%")
    try:
        share = float(number) / (100.0 if percent else 1.0)
    except ValueError:
        share = 0.0
    if rest or not 0.0 < share <= 1.0:
        raise InputError(f"audit: {text!r} is no share of the games, expected for example 0.1% or 0.001")
    return share


def choose_deals(seed: int, deals: int, per_deal: int, share: float) -> list[tuple[int, int]]:
    """(deal, place in the deal) of the games drawn: at least one, each at most once, fixed by the seed."""
    games = deals * per_deal
    key = np.array([seed, deals], np.uint64)
    counter = np.array([0, 0, 0, PURPOSE_AUDIT], np.uint64)
    generator = np.random.Generator(np.random.Philox(key=key, counter=counter))
    count = min(games, max(1, round(games * share)))
    # Floyd's sampling: memory for the games drawn alone, however many there are.
    chosen: set[int] = set()
    for last in range(games - count, games):
        number = int(generator.integers(0, last + 1))
        chosen.add(last if number in chosen else number)
    return [divmod(number, per_deal) for number in sorted(chosen)]


def audit(
    arms: Sequence[Arm],
    seed: int,
    deals: int,
    share: float,
    progress: Callable[[int, int], None] = lambda done, total: None,
    shown: int = 5,
) -> Audit:
    """Replay a share of a run's games in the referee.

    Args:
        arms: the arms of the run.
        seed: its seed.
        deals: deals that each arm played.
        share: part of all games, above 0 and at most 1.
        progress: called with (games replayed, games drawn).
        shown: departures kept.
    """
    places = [(number, seating) for number, arm in enumerate(arms) for seating in range(len(arm.seatings))]
    drawn = choose_deals(seed, deals, len(places), share)
    found = Audit(deals * len(places), len(drawn))
    for done, (deal, place) in enumerate(drawn, start=1):
        _audit_game(found, arms[places[place][0]], seed, deal, places[place][1], shown)
        progress(done, len(drawn))
    return found


def audit_run(
    folder: Path, share: float, progress: Callable[[int, int], None] = lambda done, total: None
) -> Audit:
    """Audit the run whose results lie in `folder`, and keep what was found there as audit.json.

    Raises InputError when the folder holds no run, or one of strategies that are not what they were.
    """
    run = RunFolder(folder)
    stored = run.read_json("experiment.json")
    experiment = from_description(stored, str(folder / "experiment.json"))
    arms = experiment.build()
    check_same(stored, describe(experiment, arms), str(folder))
    deals = int(run.read_json("run.json")["deals"])
    found = audit(arms, experiment.seed, deals, share, progress)
    departures = [str(departure) for departure in found.departures]
    run.write_json("audit.json", {"share": share, **vars(found), "departures": departures})
    return found


def _audit_game(found: Audit, arm: Arm, seed: int, deal: int, seating: int, shown: int) -> None:
    alone = replace(arm, seatings=(arm.seatings[seating],))
    batch = play(alone, seed, deal, 1, log=True)
    if batch.games["status"][0]:
        found.failed += 1
        return
    departure = judge(batch.records(0), place_text(arm, seed, deal, seating))
    if departure is None:
        found.held += 1
    elif len(found.departures) < shown:
        found.departures.append(departure)
