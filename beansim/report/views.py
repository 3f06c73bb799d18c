"""Tables as people read them: which columns of a frame are shown, under which heading, in which form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import polars as pl

from beansim.analysis.intervals import LEVEL
from beansim.analysis.metrics import find_metric
from beansim.report.names import plain
from beansim.report.numbers import NONE, count, interval, number, p_text, percent

Kind: TypeAlias = Literal[
    "text",
    "count",
    "number",
    "percent",
    "p",
    "interval",
    "share",
    "change",
    "effect",
    "error",
    "metric",
    "found",
    "level",
]


@dataclass(frozen=True, slots=True)
class Cell:
    """What is shown, and what a table is sorted by (a number, or the text itself)."""

    text: str
    order: float | str
    numeric: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A column as shown: `interval`, `share` and `change` also use `<key>_low` and `<key>_high`."""

    heading: str
    key: str
    kind: Kind = "text"

    def cell(self, row: Mapping[str, Any]) -> Cell:
        """The cell of a row of the frame."""
        value = row[self.key]
        if self.kind == "metric":
            return Cell(find_metric(value).title, find_metric(value).title, False)
        if self.kind == "text":
            return Cell(
                plain(str(value)) if value not in (None, "") else NONE, plain(str(value or "")), False
            )
        order = float("-inf") if value is None else float(value)
        return Cell(FORMS[self.kind](row, self.key), order, self.numeric)

    @property
    def numeric(self) -> bool:
        """Whether its cells are numbers, which stand to the right."""
        return self.kind not in ("text", "metric", "effect")


def _interval(row: Mapping[str, Any], key: str, *, share: bool = False, sign: bool = False) -> str:
    values = [row[name] for name in (key, f"{key}_low", f"{key}_high")]
    mean, low, high = (float("nan") if value is None else float(value) for value in values)
    return interval(mean, low, high, share=share, sign=sign)


def _change(row: Mapping[str, Any], key: str) -> str:
    """A difference in the unit of the row's metric."""
    return _interval(row, key, share=find_metric(row["metric"]).share, sign=True)


def _effect(row: Mapping[str, Any], key: str) -> str:
    """A difference in words, with its direction, or that it is not settled (by its interval or Holm)."""
    value, low, high = (row[name] for name in (key, f"{key}_low", f"{key}_high"))
    if value is None or low is None:
        return NONE
    if row["p_holm"] is not None and row["p_holm"] >= 1 - LEVEL:
        return "not settled"
    if low <= 0 <= high:
        return "not settled" if low < high else "none"
    return f"{find_metric(row['metric']).in_words(value)} {'more' if value > 0 else 'fewer'}"


def _found(row: Mapping[str, Any], key: str) -> str:
    """A mean or a difference in the unit of the row's metric."""
    return _interval(row, key, share=find_metric(row["metric"]).share, sign=row["difference"])


def _level(row: Mapping[str, Any], key: str) -> str:
    """A mean in the unit of the row's metric."""
    return _interval(row, key, share=find_metric(row["metric"]).share)


FORMS: dict[str, Callable[[Mapping[str, Any], str], str]] = {
    "count": lambda row, key: count(row[key]),
    "number": lambda row, key: number(row[key], 2),
    "percent": lambda row, key: percent(row[key], 1),
    "p": lambda row, key: p_text(row[key]),
    "interval": _interval,
    "share": lambda row, key: _interval(row, key, share=True),
    "change": _change,
    "effect": _effect,
    "found": _found,
    "level": _level,
    "error": lambda row, key: NONE if row[key] is None else f"{row[key]:.2g}",
}


@dataclass(frozen=True, slots=True)
class View:
    """How a table is shown.

    Attributes:
        name: of the table in `tables.TABLES`.
        section: section of the report it stands in.
        title: heading.
        caption: what a reader must know to read it.
        columns: in order.
        most: rows shown; the files hold them all.
    """

    name: str
    section: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    most: int = 200

    def rows(self, frame: pl.DataFrame) -> list[list[Cell]]:
        """The cells of the rows shown."""
        return [
            [column.cell(row) for column in self.columns]
            for row in frame.head(self.most).iter_rows(named=True)
        ]


