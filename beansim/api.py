"""beansim from Python: the same as the command line, with tables as polars frames.

result = beansim.simulate("experiments/two-pass.toml", deals=2000)
result.summary()
result.plot.win_share().savefig("win_share.png")
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from beansim.analysis.expectations import check_expectations
from beansim.analysis.frames import block_frame, collected, scan
from beansim.analysis.match import MatchPlan, MatchState, play_match, same_strategy
from beansim.analysis.run import Run
from beansim.analysis.sequential import SequentialTest
from beansim.analysis.stopping import judge_of
from beansim.analysis.tournament import TournamentPlan, play_tournament
from beansim.errors import InputError, StrategyError
from beansim.experiment import (
    Changes,
    Experiment,
    experiment_of,
    find_experiment,
    read_experiment,
    split_players,
)
from beansim.simulate.looks import Ways
from beansim.simulate.run import Options, Outcome, run
from beansim.simulate.workers import TIME_LIMIT, Workers

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

DEFAULT_DEALS = 1000
WHY = ("forced", "early", "final")
"""Why a field is harvested, in the order of `Batch.harvests`."""


class Result:
    """The results of a run, read when they are asked for.

    Attributes:
        folder: where the results lie; a temporary folder that goes with this object unless `out`
            was given.
        run: the run as the analysis reads it.
    """

    def __init__(self, folder: Path, keep_alive: object = None) -> None:
        self.folder = folder
        self._keep_alive = keep_alive
        self.run = Run.read(folder)

    @cached_property
    def games(self) -> pl.DataFrame:
        """One row per game (docs/architecture.md); InputError when the run kept tallies alone."""
        return collected(scan(self.run, "games"))

    @cached_property
    def seats(self) -> pl.DataFrame:
        """One row per game and seat, with the `strategy` that sits there."""
        rows = [
            (number, entry, label)
            for number, arm in enumerate(self.run.arms)
            for entry, label in enumerate(arm.lineup)
        ]
        schema = {"arm": pl.Int32, "entry": pl.Int8, "strategy": pl.String}
        labels = pl.LazyFrame(rows, schema=schema, orient="row")
        keys = ["arm", "entry"]
        rows_of_seats = scan(self.run, "seats")
        return collected(rows_of_seats.join(labels, on=keys, how="left", maintain_order="left"))

    @cached_property
    def blocks(self) -> pl.DataFrame:
        """Sums per block and strategy: the unit of every interval and test."""
        return block_frame(self.run)

    @cached_property
    def harvests(self) -> pl.DataFrame:
        """Harvests counted: arm, strategy, kind, cards, coins each, why -> count."""
        return pl.concat(_harvests(self.run, number) for number in range(len(self.run.arms)))

    @cached_property
    def trades(self) -> pl.DataFrame:
        """Deals counted: arm, kind the active seat gave, kind it got ("nothing" for gifts) -> count."""
        return pl.concat(_trades(self.run, number) for number in range(len(self.run.arms)))

    def summary(self) -> pl.DataFrame:
        """Win share and mean coins of each arm and strategy with 95 % intervals on block values."""
        from beansim.report import summary_frame

        return summary_frame(self.run)

    def expectations(self) -> pl.DataFrame:
        """How each line that the experiment expects turned out: holds, fails or undecided."""
        from beansim.report.tables import expectations

        return expectations(self.run)

    def to_pandas(self, table: str = "seats") -> pd.DataFrame:
        """The table `games`, `seats`, `blocks`, `harvests` or `trades` as a pandas frame."""
        frame = getattr(self, table)
        assert isinstance(frame, pl.DataFrame)
        return frame.to_pandas()

    @property
    def plot(self) -> Plots:
        """The charts of the report, as matplotlib figures."""
        return Plots(self.run)


class Plots:
    """Charts of a run by name: `plot.win_share()` is a matplotlib figure."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __dir__(self) -> list[str]:
        from beansim.report.charts import CHARTS

        return [chart.name for chart in CHARTS]

    def __getattr__(self, name: str) -> Callable[[], Figure]:
        from beansim.report.charts import CHARTS

        for chart in CHARTS:
            if chart.name == name:
                return partial(chart.draw, self._run)
        raise AttributeError(f"no chart {name!r}, there are {', '.join(dir(self))}")


