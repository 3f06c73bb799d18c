"""The tables of a report, as polars frames: exact counts and estimates, nothing formatted.

An estimate takes three columns: `x`, `x_low`, `x_high` (a 95 % interval on block values). A number
that does not exist is null.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from beansim.analysis.comparisons import Comparison, adjust, compare, relative
from beansim.analysis.estimates import (
    ahead,
    difference,
    estimate,
    game_estimate,
    game_ratio,
    seat,
    strategy,
)
from beansim.analysis.expectations import judge_run
from beansim.analysis.intervals import Estimate, Sums, p_value, t_interval
from beansim.analysis.metrics import SEAT, Metric, find_metric
from beansim.analysis.run import Run
from beansim.simulate.layout import Group
from beansim.simulate.tallies import Tally, cross_pairs
from beansim.simulate.watched import Watched

Row: TypeAlias = dict[str, Any]

MOST_PAIRS = 120
"""Pairs of arms in the table of differences; with more, the first arm with each other one."""

WHY = ("forced", "early", "final")
"""Why a field is harvested, in the order of the tallies."""

COMPARED = ("win_share", "coins", "rank", "margin", "trades")
"""Metrics of a seat that are compared between arms and between strategies."""

COMPARED_GAMES = ("turns", "deals", "gifts", "table_coins", "spread")
"""Metrics of a game that are compared between arms."""


def summary(run: Run) -> pl.DataFrame:
    """One row per arm and strategy: win share, coins, rank, margin with their intervals."""
    rows = []
    for name, tally in named(run):
        for label in tally.layout.strategies:
            group = strategy(label)
            row: Row = {"arm": name, "strategy": label, "copies": tally.layout.labels.count(label)}
            rows.append(row | _seat_values(tally, group, ("win_share", "coins", "rank", "margin")))
    return frame(rows)


def seats(run: Run) -> pl.DataFrame:
    """One row per arm and seat (0 is the start seat): win share, coins, what it gains over an even share."""
    rows = []
    for name, tally in named(run):
        for number in range(tally.layout.players):
            found = estimate(tally, "win_share", seat(number))
            row: Row = {"arm": name, "seat": number}
            row |= _seat_values(tally, seat(number), ("win_share", "coins", "rank", "margin"))
            rows.append(row | {"gain": clean(found.mean - 1 / tally.layout.players)})
    return frame(rows)


def strategy_seats(run: Run) -> pl.DataFrame:
    """One row per arm, strategy and seat that it ever took."""
    rows = []
    for name, tally in named(run):
        for group in tally.layout.groups:
            if group.by == "strategy_seat":
                row: Row = {"arm": name, "strategy": group.strategy, "seat": group.seat}
                rows.append(row | _seat_values(tally, group, ("win_share", "coins")))
    return frame(rows)


def behaviour(run: Run) -> pl.DataFrame:
    """One row per arm and strategy: what a seat does in a game on average."""
    metrics = (
        "harvests",
        "zero_harvests",
        "trades",
        "gifts_given",
        "gifts_got",
        "offers_refused",
        "offers_in_vain",
        "second_plants",
        "hand_left",
    )
    rows = []
    for name, tally in named(run):
        for label in tally.layout.strategies:
            row: Row = {"arm": name, "strategy": label}
            rows.append(row | _seat_values(tally, strategy(label), metrics))
    return frame(rows)


GAME_ROWS: tuple[tuple[str, str, Callable[[Tally], Estimate]], ...] = (
    ("turns", "turns a game", lambda tally: game_estimate(tally, "turns")),
    ("deals", "deals closed a game", lambda tally: game_estimate(tally, "deals")),
    ("gifts", "gifts a game", lambda tally: game_estimate(tally, "gifts")),
    ("deals_a_turn", "deals closed a turn", lambda tally: game_ratio(tally, "deals", "turns")),
    ("gifts_a_turn", "gifts a turn", lambda tally: game_ratio(tally, "gifts", "turns")),
    ("table_coins", "coins of all seats", lambda tally: game_estimate(tally, "table_coins")),
    ("spread", "coins between first and last", lambda tally: game_estimate(tally, "spread")),
    ("gift_share", "gifts among deals", lambda tally: game_ratio(tally, "gifts", "deals")),
    ("announcements", "announcements a turn", lambda tally: game_ratio(tally, "announcements", "turns")),
    ("proposals", "proposals a turn", lambda tally: game_ratio(tally, "proposals", "turns")),
)
"""What is told of the games of an arm: key, words, estimate."""


def games(run: Run) -> pl.DataFrame:
    """One row per arm and quantity: length of games, deals and gifts a game and a turn."""
    rows: list[Row] = []
    for name, tally in named(run):
        for key, words, make in GAME_ROWS:
            found = make(tally)
            row: Row = {
                "arm": name,
                "quantity": key,
                "words": words,
                "games": tally.blocks * _seatings(tally),
            }
            rows.append(row | spread("mean", found) | {"note": found.note})
    return frame(rows)


def run_outs(run: Run) -> pl.DataFrame:
    """One row per arm and run-out: how often it came, on which turn, in which phase."""
    rows: list[Row] = []
    for name, tally in named(run):
        for number, counts in enumerate(tally.arrays["run_outs"], start=1):
            rows.append({"arm": name, "run_out": number} | _run_out(tally, number, counts))
    return frame(rows)


def _run_out(tally: Tally, number: int, counts: np.ndarray[Any, Any]) -> Row:
    turns = counts.sum(axis=0)
    came = int(turns.sum())
    # Over the games in which it came: the turns of the others are 0, so the ratio leaves them out.
    found = game_ratio(tally, f"run_out_turn_{number}", f"run_out_came_{number}")
    return {
        "games": came,
        "share_of_games": clean(came / max(1, tally.blocks * _seatings(tally))),
        **spread("turn", found),
        **{f"turn_{part}": quantile(turns, part / 100) for part in (5, 50, 95)},
        "phase_2": int(counts[0].sum()),
        "phase_4": int(counts[1].sum()),
        "phase_2_share": clean(counts[0].sum() / came if came else math.nan),
    }


def quantile(histogram: np.ndarray[Any, Any], share: float) -> int | None:
    """The smallest value that at least `share` of the counted values do not exceed; `None` if empty."""
    total = histogram.sum()
    if not total:
        return None
    return int(np.searchsorted(np.cumsum(histogram), share * total))


def harvests(run: Run) -> pl.DataFrame:
    """One row per arm and kind: coins a harvest and a card, cards a harvest, share worth nothing."""
    counted = harvest_sizes(run)
    whole = pl.col("count").sum()
    return (
        counted.group_by("arm", "kind", maintain_order=True)
        .agg(
            whole.alias("harvests"),
            (pl.col("cards") * pl.col("count")).sum().alias("cards"),
            (pl.col("coins") * pl.col("count")).sum().alias("coins"),
            pl.col("count").filter(pl.col("coins") == 0).sum().alias("zero_harvests"),
        )
        .with_columns(
            (pl.col("coins") / pl.col("harvests")).alias("coins_a_harvest"),
            (pl.col("coins") / pl.col("cards")).alias("coins_a_card"),
            (pl.col("cards") / pl.col("harvests")).alias("cards_a_harvest"),
            (pl.col("zero_harvests") / pl.col("harvests")).alias("zero_share"),
        )
    )


@lru_cache(maxsize=4)
def harvest_sizes(run: Run) -> pl.DataFrame:
    """Harvests counted: arm, strategy, kind, cards, coins each, why, count."""
    rows = [row for number in range(len(run.arms)) for row in _harvest_rows(run, number)]
    keys = ["arm", "strategy", "kind", "cards", "coins", "why"]
    empty = dict.fromkeys(("arm", "strategy", "kind", "why"), pl.String)
    schema = {**empty, **dict.fromkeys(("cards", "coins", "count"), pl.Int64)}
    made = pl.DataFrame(rows, schema=schema)
    return made.select(*keys, "count").group_by(keys, maintain_order=True).agg(pl.col("count").sum())


def _harvest_rows(run: Run, number: int) -> Iterator[Row]:
    arm, tally = run.arms[number], run.tally(number)
    table = tally.arrays["harvests"]
    order = np.argwhere(table)
    # By kind first, so that tables and charts keep the order of the beanometer.
    for entry, kind, cards, why in order[np.argsort(order[:, 1], kind="stable")]:
        bean = arm.rules.kinds[kind]
        yield {
            "arm": arm.name,
            "strategy": tally.layout.labels[entry],
            "kind": bean.name,
            "cards": int(cards),
            "coins": bean.coins(int(cards)),
            "why": WHY[why],
            "count": int(table[entry, kind, cards, why]),
        }


def trades(run: Run) -> pl.DataFrame:
    """Deals counted, commonest first: arm, kind the active seat gave, kind it got (or `nothing`), count."""
    rows: list[Row] = []
    for arm, tally in zip(run.arms, run.tallies.arms, strict=True):
        names = (*tally.layout.kinds, "nothing")
        table = tally.arrays["trades"]
        for gave, got in np.argwhere(table):
            rows.append(
                {"arm": arm.name, "gave": names[gave], "got": names[got], "count": int(table[gave, got])}
            )
    schema = {"arm": pl.String, "gave": pl.String, "got": pl.String, "count": pl.Int64}
    return pl.DataFrame(rows, schema=schema).sort("count", descending=True, maintain_order=True)


def arm_differences(run: Run) -> pl.DataFrame:
    """Paired differences between arms on common deals: the later arm minus the earlier one.

    Of strategies, entries whose strategies differ, and seats that both have, and of the games.
    p values are adjusted by Holm over all rows of one metric.
    """
    rows: list[Row] = []
    for metric in COMPARED:
        groups: list[Group | None] = [*_common_groups(run)]
        found = [
            one for one in compare(run.tallies, metric, groups, arm_pairs(run)) if _says_something(run, one)
        ]
        rows += [_arm_row(run, one) for one in adjust(found)]
    for metric in COMPARED_GAMES:
        rows += [_arm_row(run, one) for one in compare(run.tallies, metric, [None], arm_pairs(run))]
    return frame(rows)


def arm_pairs(run: Run) -> list[tuple[int, int]]:
    """Pairs of arms that the report compares, as (later, earlier)."""
    pairs = cross_pairs(len(run.arms))
    if len(pairs) > MOST_PAIRS:
        pairs = tuple(pair for pair in pairs if pair[0] == 0)
    return [(right, left) for left, right in pairs]


def _common_groups(run: Run) -> Iterator[Group]:
    for label in run.strategies:
        yield strategy(label)
    most = max(tally.layout.players for tally in run.tallies.arms)
    layouts = {tally.layout.labels for tally in run.tallies.arms}
    if len(layouts) > 1:
        yield from (Group("entry", entry=entry) for entry in range(most))
    yield from (seat(number) for number in range(most))


def _says_something(run: Run, one: Comparison) -> bool:
    """Leave out what is even by definition: the win share of a strategy on all seats, no trades at all."""
    if one.metric.name == "trades" and one.estimate.method == "constant" and not one.estimate.mean:
        return False
    layouts = [run.tally(arm).layout for arm in (one.left, one.right) if isinstance(arm, int)]
    group = one.group
    if group and group.by == "strategy" and one.metric.name in ("win_share", "rank", "margin"):
        return any(len(layout.strategies) > 1 for layout in layouts)
    if group and group.by == "entry" and group.entry is not None:
        return layouts[0].labels[group.entry] != layouts[1].labels[group.entry]
    return True


def _arm_row(run: Run, one: Comparison) -> Row:
    assert isinstance(one.left, int)
    assert isinstance(one.right, int)
    row: Row = {
        "metric": one.metric.name,
        "of": describe(one.group),
        "arm": run.arms[one.left].name,
        "minus": run.arms[one.right].name,
    }
    row |= comparison_values(one)
    # A share of it means nothing where a margin lies on both sides of zero, or a rank counts from one.
    if one.metric.name in ("margin", "rank"):
        return row | {"relative": None}
    share = relative(run.tallies, one.left, one.right, one.metric.name, one.group)
    return row | {"relative": clean(share.mean)}


def strategy_differences(run: Run) -> pl.DataFrame:
    """Differences between strategies within the blocks of an arm; p values adjusted per arm and metric."""
    rows: list[Row] = []
    for name, tally in named(run):
        for metric in COMPARED:
            found = [
                _within(tally, find_metric(metric), left, right)
                for place, left in enumerate(tally.layout.strategies)
                for right in tally.layout.strategies[place + 1 :]
            ]
            rows += [_strategy_row(name, one) for one in adjust(found)]
    return frame(rows)


def _within(tally: Tally, metric: Metric, left: str, right: str) -> Comparison:
    value = difference(tally, metric.name, strategy(left), strategy(right))
    return Comparison(metric, strategy(left), strategy(right), None, value, p_value(value))


def _strategy_row(arm: str, one: Comparison) -> Row:
    assert isinstance(one.left, Group)
    assert isinstance(one.right, Group)
    row: Row = {"arm": arm, "metric": one.metric.name}
    row |= {"strategy": one.left.strategy, "minus": one.right.strategy}
    return row | comparison_values(one)


def comparison_values(one: Comparison) -> Row:
    """The columns that every table of differences has."""
    found = one.estimate
    return {
        **spread("difference", found),
        "error": clean(found.error),
        "plain_error": clean(found.plain_error),
        "gain": clean(found.gain),
        "p": clean(one.p),
        "p_holm": clean(one.adjusted),
        "blocks": found.blocks,
        "note": one.note,
    }


def head_to_head(run: Run) -> pl.DataFrame:
    """One row per arm and two of its strategies: how often the one ends with more coins than the other."""
    rows: list[Row] = []
    for name, tally in named(run):
        for one, other in permutations(tally.layout.strategies, 2):
            found = ahead(tally, one, other)
            row: Row = {"arm": name, "strategy": one, "opponent": other, "meetings": found.games}
            rows.append(row | spread("ahead", found) | {"note": found.note})
    return _typed(rows, ("arm", "strategy", "opponent", "note"), ("meetings",), _estimate("ahead"))


def partners(run: Run) -> pl.DataFrame:
    """One row per arm and two strategies, from the watched games: what the one gives the other in a game.

    `deals` are those that the giver closed with the receiver while it was the active seat.
    """
    rows: list[Row] = []
    for arm, watched in zip(run.arms, run.watched, strict=False):
        names, games = watched.layout.strategies, max(1, watched.games)
        for giver, receiver in product(range(len(names)), repeat=2):
            if giver == receiver and watched.layout.labels.count(names[giver]) == 1:
                continue
            counted = {key: int(watched.arrays[key][giver, receiver]) for key in ("deals", "cards", "gifts")}
            row: Row = {"arm": arm.name, "giver": names[giver], "receiver": names[receiver]}
            a_game = {f"{key}_a_game": number / games for key, number in counted.items()}
            rows.append(row | counted | a_game | {"games": watched.games})
    counts = ("deals", "cards", "gifts", "games")
    return _typed(
        rows, ("arm", "giver", "receiver"), counts, ("deals_a_game", "cards_a_game", "gifts_a_game")
    )


def kinds_traded(run: Run) -> pl.DataFrame:
    """One row per arm, strategy and kind, from the watched games: cards given and got by it."""
    rows: list[Row] = []
    for arm, watched in zip(run.arms, run.watched, strict=False):
        for place, label in enumerate(watched.layout.strategies):
            seats = max(1, watched.games * watched.layout.labels.count(label))
            for number, kind in enumerate(watched.layout.kinds):
                given, got = (int(watched.arrays[key][place, number]) for key in ("given", "got"))
                row: Row = {"arm": arm.name, "strategy": label, "kind": kind, "given": given, "got": got}
                row |= {"given_a_game": given / seats, "got_a_game": got / seats}
                rows.append(row | {"balance_a_game": (got - given) / seats, "games": watched.games})
    numbers = ("given_a_game", "got_a_game", "balance_a_game")
    return _typed(rows, ("arm", "strategy", "kind"), ("given", "got", "games"), numbers)


def coins_by_turn(run: Run) -> pl.DataFrame:
    """One row per arm, strategy and turn, from the watched games: coins of a seat at the end of that turn.

    A game that is over keeps what it has. Up to the turn that one in twenty of all games reaches.
    """
    rows: list[Row] = []
    for number, (arm, watched) in enumerate(zip(run.arms, run.watched, strict=False)):
        last = quantile(run.tally(number).arrays["turns"], 0.95) or 0
        for place, label in enumerate(watched.layout.strategies):
            seats = watched.layout.labels.count(label) * len(watched.layout.seatings)
            for turn in range(last + 1):
                found = _coins_at(watched, place, turn, seats)
                row: Row = {"arm": arm.name, "strategy": label, "turn": turn}
                rows.append(row | spread("coins", found) | {"blocks": watched.deals})
    return _typed(rows, ("arm", "strategy"), ("turn", "blocks"), _estimate("coins"))


def _coins_at(watched: Watched, place: int, turn: int, seats: int) -> Estimate:
    total, squares = (int(watched.arrays[key][place, turn]) for key in ("coins", "coin_squares"))
    sums = Sums(watched.deals, total, squares, seats)
    low, high, method = t_interval(sums)
    return Estimate(sums.mean, low, high, sums.error, math.nan, watched.deals, watched.games, method)


def _estimate(name: str) -> tuple[str, str, str]:
    return name, f"{name}_low", f"{name}_high"


def _typed(
    rows: list[Row], texts: Sequence[str], counts: Sequence[str], numbers: Sequence[str]
) -> pl.DataFrame:
    """Rows as a frame whose columns are the same whether it has rows or not."""
    kinds = {**dict.fromkeys(texts, pl.String), **dict.fromkeys(counts, pl.Int64)}
    types = {**kinds, **dict.fromkeys(numbers, pl.Float64)}
    order = list(rows[0]) if rows else list(types)
    return pl.DataFrame(rows, schema={name: types[name] for name in order})


def errors(run: Run) -> pl.DataFrame:
    """Games that ended with a strategy's error, by arm, strategy, hook number and status."""
    rows: list[Row] = []
    for name, tally in named(run):
        for (status, entry, hook), number in tally.errors.items():
            label = tally.layout.labels[entry] if entry >= 0 else None
            rows.append({"arm": name, "strategy": label, "status": status, "hook": hook, "games": number})
    schema = {
        "arm": pl.String,
        "strategy": pl.String,
        "status": pl.Int64,
        "hook": pl.Int64,
        "games": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema)