ARM = Column("arm", "arm")
STRATEGY = Column("strategy", "strategy")
NOTE = Column("note", "note")
WIN = Column("win share", "win_share", "share")
COINS = Column("coins", "coins", "interval")
GAIN = Column("worth of blocks", "gain_of_blocks", "number")
ERRORS = (
    Column("standard error", "error", "error"),
    Column("if games were independent", "plain_error", "error"),
)
DIFFERENCES = (
    Column("difference", "difference", "change"),
    Column("in words", "difference", "effect"),
    *ERRORS,
    Column("worth of blocks", "gain", "number"),
    Column("p (Holm)", "p_holm", "p"),
    NOTE,
)

EXPECTATIONS = View(
    "expectations",
    "expectations",
    "What was expected",
    "A line holds when its whole 95 % interval lies where the line says, and fails when all of it lies "
    "elsewhere.",
    (
        Column("expected", "expect"),
        ARM,
        Column("outcome", "outcome"),
        Column("found", "found", "found"),
        NOTE,
    ),
)

VIEWS: tuple[View, ...] = (
    EXPECTATIONS,
    View(
        "summary",
        "strategies",
        "Strategies",
        "Mean of a seat and game, with 95 % intervals on block values. Of the win share: its standard error, "
        "what it would be if games were independent, and what blocks are worth: as good as this many times "
        "as many independent games.",
        (
            ARM,
            STRATEGY,
            Column("copies", "copies", "count"),
            Column("games", "games", "count"),
            WIN,
            COINS,
            Column("rank", "rank", "interval"),
            Column("margin", "margin", "interval"),
            *ERRORS,
            GAIN,
            NOTE,
        ),
    ),
    View(
        "strategy_differences",
        "strategies",
        "Differences between strategies",
        "Within the same blocks; p values adjusted by Holm for all rows of one arm and metric.",
        (ARM, Column("metric", "metric", "metric"), STRATEGY, Column("minus", "minus"), *DIFFERENCES),
    ),
    View(
        "head_to_head",
        "strategies",
        "Head to head",
        "In how many of their meetings (a game and a seat of each) the one ends with more coins than the "
        "other; as many coins count half, so even is 50 %.",
        (
            ARM,
            STRATEGY,
            Column("against", "opponent"),
            Column("ahead", "ahead", "share"),
            Column("meetings", "meetings", "count"),
            NOTE,
        ),
    ),
    View(
        "bootstrap",
        "strategies",
        "Bootstrap intervals",
        "Bias-corrected and accelerated (BCa) intervals on block values, beside the usual ones.",
        (
            ARM,
            Column("minus", "minus"),
            STRATEGY,
            Column("metric", "metric", "metric"),
            Column("usual interval", "found", "found"),
            Column("bootstrap", "bca", "found"),
            Column("blocks", "blocks", "count"),
            NOTE,
        ),
    ),
    View(
        "behaviour",
        "strategies",
        "How the strategies play",
        "Means of a seat and game, with 95 % intervals on block values. Offers are bids and proposals to the "
        "active seat: refused when it takes none of them or another one; in vain also where it has not what "
        "they wish for.",
        (
            ARM,
            STRATEGY,
            Column("harvests", "harvests", "interval"),
            Column("worth nothing", "zero_harvests", "interval"),
            Column("deals", "trades", "interval"),
            Column("gifts given", "gifts_given", "interval"),
            Column("gifts got", "gifts_got", "interval"),
            Column("offers of others refused", "offers_refused", "interval"),
            Column("own offers in vain", "offers_in_vain", "interval"),
            Column("second cards planted", "second_plants", "interval"),
            Column("cards left", "hand_left", "interval"),
        ),
    ),
    View(
        "arm_differences",
        "arms",
        "Differences between arms",
        "Paired over the deals that all arms played; p values adjusted by Holm for all rows of one metric.",
        (
            Column("metric", "metric", "metric"),
            Column("of", "of"),
            ARM,
            Column("minus", "minus"),
            *DIFFERENCES[:2],
            Column("relative", "relative", "percent"),
            *DIFFERENCES[2:],
        ),
    ),
    View(
        "seats",
        "seats",
        "Seats",
        "Seat 0 is the start seat, the others follow clockwise. Gain: win share less an even share.",
        (
            ARM,
            Column("seat", "seat", "count"),
            WIN,
            Column("gain", "gain", "percent"),
            COINS,
            GAIN,
            NOTE,
        ),
    ),
    View(
        "strategy_seats",
        "seats",
        "Strategies by seat",
        "Seat 0 is the start seat.",
        (ARM, STRATEGY, Column("seat", "seat", "count"), Column("games", "games", "count"), WIN, COINS, NOTE),
    ),
    View(
        "games",
        "games",
        "Games",
        "Ratios are those of the sums over all games. 95 % intervals on block values.",
        (
            ARM,
            Column("quantity", "words"),
            Column("mean", "mean", "interval"),
            Column("games", "games", "count"),
            NOTE,
        ),
    ),
    View(
        "run_outs",
        "games",
        "Run-outs of the draw pile",
        "Mean turn over the games in which it came, with a 95 % interval; then the turns that 5, 50 and "
        "95 % of the games do not exceed.",
        (
            ARM,
            Column("run-out", "run_out", "count"),
            Column("came in games", "share_of_games", "percent"),
            Column("mean turn", "turn", "interval"),
            Column("5 %", "turn_5", "count"),
            Column("median", "turn_50", "count"),
            Column("95 %", "turn_95", "count"),
            Column("in phase 2", "phase_2_share", "percent"),
            Column("phase 2, games", "phase_2", "count"),
            Column("phase 4, games", "phase_4", "count"),
        ),
    ),
    View(
        "harvests",
        "beans",
        "Harvests by kind",
        "Counts over all games; no intervals.",
        (
            ARM,
            Column("kind", "kind"),
            Column("harvests", "harvests", "count"),
            Column("cards a harvest", "cards_a_harvest", "number"),
            Column("coins a harvest", "coins_a_harvest", "number"),
            Column("coins a card", "coins_a_card", "number"),
            Column("worth nothing", "zero_share", "percent"),
            Column("coins", "coins", "count"),
        ),
    ),
    View(
        "trades",
        "market",
        "Kinds that change hands",
        "Deals in which a card of the one kind went against a card of the other, commonest first; "
        "nothing: a gift.",
        (
            ARM,
            Column("given by the active seat", "gave"),
            Column("got by the active seat", "got"),
            Column("deals", "count", "count"),
        ),
        30,
    ),
    View(
        "partners",
        "market",
        "Who trades with whom",
        "Means of a game, from the watched games: the run's first deals, played again move by move. Deals: "
        "closed by the giver as the active seat with the receiver.",
        (
            ARM,
            Column("giver", "giver"),
            Column("receiver", "receiver"),
            Column("deals", "deals_a_game", "number"),
            Column("cards given", "cards_a_game", "number"),
            Column("gifts", "gifts_a_game", "number"),
            Column("watched games", "games", "count"),
        ),
    ),
    View(
        "errors",
        "errors",
        "Games that ended with an error",
        "They count in no estimate, and neither does any other game of their deal.",
        (
            ARM,
            STRATEGY,
            Column("status", "status", "count"),
            Column("hook number", "hook", "count"),
            Column("games", "games", "count"),
        ),
    ),
)
"""The tables of the report, in its order. `bootstrap` is there if asked for; `harvest_sizes`, `kinds_traded`
and `coins_by_turn` are in the files only."""


def is_shown(view: View, frames: Mapping[str, pl.DataFrame]) -> bool:
    """Whether there is anything to show: a table with rows."""
    return view.name in frames and not frames[view.name].is_empty()