def simulate(
    experiment: str | os.PathLike[str] | Experiment | None = None,
    *,
    variant: str | None = None,
    players: Sequence[str] | str | None = None,
    deals: int | None = None,
    seed: int | None = None,
    seatings: str | None = None,
    keep: str | None = None,
    jobs: int = 1,
    backend: str = "",
    scheduler: str = "",
    time_limit: float = TIME_LIMIT,
    out: str | os.PathLike[str] | None = None,
) -> Result:
    """Play an experiment, or one line-up, and return its results.

    Args:
        experiment: a file, the name of an experiment, or one made in Python; None to play `players`.
        variant: rule set, a name or FILE.toml:NAME ("base" without an experiment); for every arm.
        players: one strategy for each seat, a list or "a,b,c"; for every arm.
        deals: deals that each arm plays, once for every seating (1000 without an experiment).
        seed: 0 to 2^63-1; fixes all luck (1 without an experiment).
        seatings: "rotate", "permute" or "fixed".
        keep: "games", or "summary" for tallies alone.
        jobs: workers at a time; results do not depend on it. One plays in this process, unless a backend is
            named.
        backend: what the workers are: "threads", "processes", "dask" or "ray"; threads by default where every
            strategy comes with beansim, else processes.
        scheduler: address of the cluster.
        time_limit: seconds that a batch may take in a process; 0 for any time.
        out: folder to keep the results in; a temporary one by default.

    Raises:
        InputError: something given cannot be accepted.
        StrategyError: a strategy cannot be compiled, or every single game ended with its error.
    """
    if experiment is None and not players:
        raise InputError('nothing to play: name an experiment, as in simulate("two-pass"), or give players')
    if variant is not None:
        _check_text("variant", variant)
    line_up = _line_up(players)
    changes = Changes(variant=variant, players=line_up, deals=deals, seed=seed, seatings=seatings, keep=keep)
    plan = _plan(experiment, changes).changed(changes)
    holder = None if out is not None else tempfile.TemporaryDirectory(prefix="beansim-")
    folder = Path(holder.name) / "run" if holder else Path(out or "")
    check_expectations(plan)
    workers = _workers(jobs, backend, scheduler, time_limit)
    outcome = run(plan, folder, Options(workers, command=_call(plan), judge=judge_of))
    _check_some_games(outcome)
    return Result(folder, holder)


def _line_up(players: Sequence[str] | str | None) -> tuple[str, ...] | None:
    if players is None or isinstance(players, str):
        return split_players(players) if players else None
    return _texts("players", players) or None


def _texts(what: str, values: Sequence[str]) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{what} is {values!r:.60}, expected a list of texts")
    return tuple(_check_text(f"one of {what}", value) for value in values)


def _check_text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} is {value!r:.60}, expected a text")
    return value


def match(
    left: str,
    right: str,
    *,
    variant: str = "base",
    players: int = 4,
    margin: float = 0.01,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_deals: int = 100_000,
    seed: int = 1,
    jobs: int = 1,
) -> MatchState:
    """Play `left` against `right` until it is clear whether `left` is better (docs/statistics.md).

    Args:
        left, right: two different strategies, each as in a line-up.
        variant: rule set.
        players: seats at the table.
        margin: smallest difference in win share that matters.
        alpha, beta: probabilities of a wrong "better" and a wrong "not better".
        max_deals: give up undecided after so many deals.
        seed: fixes all luck.
        jobs: workers at a time; results do not depend on it.

    Returns:
        The last state: `.answer` ("better", "not better", "undecided"), `.sums.mean`, `.interval`.
    """
    for what, text in (("left", left), ("right", right), ("variant", variant)):
        _check_text(what, text)
    for what, number in (("margin", margin), ("alpha", alpha), ("beta", beta)):
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise InputError(f"{what} is {number!r:.60}, expected a number")
    plan = MatchPlan(
        left=left,
        right=right,
        variant=variant,
        players=players,
        test=SequentialTest(margin, alpha, beta),
        max_deals=max_deals,
        seed=seed,
    )
    if same_strategy(plan):
        raise InputError(f"{left} and {right} are one strategy: every deal is exactly even by symmetry")
    *_, last = play_match(plan, Ways(_workers(jobs)))
    return last


