"""The report of one strategy: results, how it plays, what it gives and gets, where its coins come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from beansim.analysis.run import Run
from beansim.errors import InputError, unknown
from beansim.report import tables
from beansim.report.document import Document, facts, reproduce
from beansim.report.findings import alerts
from beansim.report.names import in_sentence, plain
from beansim.report.numbers import number, percent
from beansim.report.tables import Row
from beansim.report.views import ARM, COINS, GAIN, NOTE, STRATEGY, VIEWS, WIN, Column, View

if TYPE_CHECKING:
    from beansim.report.html import Picture

CHARTS_SHOWN = ("coins", "coins_by_turn", "coins_by_seat", "field_sizes")
"""Charts of the run that stand in the report of each of its strategies: they show it among the others."""

SECTIONS = {
    "strategies": "Results",
    "seats": "Seats",
    "games": "Course of a game",
    "play": "How it plays",
    "beans": "Harvests",
    "market": "Market",
}
"""Sections of the report, in order."""


def find_strategy(run: Run, name: str) -> str:
    """The strategy of a run that `name` means: its label, or its name alone where only one has it."""
    if name in run.strategies:
        return name
    found = [label for label in run.strategies if label.partition(":")[0] == name]
    if len(found) > 1:
        listing = ", ".join(repr(label) for label in found)
        raise InputError(f"this run has several strategies {name!r}: write one of {listing}")
    if not found:
        raise unknown("strategy", name, run.strategies, "this run")
    return found[0]


def strategy_frames(run: Run, label: str) -> dict[str, pl.DataFrame]:
    """The tables of the report, by name."""
    mine = pl.col("strategy") == label
    return {
        "results": tables.summary(run).filter(mine).drop("strategy"),
        "opponents": tables.head_to_head(run).filter(mine).drop("strategy"),
        "seats": tables.strategy_seats(run).filter(mine).drop("strategy"),
        "behaviour": tables.behaviour(run).filter(mine).drop("strategy"),
        "turns": _turns(run, label),
        "harvests": _harvests(run, label, "kind"),
        "reasons": _harvests(run, label, "why"),
        "kinds_traded": tables.kinds_traded(run).filter(mine).drop("strategy"),
        "partners": tables.partners(run).filter((pl.col("giver") == label) | (pl.col("receiver") == label)),
    }


def _turns(run: Run, label: str) -> pl.DataFrame:
    """Own turns and second plantings, from the watched games."""
    rows: list[Row] = []
    for arm, watched in zip(run.arms, run.watched, strict=False):
        if label in watched.layout.strategies:
            place = watched.layout.strategies.index(label)
            turns, plants = (int(watched.arrays[key][place]) for key in ("own_turns", "second_plants"))
            seats = max(1, watched.games * watched.layout.labels.count(label))
            row: Row = {"arm": arm.name, "own_turns": turns, "own_turns_a_game": turns / seats}
            row |= {"second_plants": plants, "second_plants_a_turn": plants / max(1, turns)}
            rows.append(row | {"games": watched.games})
    types = {"own_turns": pl.Int64, "own_turns_a_game": pl.Float64, "second_plants": pl.Int64}
    return pl.DataFrame(
        rows, schema={"arm": pl.String, **types, "second_plants_a_turn": pl.Float64, "games": pl.Int64}
    )


def _harvests(run: Run, label: str, by: str) -> pl.DataFrame:
    """Harvests and coins of a strategy by kind or by reason."""
    sizes = tables.harvest_sizes(run).filter(pl.col("strategy") == label)
    seats = pl.DataFrame(
        {
            "arm": [arm.name for arm in run.arms],
            "seat_games": [_seat_games(run, number, label) for number in range(len(run.arms))],
        },
        schema={"arm": pl.String, "seat_games": pl.Int64},
    )
    grouped = sizes.group_by("arm", by, maintain_order=True).agg(
        pl.col("count").sum().alias("harvests"),
        (pl.col("cards") * pl.col("count")).sum().alias("cards"),
        (pl.col("coins") * pl.col("count")).sum().alias("coins"),
        pl.col("count").filter(pl.col("coins") == 0).sum().alias("zero_harvests"),
    )
    return grouped.join(seats, on="arm", maintain_order="left").with_columns(
        (pl.col("cards") / pl.col("harvests")).alias("cards_a_harvest"),
        (pl.col("coins") / pl.col("cards")).alias("coins_a_card"),
        (pl.col("zero_harvests") / pl.col("harvests")).alias("zero_share"),
        (pl.col("coins") / pl.col("coins").sum().over("arm")).alias("coins_share"),
        (pl.col("coins") / pl.col("seat_games")).alias("coins_a_game"),
        (pl.col("harvests") / pl.col("seat_games")).alias("harvests_a_game"),
    )


def _seat_games(run: Run, arm: int, label: str) -> int:
    """Games of a seat of the strategy that were played, those of excluded deals too, as in the harvests."""
    tally = run.tally(arm)
    return tally.games * tally.layout.labels.count(label)


def _columns(name: str) -> tuple[Column, ...]:
    """Columns of a view of the whole run, without the strategy, which is always the same here."""
    view = next(view for view in VIEWS if view.name == name)
    return tuple(column for column in view.columns if column is not STRATEGY)


_HARVEST_COLUMNS = (
    Column("harvests a game", "harvests_a_game", "number"),
    Column("cards a harvest", "cards_a_harvest", "number"),
    Column("coins a card", "coins_a_card", "number"),
    Column("worth nothing", "zero_share", "percent"),
    Column("coins a game", "coins_a_game", "number"),
    Column("share of its coins", "coins_share", "percent"),
)

_WATCHED = "Means of a game, from the watched games: the run's first deals, played again move by move."

STRATEGY_VIEWS: tuple[View, ...] = (
    View(
        "results",
        "strategies",
        "Results by arm",
        "Mean of a seat and game, with 95 % intervals on block values.",
        (
            ARM,
            Column("copies", "copies", "count"),
            Column("games", "games", "count"),
            WIN,
            COINS,
            Column("rank", "rank", "interval"),
            Column("margin", "margin", "interval"),
            GAIN,
            NOTE,
        ),
    ),
    View(
        "opponents",
        "strategies",
        "Against each opponent",
        "In how many of their meetings it ends with more coins; as many coins count half, so even is 50 %.",
        _columns("head_to_head"),
    ),
    View(
        "seats",
        "seats",
        "Results by seat",
        "Seat 0 is the start seat.",
        _columns("strategy_seats"),
    ),
    View(
        "behaviour",
        "play",
        "What it does in a game",
        next(view.caption for view in VIEWS if view.name == "behaviour"),
        _columns("behaviour"),
    ),
    View(
        "turns",
        "play",
        "Second cards planted",
        f"{_WATCHED} No intervals.",
        (
            ARM,
            Column("own turns a game", "own_turns_a_game", "number"),
            Column("turns with a second card", "second_plants_a_turn", "percent"),
            Column("watched games", "games", "count"),
        ),
    ),
    View(
        "harvests",
        "beans",
        "Coins by kind",
        "Counts over all games; no intervals.",
        (ARM, Column("kind", "kind"), *_HARVEST_COLUMNS),
    ),
    View(
        "reasons",
        "beans",
        "Coins by reason of the harvest",
        "Forced: to make room; early: of its own will; final: at the end of the game. No intervals.",
        (ARM, Column("reason", "why"), *_HARVEST_COLUMNS),
    ),
    View(
        "kinds_traded",
        "market",
        "What it gives and gets",
        f"{_WATCHED} Cards of each kind for a seat; no intervals.",
        (
            ARM,
            Column("kind", "kind"),
            Column("given", "given_a_game", "number"),
            Column("got", "got_a_game", "number"),
            Column("got less given", "balance_a_game", "number"),
            Column("watched games", "games", "count"),
        ),
    ),
    next(view for view in VIEWS if view.name == "partners"),
)
"""The tables of the report of a strategy, in its order."""


def of_strategy(
    run: Run, label: str, frames: Mapping[str, pl.DataFrame], pictures: Sequence[Picture] = ()
) -> Document:
    """The report of the strategy `label` of a run."""
    return Document(
        title=f"{label} in: {run.title}",
        question=f"How does {label} play, and what comes of it?",
        facts=facts(run),
        verdict=list(_verdict(run, label, frames)),
        alerts=alerts(run),
        sections=SECTIONS,
        views=STRATEGY_VIEWS,
        frames=frames,
        brief=[view.name for view in STRATEGY_VIEWS],
        pictures=pictures,
        command=str(run.info.get("command") or ""),
        reproduce=list(reproduce(run)),
    )


def _verdict(run: Run, label: str, frames: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    who = plain(label)
    for row in frames["results"].iter_rows(named=True):
        if row["win_share"] is None or row["win_share_low"] is None:
            continue
        arm = next(number for number, one in enumerate(run.arms) if one.name == row["arm"])
        reach = f"{number(100 * row['win_share_low'], 1)} to {number(100 * row['win_share_high'], 1)}"
        even = percent(1 / run.tally(arm).layout.players, 0)
        yield (
            f"In {in_sentence(row['arm'])}, {who} wins {percent(row['win_share'])} of its games "
            f"({reach}; even would be {even}) with {number(row['coins'], 1)} coins a game."
        )
        yield from _opponents(row["arm"], frames["opponents"])
        yield from _habits(row["arm"], frames)


def _opponents(arm: str, found: pl.DataFrame) -> Iterator[str]:
    """Whom it is ahead of, whom behind, where the intervals leave no doubt."""
    rows = found.filter((pl.col("arm") == arm) & pl.col("ahead_low").is_not_null())
    groups = (
        ("ahead of", rows.filter(pl.col("ahead_low") > 0.5).sort("ahead", descending=True)),
        ("behind", rows.filter(pl.col("ahead_high") < 0.5).sort("ahead")),
    )
    for word, part in groups:
        rivals = part.iter_rows(named=True)
        listed = [f"{plain(row['opponent'])} ({percent(row['ahead'], 0)})" for row in rivals]
        if listed:
            yield f"It is {word} {', '.join(listed)}, by the coins of all their meetings there."


def _habits(arm: str, frames: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    said = []
    for row in frames["turns"].filter(pl.col("arm") == arm).iter_rows(named=True):
        said.append(f"it plants a second card in {percent(row['second_plants_a_turn'], 0)} of its turns")
    for row in frames["behaviour"].filter(pl.col("arm") == arm).iter_rows(named=True):
        if row["offers_refused"] is not None and row["trades"] is not None:
            said.append(
                f"it closes {number(row['trades'], 1)} deals a game and refuses "
                f"{number(row['offers_refused'], 1)} offers"
            )
    best = frames["harvests"].filter(pl.col("arm") == arm).sort("coins", descending=True).head(1)
    for row in best.iter_rows(named=True):
        said.append(f"{row['kind']} brings {percent(row['coins_share'], 0)} of its coins")
    if said:
        yield f"There {', and '.join(filter(None, (', '.join(said[:-1]), said[-1])))}."
