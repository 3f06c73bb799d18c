"""A tournament in tables and words: standings, who leads whom, cycles, how well the ratings explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from beansim.analysis.comparisons import Comparison
from beansim.analysis.ratings import Ratings, plackett_luce
from beansim.analysis.tournament import TournamentPlan, beats, coins, cycles, head_to_head, win_share
from beansim.report.markdown import lines_of, table_lines
from beansim.report.names import for_markdown, plain
from beansim.report.numbers import count, number, percent, plus_minus, signed
from beansim.report.tables import Row, clean, comparison_values, frame, spread
from beansim.report.views import Column, View
from beansim.simulate.contest import ContestTally
from beansim.simulate.layout import Group

STANDINGS = View(
    "standings",
    "standings",
    "Standings",
    "Ratings by the model of Plackett and Luce, around 0; 400 points more are ten times the chance of "
    "winning at the same table. All with 95 % intervals on block values.",
    (
        Column("", "place", "count"),
        Column("strategy", "strategy"),
        Column("rating", "rating", "interval"),
        Column("win share", "win_share", "share"),
        Column("coins", "coins", "interval"),
        Column("beats", "beats", "count"),
        Column("loses to", "loses_to", "count"),
        Column("note", "note"),
    ),
)

HEAD_TO_HEAD = View(
    "head_to_head",
    "head_to_head",
    "Head to head",
    "Win share a head of the one less that of the other, over all games in which both sit at the table; p "
    "values adjusted by Holm for all pairs.",
    (
        Column("strategy", "strategy"),
        Column("minus", "minus"),
        Column("lead", "difference", "change"),
        Column("in words", "difference", "effect"),
        Column("worth of blocks", "gain", "number"),
        Column("p (Holm)", "p_holm", "p"),
        Column("games", "games", "count"),
        Column("note", "note"),
    ),
)


@dataclass(frozen=True)
class Standing:
    """Everything that is told of a tournament.

    Attributes:
        plan, tally: what was asked and what came of it.
        ratings: of the strategies.
        meetings: every pair that met.
        cycles: who beats whom in a circle, by name.
        order: numbers of the strategies, best rating first.
    """

    plan: TournamentPlan
    tally: ContestTally
    ratings: Ratings
    meetings: list[Comparison]
    cycles: list[tuple[str, ...]]
    order: list[int]

    @classmethod
    def of(cls, plan: TournamentPlan, tally: ContestTally) -> Standing:
        """Rate and compare the strategies of a tournament."""
        ratings, meetings = plackett_luce(tally), head_to_head(tally)
        order = sorted(range(len(ratings.points)), key=lambda number: -ratings.points[number])
        return cls(plan, tally, ratings, meetings, cycles(tally, meetings), order)

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies, in the order of the tally."""
        return self.tally.lineups.strategies


def standings(standing: Standing) -> pl.DataFrame:
    """One row per strategy, best first."""
    sure = beats(standing.tally, standing.meetings)
    rows: list[Row] = []
    for place, strategy in enumerate(standing.order, start=1):
        low, high = standing.ratings.interval(strategy)
        share = win_share(standing.tally, strategy)
        row: Row = {"place": place, "strategy": standing.names[strategy]}
        row |= {"rating": float(standing.ratings.points[strategy]), "rating_low": clean(low)}
        row |= {"rating_high": clean(high)} | spread("win_share", share)
        row |= spread("coins", coins(standing.tally, strategy))
        row |= {"beats": int(sure[strategy].sum()), "loses_to": int(sure[:, strategy].sum())}
        rows.append(row | {"games": share.games, "note": _note(share.mean, share.note)})
    return frame(rows)


def _note(share: float, note: str) -> str:
    """A rating rests on wins: without any it is a guess of the model's guest alone."""
    return "; ".join(part for part in ("never won" if share == 0 else "", note) if part)


def head_to_head_table(standing: Standing) -> pl.DataFrame:
    """One row per pair that met: the lead of the one over the other."""
    rows: list[Row] = []
    for one in standing.meetings:
        assert isinstance(one.left, Group)
        assert isinstance(one.right, Group)
        row: Row = {"strategy": one.left.strategy, "minus": one.right.strategy, "metric": one.metric.name}
        rows.append(row | comparison_values(one) | {"games": one.estimate.games})
    return frame(rows)


def lineups(standing: Standing) -> pl.DataFrame:
    """One row per line-up and strategy in it: the win share of a head, as it was and by the model."""
    tally, ratings = standing.tally, standing.ratings
    rows: list[Row] = []
    for place, layout in enumerate(tally.lineups.layouts):
        for label in layout.strategies:
            strategy = standing.names.index(label)
            heads = int(tally.lineups.copies[place, strategy])
            row: Row = {"line_up": ", ".join(layout.labels), "strategy": label, "copies": heads}
            row |= {"games": tally.blocks * int(tally.lineups.games[place])}
            row |= {"win_share": float(ratings.observed[place, strategy]) / heads}
            rows.append(row | {"expected": float(ratings.expected[place, strategy]) / heads})
    return frame(rows)


