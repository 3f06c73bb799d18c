"""What each chart shows, in words: its text for readers who cannot see it."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from beansim.analysis.estimates import estimate, seat, strategy
from beansim.analysis.run import Run
from beansim.report import tables
from beansim.report.names import plain
from beansim.report.numbers import count, number, percent

MOST = 8
"""Values that a text lists; readers find the rest in the tables."""


def win_share(run: Run) -> str:
    """Win shares, best first."""
    rows = tables.summary(run).sort("win_share", descending=True, nulls_last=True)
    said = (
        f"{plain(row['strategy'])} in {plain(row['arm'])} {percent(row['win_share'])}"
        for row in rows.iter_rows(named=True)
    )
    return _list("Forest plot of the win share of each strategy with 95 % intervals, highest first", said)


def coins(run: Run) -> str:
    """Mean coins by strategy."""
    said = (
        f"{plain(row['strategy'])} in {plain(row['arm'])} {number(row['coins'], 1)}"
        for row in tables.summary(run).iter_rows(named=True)
    )
    return _list("Distributions of the coins at the end by strategy; means", said)


def convergence(run: Run) -> str:
    """Where the estimates stand at the end."""
    said = (
        f"{plain(label)} in {plain(name)} {percent(estimate(tally, 'win_share', strategy(label)).mean)}"
        for name, tally in tables.named(run)
        for label in tally.layout.strategies
    )
    return _list(
        f"Lines of the win share over {count(run.deals)} deals, with intervals that narrow; it settles at",
        said,
    )


def seats(run: Run) -> str:
    """Win share of each seat."""
    said = (
        f"seat {place} in {plain(name)} {percent(estimate(tally, 'win_share', seat(place)).mean)}"
        for name, tally in tables.named(run)
        for place in range(tally.layout.players)
    )
    return _list("Points with 95 % intervals: what each seat wins over an even share; win shares", said)


def coins_by_seat(run: Run) -> str:
    """Mean coins of each seat."""
    said = (
        f"seat {row['seat']} in {plain(row['arm'])} {number(row['coins'], 1)}"
        for row in tables.seats(run).iter_rows(named=True)
    )
    return _list("Bars of the coins at the end by seat and strategy; means by seat", said)


def lengths(run: Run) -> str:
    """Mean length of games."""
    rows = tables.games(run).filter(pl.col("quantity") == "turns")
    said = (f"{plain(row['arm'])} {number(row['mean'], 1)}" for row in rows.iter_rows(named=True))
    return _list("Distributions of the turns in a game by arm; means", said)


def run_outs(run: Run) -> str:
    """Mean turn and phase split of the run-outs."""
    said = (
        f"run-out {row['run_out']} in {plain(row['arm'])} on turn {number(row['turn'], 1)}, "
        f"{percent(row['phase_2_share'], 0)} in phase 2"
        for row in tables.run_outs(run).iter_rows(named=True)
    )
    return _list("Bars of the turn of each run-out, split by phase; on average", said)


def bean_values(run: Run) -> str:
    """Coins a card of each kind, best first."""
    rows = tables.harvests(run).sort("coins_a_card", descending=True)
    said = (
        f"{row['kind']} in {plain(row['arm'])} {number(row['coins_a_card'])}"
        for row in rows.iter_rows(named=True)
    )
    return _list("Points: coins a card and coins a harvest by kind; coins a card, highest first", said)


def harvest_map(run: Run) -> str:
    """The usual harvest of each kind."""
    best = (
        tables.harvest_sizes(run)
        .group_by("arm", "kind", "cards", maintain_order=True)
        .agg(pl.col("count").sum())
        .sort("count", descending=True)
        .unique(["arm", "kind"], keep="first", maintain_order=True)
    )
    said = (
        f"{row['kind']} in {plain(row['arm'])} {row['cards']} cards" for row in best.iter_rows(named=True)
    )
    return _list("Heat map of harvests by kind and number of cards; most often", said)


def field_sizes(run: Run) -> str:
    """Mean cards at harvest by strategy."""
    rows = (
        tables.harvest_sizes(run)
        .group_by("arm", "strategy", maintain_order=True)
        .agg((pl.col("cards") * pl.col("count")).sum() / pl.col("count").sum())
    )
    said = (
        f"{plain(row['strategy'])} in {plain(row['arm'])} {number(row['cards'], 1)}"
        for row in rows.iter_rows(named=True)
    )
    return _list("Lines: share of harvests by number of cards; mean cards", said)


def trade_flow(run: Run) -> str:
    """The commonest exchanges."""
    rows = tables.trades(run).sort("count", descending=True)
    said = (
        f"{row['gave']} for {row['got']} in {plain(row['arm'])}"
        for row in rows.head(MOST).iter_rows(named=True)
    )
    return _list("Heat map of the kinds that change hands; most often the active seat gives", said)


def head_to_head(run: Run) -> str:
    """The clearest meetings."""
    rows = tables.head_to_head(run).sort("ahead", descending=True, nulls_last=True)
    said = (
        f"{plain(row['strategy'])} {percent(row['ahead'], 0)} of meetings with {plain(row['opponent'])} "
        f"in {plain(row['arm'])}"
        for row in rows.iter_rows(named=True)
    )
    return _list(
        "Matrix: how often the one strategy ends with more coins than the other; highest first", said
    )


def partners(run: Run) -> str:
    """Who gives most to whom."""
    rows = tables.partners(run).sort("cards_a_game", descending=True)
    said = (
        f"{plain(row['giver'])} to {plain(row['receiver'])} {number(row['cards_a_game'], 1)} "
        f"in {plain(row['arm'])}"
        for row in rows.iter_rows(named=True)
    )
    return _list("Matrix: cards that one strategy gives another in a game; most first", said)


def coins_by_turn(run: Run) -> str:
    """Coins half way and at the end."""
    found = tables.coins_by_turn(run)
    half = (pl.col("turn").max().over("arm") // 2) == pl.col("turn")
    said = (
        f"{plain(row['strategy'])} in {plain(row['arm'])} {number(row['coins'], 1)} after turn {row['turn']}"
        for row in found.filter(half).iter_rows(named=True)
    )
    return _list("Lines of the coins of a seat over the turns of a game, with 95 % bands; half way", said)


def _list(start: str, said: Iterator[str]) -> str:
    found = list(said)
    more = f", and {len(found) - MOST} more" if len(found) > MOST else ""
    return f"{start}: {', '.join(found[:MOST]) or 'nothing'}{more}."