def expectations(run: Run) -> pl.DataFrame:
    """One row per line that the experiment expects and arm: how it turned out, and the interval behind it."""
    rows: list[Row] = []
    for one in judge_run(run):
        row: Row = {"expect": one.question.expectation.text, "arm": one.arm, "outcome": one.outcome}
        row |= {"metric": one.question.metric.name} | spread("found", one.estimate)
        rows.append(row | {"difference": one.estimate.difference, "note": one.estimate.note})
    text = dict.fromkeys(("expect", "arm", "outcome", "metric"), pl.String)
    numbers = dict.fromkeys(("found", "found_low", "found_high"), pl.Float64)
    return pl.DataFrame(rows, schema={**text, **numbers, "difference": pl.Boolean, "note": pl.String})


TABLES: dict[str, Callable[[Run], pl.DataFrame]] = {
    "summary": summary,
    "expectations": expectations,
    "seats": seats,
    "strategy_seats": strategy_seats,
    "behaviour": behaviour,
    "games": games,
    "run_outs": run_outs,
    "harvests": harvests,
    "harvest_sizes": harvest_sizes,
    "trades": trades,
    "head_to_head": head_to_head,
    "partners": partners,
    "kinds_traded": kinds_traded,
    "coins_by_turn": coins_by_turn,
    "arm_differences": arm_differences,
    "strategy_differences": strategy_differences,
    "errors": errors,
}
"""Every table of a report, by the name of its file."""


