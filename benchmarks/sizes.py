"""Sizes that a long run is planned with: bytes on the wire and on disk, time to merge (docs/scale.md).

python benchmarks/sizes.py [DEALS]
"""

from __future__ import annotations

import pickle
import sys
import time

from beansim.experiment import experiment_of
from beansim.simulate.chunks import Chunk, chunks_of
from beansim.simulate.columns import as_parquet
from beansim.simulate.fanout import Task, play_part
from beansim.simulate.packing import join_ranges
from beansim.simulate.recipe import Recipe
from beansim.simulate.work import Work

GAMES = 10**10
LINEUP = ("trader", "generous", "miser", "collector")
MERGED = 200


def main() -> None:
    """Measure a batch of so many deals (1000), for both ways of keeping games."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    plan = experiment_of("sizes", ["base", "two-pass"], [LINEUP], deals=GAMES // 8)
    arms = plan.build()
    for keep_rows in (False, True):
        work = Work(arms, plan.seed, keep_rows)
        part = work.play(0, deals)
        games = deals * work.games_per_deal
        sent = len(pickle.dumps(Task(play_part, Recipe.of(plan, work), 300.0)))
        back = len(pickle.dumps(part))
        chunks: list[Chunk] = chunks_of(work, plan.deals)
        print(f"--keep {'games' if keep_rows else 'summary'}, batch of {games:,} games")
        print(f"  to the worker {sent:,} bytes, back {back:,}: {back / games:.1f} a game")
        print(f"  {GAMES:,} games are {len(chunks):,} chunks of {chunks[0].deals * 8:,} games")
        if keep_rows:
            sizes = [len(as_parquet(rows, 3)) / games for rows in (part.games, part.seats)]
            print(f"  on disk {sizes[0]:.1f} bytes a game and {sizes[1]:.1f} for its seats")
    print(f"merging a batch takes {1000 * _merge_seconds(work, deals):.2f} ms")


def _merge_seconds(work: Work, deals: int) -> float:
    """Time to read what a worker sends and add it up."""
    texts = [pickle.dumps(work.play(first, 1).tallies) for first in range(MERGED)]
    started = time.process_time()
    total = pickle.loads(texts[0])
    for text in texts[1:]:
        total += pickle.loads(text)
    assert total.cross.ranges == join_ranges([(0, MERGED)], [])
    return (time.process_time() - started) / MERGED


if __name__ == "__main__":
    main()
