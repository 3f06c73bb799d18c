"""Run folders made by the synthetic engine."""

from __future__ import annotations

import json

import numpy as np

from beansim.analysis.synthetic import World, cut, play, rotations
from beansim.rules import resolve
from beansim.simulate.layout import Layout
from beansim.simulate.tallies import Tallies
from beansim.simulate.watched import Watched, shapes

LINEUP = ("trader", "miser:ask=2", "hermit", "trader")
WORLD = World(strategy={"trader": 2, "hermit": -2}, seat=(1, 0, 0, -1), luck=4, noise=4, turns=44)
TWO_PASS = World(base=10, strategy={"trader": 1, "hermit": -1}, seat=(1, 0, 0, -1), luck=3, noise=3, turns=28)
ARMS = (("base", "base", LINEUP, WORLD), ("two-pass", "two-pass", LINEUP, TWO_PASS))


def _watched(layout, deals):
    """What watching might have counted: coins come in evenly, everybody gives to everybody."""
    rng = np.random.default_rng(5)
    arrays = {name: rng.integers(1, 90, shape) for name, shape in shapes(layout).items()}
    blocks = rng.integers(0, 4, (deals, *arrays["coins"].shape)).cumsum(axis=2)
    arrays |= {"coins": blocks.sum(axis=0), "coin_squares": (blocks * blocks).sum(axis=0)}
    return Watched(layout, deals, arrays)


def make_run(folder, arms=ARMS, deals=1000, chunks=5, **info):
    """Write a run folder; `arms` are (name, variant, line-up, world)."""
    (folder / "chunks").mkdir(parents=True)
    batches, described = [], []
    for number, (name, variant, lineup, world) in enumerate(arms):
        rules = resolve(variant, len(lineup))
        layout = Layout(lineup, rotations(len(lineup)), rules.kind_names, rules.run_outs)
        batches.append(play(layout, world, 11, deals, number))
        described.append(
            {
                "name": name,
                "variant": variant,
                "rules": rules.to_dict(),
                "rules_digest": rules.digest(),
                "lineup": list(lineup),
                "seatings": [list(seating) for seating in layout.seatings],
                "seating_mode": "rotate",
            }
        )
    for number in range(chunks):
        first, past = deals * number // chunks, deals * (number + 1) // chunks
        tallies = Tallies.of([cut(batch, first, past) for batch in batches])
        (folder / "chunks" / f"tally-{number:05d}.json").write_text(json.dumps(tallies.to_dict()))
    state = {
        "format": 1,
        "name": "two-pass",
        "title": "Two-pass harvest against the base game",
        "question": "What does the two-pass rule change?",
        "seed": 11,
        "deals": deals,
        "complete": True,
        "versions": {
            "beansim": "0.1.0",
            "python": "3.11.7",
            "numpy": "2.0",
            "numba": "0.61",
            "polars": "1.20",
        },
        "command": "beansim run experiments/two-pass.toml --deals 1000 --seed 11",
        "keep": "summary",
        "arms": described,
    }
    (folder / "run.json").write_text(json.dumps(state | info))
    watched = {"format": 1, "arms": [_watched(batch.layout, min(deals, 20)).to_dict() for batch in batches]}
    (folder / "watched.json").write_text(json.dumps(watched))
    return folder