def all_frames(standing: Standing) -> dict[str, pl.DataFrame]:
    """Every table of a tournament, by the name of its file."""
    return {
        "standings": standings(standing),
        "head_to_head": head_to_head_table(standing),
        "line_ups": lineups(standing),
    }


def sentences(standing: Standing) -> list[str]:
    """What a reader must know, most important first."""
    best, second = standing.order[:2]
    said = [_lead(standing, best, second)]
    said += [f"Cycle: {_circle(cycle)}." for cycle in standing.cycles]
    if not standing.cycles:
        said.append("No cycle is settled.")
    misfit, noise = (number(100 * value, 1) for value in (standing.ratings.misfit, standing.ratings.noise))
    said.append(
        f"The ratings miss the wins of a strategy in a line-up by {misfit} in 100 (root mean square; chance "
        f"alone makes {noise})."
    )
    return said


def _lead(standing: Standing, best: int, second: int) -> str:
    names = [plain(standing.names[number]) for number in (best, second)]
    found = (
        standing.meetings[_place(standing, best, second)].estimate if _met(standing, best, second) else None
    )
    if found is None:
        return f"{names[0]} is rated best, before {names[1]}, whom it never met."
    mean = found.mean if best < second else -found.mean
    amount = f"{plus_minus(100 * mean, 100 * found.half_width)} wins in 100 a head"
    if found.clear and mean > 0:
        return f"{names[0]} is rated best; where they meet, it leads {names[1]}, the next, by {amount}."
    if found.clear:
        return f"{names[0]} is rated best, though {names[1]}, the next, leads it by {amount} where they meet."
    return f"{names[0]} is rated best; its lead over {names[1]}, the next, is not settled ({amount})."


def _met(standing: Standing, one: int, other: int) -> bool:
    return bool(standing.tally.lineups.meetings[one, other])


def _place(standing: Standing, one: int, other: int) -> int:
    pair = tuple(standing.names[number] for number in sorted((one, other)))
    sides = [
        tuple(side.strategy for side in (found.left, found.right) if isinstance(side, Group))
        for found in standing.meetings
    ]
    return sides.index(pair)


def _circle(cycle: Sequence[str]) -> str:
    names = [plain(name) for name in cycle]
    return ", ".join(f"{one} beats {other}" for one, other in zip(names, [*names[1:], names[0]], strict=True))


def matrix(standing: Standing) -> list[list[str]]:
    """Leads in wins in 100 a head, rows over columns, best rating first; `*` where it is beyond doubt."""
    sure = beats(standing.tally, standing.meetings)
    head = ["lead over", *(f"({place})" for place in range(1, len(standing.order) + 1))]
    rows = [
        [
            f"({place}) {plain(standing.names[one])}",
            *(
                _cell(standing, one, other, bool(sure[one, other] or sure[other, one]))
                for other in standing.order
            ),
        ]
        for place, one in enumerate(standing.order, start=1)
    ]
    return [head, *rows]


def _cell(standing: Standing, one: int, other: int, sure: bool) -> str:
    if one == other or not _met(standing, one, other):
        return ""
    found = standing.meetings[_place(standing, one, other)].estimate
    mean = found.mean if one < other else -found.mean
    half = f" ± {number(100 * found.half_width, 1)}" if found.half_width > 0 else ""
    return f"{signed(100 * mean, 1)}{half}{'*' if sure else ''}"


def facts(standing: Standing) -> str:
    """What was played, in one line."""
    plan, tally = standing.plan, standing.tally
    left_out = f", {count(tally.excluded)} deals left out for errors" if tally.excluded else ""
    return (
        f"{plan.format}, {plain(plan.variant)}, {plan.players} players: {count(len(tally.lineups.layouts))} "
        f"line-ups, {count(tally.deals)} deals each, {count(tally.games)} games, seed {plan.seed}{left_out}; "
        f"an even share is {percent(1 / plan.players)}"
    )


def to_markdown(standing: Standing, command: str) -> str:
    """report.md of a tournament."""
    parts = ["# Tournament", "", for_markdown(facts(standing)), *lines_of(sentences(standing), "- ")]
    for view, made in ((STANDINGS, standings(standing)), (HEAD_TO_HEAD, head_to_head_table(standing))):
        parts += ["", f"## {view.title}", "", view.caption, "", *table_lines(view, made)]
    return "\n".join([*parts, "", "## Reproduce", "", "```", plain(command), "```", ""])


def tournament_data(standing: Standing, command: str) -> dict[str, Any]:
    """A tournament as plain data for JSON."""
    plan, tally = standing.plan, standing.tally
    return {
        "schema": 1,
        "format": plan.format,
        "variant": plan.variant,
        "players": plan.players,
        "seed": plan.seed,
        "deals": tally.deals,
        "excluded": tally.excluded,
        "games": tally.games,
        "command": command,
        "sentences": sentences(standing),
        "cycles": [list(cycle) for cycle in standing.cycles],
        "misfit": standing.ratings.misfit,
        "noise": standing.ratings.noise,
        "tables": {name: made.to_dicts() for name, made in all_frames(standing).items()},
    }
