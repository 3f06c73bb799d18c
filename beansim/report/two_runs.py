"""Two runs side by side: what they have in common, what each found, and the differences.

Runs with the same seed play the same deals. Where both kept their games, differences are then taken deal
by deal; else the runs count as independent, which for runs of the same deals gives intervals that are too
wide rather than too narrow, as long as a good deal is good in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from beansim.analysis.comparisons import Comparison, adjust
from beansim.analysis.estimates import difference_estimate, estimate, game_estimate, seat, strategy, subtract
from beansim.analysis.frames import block_frame
from beansim.analysis.intervals import Estimate, Sums, combine_errors, p_value, t_quantile
from beansim.analysis.metrics import GAME, SEAT, find_metric
from beansim.analysis.run import Run, RunArm
from beansim.errors import InputError
from beansim.report.document import Document, facts
from beansim.report.findings import alerts
from beansim.report.names import in_sentence, plain
from beansim.report.numbers import count, number, plus_minus
from beansim.report.tables import COMPARED, COMPARED_GAMES, Row, comparison_values, describe, frame, spread
from beansim.report.views import ARM, DIFFERENCES, Column, View
from beansim.simulate.layout import Group

MOST_PAIRED = 2_000_000
"""Games of the larger run up to which the games themselves are read, so that the report takes seconds."""

FIRST, SECOND = "A", "B"
"""What the two runs are called in tables and sentences."""


@dataclass(frozen=True)
class Pair:
    """Two runs and which of their arms belong together.

    Attributes:
        runs: the two runs.
        arms: pairs of numbers of arms.
    """

    runs: tuple[Run, Run]
    arms: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, first: Run, second: Run) -> Pair:
        """Match arms by name; the only arms of two runs whatever they are called."""
        names = [[arm.name for arm in run.arms] for run in (first, second)]
        arms = tuple((names[0].index(name), names[1].index(name)) for name in names[0] if name in names[1])
        if not arms and len(names[0]) == len(names[1]) == 1:
            arms = ((0, 0),)
        if not arms:
            listed = ["; ".join(map(plain, part)) for part in names]
            raise InputError(
                f"the runs have no arm in common: the first has {listed[0]}, the second {listed[1]}"
            )
        return cls((first, second), arms)

    @property
    def same_deals(self) -> bool:
        """Whether both play the same deals."""
        return self.runs[0].info.get("seed") == self.runs[1].info.get("seed")

    @cached_property
    def blocks(self) -> tuple[pl.DataFrame, pl.DataFrame] | None:
        """Block values of both runs, where they can be paired."""
        if not self.same_deals or max(run.games for run in self.runs) > MOST_PAIRED:
            return None
        try:
            return block_frame(self.runs[0]), block_frame(self.runs[1])
        except InputError:
            return None


def comparison_frames(pair: Pair) -> dict[str, pl.DataFrame]:
    """The tables: `design` (what differs in what was asked) and `comparison` (what was found)."""
    design = pl.DataFrame(
        list(_design(pair)), schema=dict.fromkeys(("what", "first", "second"), pl.String), orient="row"
    )
    rows: list[Row] = []
    for metric in (*COMPARED, *COMPARED_GAMES):
        found = [one for numbers in pair.arms for one in _differences(pair, numbers, metric)]
        adjusted = adjust([one for *_, one in found])
        rows += [_row(pair, *part[:3], one) for part, one in zip(found, adjusted, strict=True)]
    return {"design": design, "comparison": frame(rows)}


def _design(pair: Pair) -> Iterator[tuple[str, ...]]:
    infos = [run.info for run in pair.runs]
    for key in ("title", "seed", "deals", "command"):
        yield key, *(plain(str(info.get(key, ""))) for info in infos)
    names = dict.fromkeys(name for info in infos for name in info.get("versions") or {})
    for name in names:
        versions = [str((info.get("versions") or {}).get(name, "")) for info in infos]
        if versions[0] != versions[1]:
            yield f"version of {name}", versions[0], versions[1]
    for numbers in pair.arms:
        left, right = (run.arms[number] for run, number in zip(pair.runs, numbers, strict=True))
        yield from _arm_design(left, right)


def _arm_design(left: RunArm, right: RunArm) -> Iterator[tuple[str, ...]]:
    name = plain(left.name)
    if left.lineup != right.lineup:
        yield f"line-up of {name}", *(", ".join(map(plain, arm.lineup)) for arm in (left, right))
    if left.seating_mode != right.seating_mode:
        yield f"seatings of {name}", left.seating_mode, right.seating_mode
    options = [arm.rules.to_dict() for arm in (left, right)]
    for key in options[0]:
        if options[0][key] != options[1].get(key):
            yield f"rule {key} of {name}", *(str(part.get(key)) for part in options)


Found = tuple[int, Group | None, tuple[Estimate, Estimate], Comparison]


def _differences(pair: Pair, numbers: tuple[int, int], metric: str) -> Iterator[Found]:
    """Every group that both arms have: its two estimates and their difference."""
    tallies = [run.tally(number) for run, number in zip(pair.runs, numbers, strict=True)]
    for group in _groups(pair, numbers, metric):
        if group is None:
            both = game_estimate(tallies[0], metric), game_estimate(tallies[1], metric)
        else:
            both = estimate(tallies[0], metric, group), estimate(tallies[1], metric, group)
        found = _paired(pair, numbers, metric, group) or independent(*both)
        one = Comparison(find_metric(metric), numbers[0], numbers[1], group, found, p_value(found))
        yield numbers[0], group, both, one


def _groups(pair: Pair, numbers: tuple[int, int], metric: str) -> Iterator[Group | None]:
    if metric in GAME and metric not in SEAT:
        yield None
        return
    layouts = [run.tally(number).layout for run, number in zip(pair.runs, numbers, strict=True)]
    yield from (strategy(label) for label in layouts[0].strategies if label in layouts[1].strategies)
    if metric in ("win_share", "coins"):
        yield from (seat(number) for number in range(min(layout.players for layout in layouts)))


def independent(left: Estimate, right: Estimate) -> Estimate:
    """The difference of two independent means, with the interval of Welch.

    Reference: Welch (1947), The generalization of Student's problem when several different population
    variances are involved, Biometrika 34.
    """
    mean, blocks = left.mean - right.mean, min(left.blocks, right.blocks)
    error = combine_errors(left.error, right.error)
    plain_error = combine_errors(left.plain_error, right.plain_error)
    games = left.games + right.games
    if error == 0:
        return Estimate(mean, mean, mean, 0.0, plain_error, blocks, games, "constant", difference=True)
    if not error > 0:
        nan = math.nan
        return Estimate(mean, nan, nan, nan, plain_error, blocks, games, "none", difference=True)
    parts = [one.error**4 / (one.blocks - 1) for one in (left, right)]
    half = t_quantile(max(1, math.floor(error**4 / sum(parts)))) * error
    return Estimate(mean, mean - half, mean + half, error, plain_error, blocks, games, "t", difference=True)


def _paired(pair: Pair, numbers: tuple[int, int], metric: str, group: Group | None) -> Estimate | None:
    """The difference over the deals that both played, deal by deal; None where there are no single blocks."""
    if pair.blocks is None or group is None or group.by != "strategy":
        return None
    column, units = SEAT[metric].column, SEAT[metric].divisor
    sides = [
        blocks.filter((pl.col("arm") == number) & (pl.col("strategy") == group.strategy)).select(
            "deal", "games", pl.col(column).alias("sum")
        )
        for blocks, number in zip(pair.blocks, numbers, strict=True)
    ]
    both = sides[0].join(sides[1], on="deal", suffix="_right")
    if len(both) < 2:
        return None
    left, right = both["sum"], both["sum_right"]
    weights = [int(both[name][0]) for name in ("games", "games_right")]
    sums = [
        Sums(len(both), int(values.sum()), int((values * values).sum()), weight * units)
        for values, weight in zip((left, right), weights, strict=True)
    ]
    moments = subtract(sums[0], sums[1], int((left * right).sum()))
    return difference_estimate(moments, math.nan, len(both) * sum(weights))


def _row(pair: Pair, arm: int, group: Group | None, both: tuple[Estimate, Estimate], one: Comparison) -> Row:
    # Only where they are taken as independent is there an error of independent games.
    paired = pair.blocks is not None and math.isnan(one.estimate.plain_error)
    row: Row = {"arm": pair.runs[0].arms[arm].name, "metric": one.metric.name, "of": describe(group)}
    row |= spread("first", both[0]) | spread("second", both[1]) | comparison_values(one)
    return row | {"paired": "deal by deal" if paired else "independent"}


COMPARISON_VIEWS: tuple[View, ...] = (
    View(
        "comparison",
        "found",
        "Side by side",
        "Means with 95 % intervals on block values; the difference is A minus B; p values adjusted by Holm "
        "for all rows of one metric.",
        (
            ARM,
            Column("metric", "metric", "metric"),
            Column("of", "of"),
            Column(FIRST, "first", "level"),
            Column(SECOND, "second", "level"),
            *DIFFERENCES[:2],
            Column("taken", "paired"),
            Column("p (Holm)", "p_holm", "p"),
            DIFFERENCES[-1],
        ),
        400,
    ),
    View(
        "design",
        "design",
        "What was asked",
        "Title, seed, deals and command of both runs, and whatever else differs between them.",
        (Column("what", "what"), Column(FIRST, "first"), Column(SECOND, "second")),
    ),
)
"""The tables of a comparison, in order."""


def of_pair(pair: Pair, frames: Mapping[str, pl.DataFrame]) -> Document:
    """Two runs side by side as a document."""
    names = [str(run.folder or run.title) for run in pair.runs]
    first, second = pair.runs
    return Document(
        title=f"{first.title} (A) and {second.title} (B)",
        question="What differs between the two runs?",
        facts=f"A: {plain(names[0])}, {facts(first)}. B: {plain(names[1])}, {facts(second)}.",
        verdict=list(_verdict(pair, frames["comparison"])),
        alerts=list(_alerts(pair)),
        sections={"found": "What was found", "design": "What was asked"},
        views=COMPARISON_VIEWS,
        frames=frames,
        brief=[view.name for view in COMPARISON_VIEWS],
        command=str(first.info.get("command") or ""),
        reproduce=[
            (f"command of {SECOND}", plain(str(second.info.get("command") or ""))),
            ("rules", "; ".join(_digests(pair))),
        ],
    )


def _digests(pair: Pair) -> Iterator[str]:
    for numbers in pair.arms:
        arms = [run.arms[number] for run, number in zip(pair.runs, numbers, strict=True)]
        yield f"{plain(arms[0].name)} {arms[0].rules_digest} (A), {arms[1].rules_digest} (B)"


def _verdict(pair: Pair, found: pl.DataFrame) -> Iterator[str]:
    """What is settled, arm by arm."""
    for first, _ in pair.arms:
        name = pair.runs[0].arms[first].name
        rows = found.filter((pl.col("arm") == name) & pl.col("metric").is_in(["turns", "win_share", "coins"]))
        said = [text for row in rows.iter_rows(named=True) if (text := _settled(row))]
        if said:
            yield f"In {in_sentence(name)}, A against B: {'; '.join(said)}."
        else:
            yield f"In {in_sentence(name)} no difference in length, win share or coins is settled."


def _settled(row: Row) -> str:
    low, high, mean = row["difference_low"], row["difference_high"], row["difference"]
    if low is None or low <= 0 <= high or (row["p_holm"] is not None and row["p_holm"] >= 0.05):
        return ""
    metric = find_metric(row["metric"])
    amount = plus_minus(metric.scale * mean, metric.scale * (high - low) / 2)
    what = {"turns": "turns a game", "win_share": "wins in 100", "coins": "coins"}[row["metric"]]
    who = "" if row["of"] == "games" else f"{plain(row['of'])} "
    levels = ""
    if row["metric"] == "turns":
        levels = f" ({number(row['first'], 1)} against {number(row['second'], 1)})"
    return f"{who}{amount} {what} {'more' if mean > 0 else 'fewer'}{levels}"


def _alerts(pair: Pair) -> Iterator[str]:
    left_out = [
        f"{name} alone has {', '.join(plain(run.arms[number].name) for number in sorted(missing))}"
        for name, run, missing in zip((FIRST, SECOND), pair.runs, _missing(pair), strict=True)
        if missing
    ]
    if left_out:
        yield f"Arms without a counterpart are left out: {'; '.join(left_out)}."
    if pair.same_deals and pair.blocks is None:
        yield (
            "Both runs play the same deals, but their games were not kept or are more than "
            f"{count(MOST_PAIRED)}: the runs count as independent, so the intervals are wider than need be."
        )
    for name, run in zip((FIRST, SECOND), pair.runs, strict=True):
        yield from (f"{name}: {warning}" for warning in alerts(run))


def _missing(pair: Pair) -> Iterator[set[int]]:
    for side, run in enumerate(pair.runs):
        yield set(range(len(run.arms))) - {numbers[side] for numbers in pair.arms}