def tournament(strategies: Sequence[str], *, jobs: int = 1, **settings: Any) -> dict[str, pl.DataFrame]:
    """Let strategies meet at tables of all mixtures and rate them.

    Args:
        strategies: at least two, each as in a line-up.
        jobs: workers at a time; results do not depend on it.
        settings: `format`, `copies`, `variant`, `players`, `seatings`, `deals`, `seed` as in
            `beansim.analysis.tournament.TournamentPlan`.

    Returns:
        The tables `standings`, `head_to_head` and `line_ups`.
    """
    from beansim.report.tournament import Standing, all_frames

    plan = TournamentPlan(strategies=_texts("strategies", strategies), **settings)
    *_, last = play_tournament(plan, Ways(_workers(jobs)))
    return all_frames(Standing.of(plan, last))


def open_run(folder: str | os.PathLike[str]) -> Result:
    """The results of a run that lies in `folder`; InputError when it is no run folder."""
    return Result(Path(_path("folder", folder)))


def _path(what: str, value: str | os.PathLike[str]) -> str:
    try:
        return os.fspath(value)
    except TypeError:
        raise InputError(f"{what} is {value!r:.60}, expected a path") from None


def _plan(experiment: str | os.PathLike[str] | Experiment | None, changes: Changes) -> Experiment:
    if isinstance(experiment, Experiment):
        return experiment
    if experiment is not None:
        return read_experiment(find_experiment(_path("experiment", experiment)))
    return experiment_of(
        "simulate",
        [changes.variant or "base"],
        [changes.players or ()],
        title="Simulation",
        deals=DEFAULT_DEALS,
    )


def _workers(jobs: int, backend: str = "", scheduler: str = "", time_limit: float = TIME_LIMIT) -> Workers:
    """Who plays; one job alone is this very process, where a hook can be debugged."""
    return Workers(jobs, backend or ("threads" if jobs == 1 else ""), scheduler, time_limit)


def _call(plan: Experiment) -> str:
    """How the report says that the run was made."""
    return f"beansim.simulate({plan.where!r}, deals={plan.deals}, seed={plan.seed})"


def _check_some_games(outcome: Outcome) -> None:
    if outcome.errors == outcome.games:
        raise StrategyError(f"every game ended with a strategy's error: {outcome.first_errors[0]}")


HARVESTS = pl.Schema(
    {
        "arm": pl.Int32,
        "strategy": pl.String,
        "kind": pl.String,
        "cards": pl.Int64,
        "coins": pl.Int64,
        "why": pl.String,
        "count": pl.Int64,
    }
)
TRADES = pl.Schema({"arm": pl.Int32, "gave": pl.String, "got": pl.String, "count": pl.Int64})


def _harvests(run: Run, number: int) -> pl.DataFrame:
    tally, kinds = run.tally(number), run.arms[number].rules.kinds
    rows = [
        (
            number,
            tally.layout.labels[entry],
            kinds[kind].name,
            cards,
            kinds[kind].coins(cards),
            WHY[why],
            count,
        )
        for (entry, kind, cards, why), count in _counted(tally.arrays["harvests"])
    ]
    frame = pl.DataFrame(rows, schema=HARVESTS, orient="row")
    # Copies of a strategy are entries of their own in the tally.
    keys = [name for name in HARVESTS if name != "count"]
    return frame.group_by(keys, maintain_order=True).agg(pl.col("count").sum())


def _trades(run: Run, number: int) -> pl.DataFrame:
    tally = run.tally(number)
    kinds = (*tally.layout.kinds, "nothing")
    counted = _counted(tally.arrays["trades"])
    rows = [(number, kinds[gave], kinds[got], count) for (gave, got), count in counted]
    return pl.DataFrame(rows, schema=TRADES, orient="row")


def _counted(table: np.ndarray[Any, Any]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The places of a table that are not zero, with their counts."""
    for place in np.argwhere(table):
        yield tuple(map(int, place)), int(table[tuple(place)])
