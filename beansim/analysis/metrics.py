"""What is measured: names, units, and effects said in words."""

from __future__ import annotations

from dataclasses import dataclass

from beansim.errors import unknown
from beansim.simulate.layout import WIN_UNITS


@dataclass(frozen=True, slots=True)
class Metric:
    """A quantity of a seat or of a game.

    Attributes:
        name: what tables and options call it.
        column: its name in the tallies.
        divisor: units of the column in one unit of the metric.
        title: for headings and axes.
        unit: the unit of a mean, for axes.
        effect: how a difference is said, with `{}` for the number.
        scale: factor between the mean and the number in `effect`.
        share: whether it lies between 0 and 1.
    """

    name: str
    column: str
    divisor: int
    title: str
    unit: str
    effect: str
    scale: float = 1.0
    share: bool = False

    def in_words(self, difference: float, digits: int = 1) -> str:
        """A difference as people say it: `1.2 wins in 100` (always positive; say the direction apart)."""
        return self.effect.format(f"{abs(difference) * self.scale:.{digits}f}")


def _seat(name: str, title: str, what: str, column: str = "", divisor: int = 1) -> Metric:
    return Metric(name, column or name, divisor, title, f"{what} a seat and game", f"{{}} {what} a game")


SEAT: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "win_share",
            "win_units",
            WIN_UNITS,
            "win share",
            "share of the games",
            "{} wins in 100",
            100.0,
            True,
        ),
        _seat("coins", "coins", "coins"),
        _seat("rank", "rank by coins", "places", "rank_halves", 2),
        _seat("margin", "margin to the best other seat", "coins"),
        _seat("hand_left", "cards left in hand", "cards"),
        _seat("harvests", "harvests", "harvests"),
        _seat("zero_harvests", "harvests worth nothing", "harvests"),
        _seat("trades", "deals closed as a party", "deals"),
        _seat("gifts_given", "gifts given", "gifts"),
        _seat("gifts_got", "gifts got", "gifts"),
        _seat("second_plants", "second cards planted", "cards"),
        _seat("offers_refused", "bids and proposals of others refused", "offers"),
        _seat("offers_in_vain", "own bids and proposals not taken", "offers"),
    )
}
"""Metrics of a seat, by name."""


def _game(name: str, title: str, what: str) -> Metric:
    return Metric(name, name, 1, title, f"{what} a game", f"{{}} {what} a game")


GAME: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _game("turns", "length of a game", "turns"),
        _game("deals", "deals closed", "deals"),
        _game("gifts", "gifts among the deals", "gifts"),
        _game("announcements", "announcements", "announcements"),
        _game("proposals", "proposals", "proposals"),
        _game("caps", "turns in which a market cap bit", "turns"),
        _game("run_outs", "run-outs", "run-outs"),
        _game("table_coins", "coins of all seats together", "coins"),
        _game("spread", "coins between the first and the last seat", "coins"),
    )
}
"""Metrics of a game, by name."""


def find_metric(name: str) -> Metric:
    """The metric called `name`; InputError with the nearest names otherwise."""
    known = {**SEAT, **GAME}
    if name.startswith("run_out_turn_"):
        return _game(name, f"turn of run-out {name.rpartition('_')[2]}", "turns")
    if name not in known:
        raise unknown("metric", name, known)
    return known[name]
