"""Rule sets side by side: what each arm's games are like, and how they differ from the first rule set's.

Two arms are compared when they have the same line-up under different rules. They play the same deals, so
differences are paired deal by deal, but for ratios and harvest values, which the text marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from beansim.analysis.comparisons import between
from beansim.analysis.estimates import estimate, game_estimate, game_ratio, seat, strategy
from beansim.analysis.intervals import LEVEL, Estimate, Method, combine_errors, t_quantile
from beansim.analysis.run import Run
from beansim.report.names import plain, shorten_all
from beansim.report.numbers import NONE, counted, interval
from beansim.report.tables import Row, frame, harvests, spread
from beansim.report.text import aligned, filled
from beansim.simulate.layout import Group
from beansim.simulate.tallies import Tally

LONGEST_NAME = 24
"""Letters of the name of an arm at the head of a column."""

PAIRED, UNPAIRED, COUNTED = "paired", "not paired", "counted"
"""What a difference rests on: common deals; two arms as if independent; counts without an interval."""


@dataclass(frozen=True, slots=True)
class Line:
    """One quantity of two arms.

    Attributes:
        part: what it belongs to (`games`, `coins`, `wins`, `market`, `run-outs`, `harvests`).
        words: what it is.
        left, right: the arm's value, and that of the arm it is compared with.
        difference: left minus right.
        way: one of PAIRED, UNPAIRED, COUNTED.
        share: whether it is shown in percent.
    """

    part: str
    words: str
    left: Estimate
    right: Estimate
    difference: Estimate
    way: str = PAIRED
    share: bool = False


def comparison_pairs(run: Run) -> list[tuple[int, int]]:
    """Arms to compare as (arm, first arm with the same line-up and other rules)."""
    pairs = []
    for number, arm in enumerate(run.arms):
        first = next(place for place, other in enumerate(run.arms) if other.lineup == arm.lineup)
        if first != number and run.arms[first].rules != arm.rules:
            pairs.append((number, first))
    return pairs


def comparison(run: Run) -> pl.DataFrame:
    """One row per pair of arms and quantity: both values and the difference, with 95 % intervals."""
    rows: list[Row] = []
    for left, right in comparison_pairs(run):
        names: Row = {"arm": run.arms[left].name, "against": run.arms[right].name}
        for line in lines(run, left, right):
            row = names | {"part": line.part, "quantity": line.words}
            row |= spread("value", line.left) | spread("base", line.right)
            row |= spread("difference", line.difference)
            rows.append(row | {"way": line.way, "share": line.share})
    return frame(rows) if rows else pl.DataFrame()


def lines(run: Run, left: int, right: int) -> Iterator[Line]:
    """Every quantity of two arms."""
    yield from _games(run, left, right)
    yield from _coins(run, left, right)
    yield from _wins(run, left, right)
    yield from _market(run, left, right)
    yield from _run_outs(run, left, right)
    yield from _harvests(run, left, right)


def _game(run: Run, left: int, right: int, metric: str, part: str, words: str) -> Line:
    here, there = (game_estimate(run.tally(arm), metric) for arm in (left, right))
    return Line(part, words, here, there, between(run.tallies, left, right, metric))


def _of_seats(run: Run, left: int, right: int, metric: str, group: Group, words: str) -> Line:
    here, there = (estimate(run.tally(arm), metric, group) for arm in (left, right))
    found = between(run.tallies, left, right, metric, group)
    part, share = ("wins", True) if metric == "win_share" else ("coins", False)
    return Line(part, words, here, there, found, PAIRED, share)


def _games(run: Run, left: int, right: int) -> Iterator[Line]:
    yield _game(run, left, right, "turns", "games", "turns a game")


def _coins(run: Run, left: int, right: int) -> Iterator[Line]:
    yield _game(run, left, right, "table_coins", "coins", "coins of all seats together")
    yield _game(run, left, right, "spread", "coins", "coins between first and last")
    for label in run.tally(left).layout.strategies:
        yield _of_seats(run, left, right, "coins", strategy(label), f"coins of {label}")


def _wins(run: Run, left: int, right: int) -> Iterator[Line]:
    """Who gains and who loses: strategies that differ, then the seats."""
    layout = run.tally(left).layout
    for label in layout.strategies if len(layout.strategies) > 1 else ():
        yield _of_seats(run, left, right, "win_share", strategy(label), f"wins of {label}")
    for number in range(layout.players):
        words = "wins of the start seat" if number == 0 else f"wins of seat {number}"
        yield _of_seats(run, left, right, "win_share", seat(number), words)


def _market(run: Run, left: int, right: int) -> Iterator[Line]:
    if not any(run.arms[arm].rules.trading for arm in (left, right)):
        return
    yield _game(run, left, right, "deals", "market", "deals a game")
    for words, top, bottom in (
        ("deals a turn", "deals", "turns"),
        ("gifts a turn", "gifts", "turns"),
        ("gifts among deals", "gifts", "deals"),
    ):
        here, there = (game_ratio(run.tally(arm), top, bottom) for arm in (left, right))
        yield Line("market", words, here, there, _unpaired(here, there), UNPAIRED, bottom == "deals")


def _unpaired(left: Estimate, right: Estimate) -> Estimate:
    """A difference whose error ignores that the arms share their deals."""
    mean, error = left.mean - right.mean, combine_errors(left.error, right.error)
    blocks = min(left.blocks, right.blocks)
    half = t_quantile(blocks - 1, LEVEL) * error if blocks > 1 else math.nan
    low, high = mean - half, mean + half
    method: Method = "t" if math.isfinite(half) else "none"
    return Estimate(mean, low, high, error, math.nan, blocks, left.games, method, True)


def _run_outs(run: Run, left: int, right: int) -> Iterator[Line]:
    """Turns of the run-outs that came in every game of both arms, and the share that ends in phase 2."""
    tallies = [run.tally(arm) for arm in (left, right)]
    for number in range(1, min(tally.layout.run_outs for tally in tallies) + 1):
        if all(_always_came(tally, number) for tally in tallies):
            yield _game(run, left, right, f"run_out_turn_{number}", "run-outs", f"turn of run-out {number}")
    here, there = (_counted(*_last_in_phase_2(tally)) for tally in tallies)
    yield _counted_line("run-outs", "games that end in phase 2", here, there, share=True)


def _always_came(tally: Tally, number: int) -> bool:
    row = tally.layout.game_metrics.index(f"run_out_came_{number}")
    return int(tally.arrays["game_sums"][row]) == tally.blocks * len(tally.layout.seatings)


def _last_in_phase_2(tally: Tally) -> tuple[int, int]:
    phases = tally.arrays["run_outs"][-1].sum(axis=1)
    return int(phases[0]), int(phases.sum())


def _counted(part: int, whole: int) -> Estimate:
    """A ratio of counts, which has no interval."""
    value = part / whole if whole else math.nan
    return Estimate(value, math.nan, math.nan, math.nan, math.nan, 0, whole, "none")


def _counted_line(part: str, words: str, left: Estimate, right: Estimate, share: bool = False) -> Line:
    mean = left.mean - right.mean
    difference = Estimate(mean, math.nan, math.nan, math.nan, math.nan, 0, left.games, "none", True)
    return Line(part, words, left, right, difference, COUNTED, share)


HARVESTS: tuple[tuple[str, str, str], ...] = (
    ("coins a harvest", "coins", "harvests"),
    ("cards a harvest", "cards", "harvests"),
    ("harvests worth nothing", "zero_harvests", "harvests"),
    ("coins a card", "coins", "cards"),
)
"""Values of a harvest: words, numerator, denominator."""


def _harvests(run: Run, left: int, right: int) -> Iterator[Line]:
    """Harvest values of all kinds together, then of each kind that both decks have."""
    counted = harvests(run)
    tables = [counted.filter(pl.col("arm") == run.arms[arm].name) for arm in (left, right)]
    for words, top, bottom in HARVESTS:
        here, there = (_ratio_of(table, top, bottom) for table in tables)
        yield _counted_line("harvests", words, here, there, top == "zero_harvests")
    for kind in tables[0]["kind"]:
        if kind in tables[1]["kind"]:
            rows = (table.filter(pl.col("kind") == kind) for table in tables)
            here, there = (_ratio_of(row, "coins", "harvests") for row in rows)
            yield _counted_line("harvests", f"coins a harvest of {kind}", here, there)


def _ratio_of(table: pl.DataFrame, top: str, bottom: str) -> Estimate:
    return _counted(int(table[top].sum()), int(table[bottom].sum()))


# --- as text --------------------------------------------------------------------------------------


def comparison_text(run: Run, width: int = 80) -> str:
    """The comparison as lines for a terminal of this width: one table for each pair of arms."""
    parts = [
        plain(run.title),
        f"{counted(run.deals, 'deal')}, {counted(run.games, 'game')}, seed {run.info.get('seed')}",
    ]
    for left, right in comparison_pairs(run):
        parts += ["", _table(run, left, right, width)]
    note = "(95 % intervals on block values; ~ as if the arms were independent; counts have none)"
    parts += ["", filled(note, width=width)]
    return "\n".join(parts)


def _table(run: Run, left: int, right: int, width: int) -> str:
    there, here = shorten_all([run.arms[place].name for place in (right, left)], LONGEST_NAME)
    rows = [("", there, here, "difference")]
    part = ""
    for line in lines(run, left, right):
        if line.part != part:
            part = line.part
            rows.append((part, "", "", ""))
        rows.append((f"  {plain(line.words)}", *_cells(line)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = [
        (name, base.rjust(widths[1]), value.rjust(widths[2]), difference)
        for name, base, value, difference in rows
    ]
    return aligned(numbers, width=width)


def _cells(line: Line) -> tuple[str, str, str]:
    """The base value, the arm's, and the difference with its interval."""
    base, value = (_value(found, line.share) for found in (line.right, line.left))
    found = line.difference
    text = interval(found.mean, found.low, found.high, share=line.share, sign=True)
    return base, value, f"{text} ~" if line.way == UNPAIRED and text != NONE else text


def _value(found: Estimate, share: bool) -> str:
    """A value with as many digits as its interval bears, without it."""
    return interval(found.mean, found.low, found.high, share=share).partition(" (")[0]