def all_tables(run: Run) -> dict[str, pl.DataFrame]:
    """Every table, by name."""
    return {name: make(run) for name, make in TABLES.items()}


def named(run: Run) -> Iterator[tuple[str, Tally]]:
    """Names of the arms with their tallies."""
    yield from zip((arm.name for arm in run.arms), run.tallies.arms, strict=True)


def describe(group: Group | None) -> str:
    """What a group is, in words: `trader`, `seat 0`, `entry 2`; the games where it is none."""
    if group is None:
        return "games"
    if group.by == "entry":
        return f"entry {group.entry}"
    place = f"seat {group.seat}" if group.seat is not None else ""
    return " in ".join(part for part in (group.strategy or "", place) if part)


def spread(name: str, found: Estimate) -> Row:
    """The three columns of an estimate."""
    return {name: clean(found.mean), f"{name}_low": clean(found.low), f"{name}_high": clean(found.high)}


def clean(value: float) -> float | None:
    """A number, or `None` where it does not exist."""
    return float(value) if math.isfinite(value) else None


def frame(rows: list[Row]) -> pl.DataFrame:
    """Rows as a frame; the type of a column does not depend on its first rows, nor on being empty."""
    made = pl.DataFrame(rows, infer_schema_length=None)
    return made.with_columns(pl.col(pl.Null).cast(pl.Float64))


def _seat_values(tally: Tally, group: Group, metrics: tuple[str, ...]) -> Row:
    found = {name: estimate(tally, name, group) for name in metrics}
    row: Row = {"games": found[metrics[0]].games, "blocks": tally.blocks}
    for name, one in found.items():
        assert name in SEAT
        row |= spread(name, one)
    first = found[metrics[0]]
    errors: Row = {"error": clean(first.error), "plain_error": clean(first.plain_error)}
    return row | errors | {"gain_of_blocks": clean(first.gain), "note": first.note}


def _seatings(tally: Tally) -> int:
    return len(tally.layout.seatings)
