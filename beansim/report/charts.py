"""The charts of a run: functions that take a run and return a matplotlib figure.

They are drawn without pyplot, so they work in threads and without a screen. `CHARTS` lists those of the
report, in its order, with what a reader who cannot see them is told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from beansim.analysis.convergence import FIRST_BLOCKS
from beansim.analysis.run import Run
from beansim.report import chart_texts as texts
from beansim.report.chart_beans import bean_values, field_sizes, harvest_map, trade_flow
from beansim.report.chart_games import coins, coins_by_seat, lengths, run_outs
from beansim.report.chart_meetings import coins_by_turn, head_to_head, partners
from beansim.report.chart_shares import convergence, seats, win_share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "CHARTS",
    "Chart",
    "bean_values",
    "coins",
    "coins_by_seat",
    "coins_by_turn",
    "convergence",
    "field_sizes",
    "harvest_map",
    "head_to_head",
    "lengths",
    "partners",
    "run_outs",
    "seats",
    "trade_flow",
    "win_share",
]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of the report.

    Attributes:
        name: of its files and of the function that draws it.
        section: section of the report that it stands in.
        title: what it is about.
        draw: makes the figure.
        alt: says in words what it shows.
        wanted: whether this run has anything to show in it.
    """

    name: str
    section: str
    title: str
    draw: Callable[[Run], Figure]
    alt: Callable[[Run], str]
    wanted: Callable[[Run], bool] = lambda run: True


def _settles(run: Run) -> bool:
    """Whether there are points between the first blocks and all of them."""
    single = run.folder is not None and (run.folder / "chunks" / "seats-00000.parquet").exists()
    return len(run.course) > 2 or (single and run.deals > 2 * FIRST_BLOCKS)


def _has_trades(run: Run) -> bool:
    return any(tally.arrays["trades"].any() for tally in run.tallies.arms)


def _has_harvests(run: Run) -> bool:
    return any(tally.arrays["harvests"].any() for tally in run.tallies.arms)


def _has_rivals(run: Run) -> bool:
    return any(len(tally.layout.strategies) > 1 for tally in run.tallies.arms)


def _has_partners(run: Run) -> bool:
    return any(watched.arrays["deals"].any() for watched in run.watched)


def _has_watched(run: Run) -> bool:
    return any(watched.deals for watched in run.watched)


CHARTS: tuple[Chart, ...] = (
    Chart("win_share", "strategies", "Win share by strategy", win_share, texts.win_share),
    Chart("coins", "strategies", "Coins by strategy", coins, texts.coins),
    Chart("head_to_head", "strategies", "Head to head", head_to_head, texts.head_to_head, _has_rivals),
    Chart(
        "convergence",
        "strategies",
        "How the win share settles",
        convergence,
        texts.convergence,
        _settles,
    ),
    Chart("seats", "seats", "Seat effect by arm", seats, texts.seats),
    Chart("coins_by_seat", "seats", "Coins by seat and strategy", coins_by_seat, texts.coins_by_seat),
    Chart("lengths", "games", "Length of games", lengths, texts.lengths),
    Chart(
        "coins_by_turn",
        "games",
        "Coins over the turns of a game",
        coins_by_turn,
        texts.coins_by_turn,
        _has_watched,
    ),
    Chart("run_outs", "games", "When the draw pile runs out", run_outs, texts.run_outs),
    Chart("bean_values", "beans", "What a kind of bean pays", bean_values, texts.bean_values, _has_harvests),
    Chart("harvest_map", "beans", "What is harvested", harvest_map, texts.harvest_map, _has_harvests),
    Chart(
        "field_sizes", "beans", "Size of a field at harvest", field_sizes, texts.field_sizes, _has_harvests
    ),
    Chart("trade_flow", "market", "Trade flow between kinds", trade_flow, texts.trade_flow, _has_trades),
    Chart("partners", "market", "Who trades with whom", partners, texts.partners, _has_partners),
)
"""The charts of the report, in its order."""
