"""Runs an experiment: plays what is missing, stores it chunk by chunk, and says how it ended."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from beansim.engine import Arm, is_compiled, warm
from beansim.experiment import ArmPlan, Experiment, check_same, describe, from_description
from beansim.simulate.chunks import Chunk, Filled, Pace, chunks_of
from beansim.simulate.errors import error_report
from beansim.simulate.fanout import play_chunks, play_in_order
from beansim.simulate.folder import FORMAT, RunFolder
from beansim.simulate.record import sample_records
from beansim.simulate.tallies import Tallies
from beansim.simulate.watching import watched_data
from beansim.simulate.work import Recipe, Work, layout_of

COMPILING = "compiling the engine and the strategies; this is kept, so that the next start is quick"
"""Said before a wait of some seconds, after an installation or an edit."""

LIBRARIES = ("numba", "numpy", "polars")

Note = Callable[[str], None]
Progress = Callable[[int, int], None]

Judge = Callable[[Tallies, float], str]
"""Says of the deals so far, in order, and the seconds played, why the run may stop here; "" to go on."""


@dataclass(frozen=True)
class Options:
    """How to run, none of which changes the results.

    Attributes:
        jobs: workers at a time; -1 for one on each core.
        command: the command that reproduces the run, for its report.
        replace: delete a run that lies in the folder already.
        batch_deals: deals in a batch; 0 to fit the batches to the speed.
        note: called with lines for people (what takes long, what went wrong).
        progress: called with (games done, games in all).
        judge: makes of an experiment what says when it may stop (`analysis.stopping.judge_of`); needed for
            an experiment with `[stop]`.
    """

    jobs: int = 1
    command: str = ""
    replace: bool = False
    batch_deals: int = 0
    note: Note = field(default=lambda text: None)
    progress: Progress = field(default=lambda done, total: None)
    judge: Callable[[Experiment], Judge | None] | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        folder: where its results are.
        games: games in the results; error games too.
        complete: whether every deal was played, or as many as `[stop]` asks for.
        errors: games that ended with an error; they count in no estimate.
        first_errors: the first of them, one line each.
        seconds: wall time of this call without compiling; 0 when nothing was left to play.
    """

    folder: Path
    games: int
    complete: bool
    errors: int
    first_errors: tuple[str, ...]
    seconds: float


def run(experiment: Experiment, out: Path, options: Options | None = None) -> Outcome:
    """Play `experiment` and store its results in the folder `out`.

    A folder that holds this very run, finished, is left as it is. On KeyboardInterrupt, and on any
    error, complete chunks stay, `run.json` says so, and `resume` goes on.

    Raises InputError before anything is played when the experiment cannot be built or the folder
    cannot be used.
    """
    options = options or Options()
    arms = experiment.build()
    judge = _judge_of(experiment, options)
    folder = RunFolder(out)
    description = describe(experiment, arms)
    if options.replace:
        folder.remove_run()
    elif _is_finished(folder, description):
        options.note(f"{out} already holds this run, complete; nothing to play")
        return _Run(experiment, arms, folder, options, judge).outcome()
    folder.create(description)
    return _play(experiment, arms, folder, options, judge)


def resume(out: Path, options: Options | None = None) -> Outcome:
    """Go on with the run in the folder `out`; damaged chunks are played again.

    Raises InputError when the folder holds no run, or when rules, strategies or the version of
    beansim are not what they were: its results would be of two kinds.
    """
    options = options or Options()
    folder = RunFolder(out)
    stored = folder.read_json("experiment.json")
    experiment = from_description(stored, str(out / "experiment.json"))
    arms = experiment.build()
    check_same(stored, describe(experiment, arms), str(out))
    return _play(experiment, arms, folder, options, _judge_of(experiment, options))


def _is_finished(folder: RunFolder, description: dict[str, Any]) -> bool:
    if not folder.holds_run() or folder.read_json("experiment.json") != description:
        return False
    return (folder.path / "run.json").exists() and bool(folder.read_json("run.json").get("complete"))


def _play(
    experiment: Experiment, arms: Sequence[Arm], folder: RunFolder, options: Options, judge: Judge | None
) -> Outcome:
    with folder.locked():
        return _Run(experiment, tuple(arms), folder, options, judge).play()


class _Run:
    """One call of `run` or `resume`: what is stored so far, and what is left."""

    def __init__(
        self,
        experiment: Experiment,
        arms: tuple[Arm, ...],
        folder: RunFolder,
        options: Options,
        judge: Judge | None,
    ) -> None:
        self.experiment = experiment
        self.folder = folder
        self.options = options
        self.work = Work(arms, experiment.seed, experiment.keep == "games")
        self.run_outs = max(arm.rules.run_outs for arm in arms)
        self.tallies = Tallies.empty([layout_of(arm) for arm in arms])
        self.judge = judge
        self.stopped = ""
        self.chunks = self._wanted(chunks_of(self.work, experiment.deals, self.judge is not None))
        self.wanted = self.chunks[-1].first + self.chunks[-1].deals
        self.missing: list[Chunk] = []
        self.ahead: dict[int, Tallies] = {}
        self._read_chunks()
        self.before = self.games

    def _wanted(self, chunks: list[Chunk]) -> list[Chunk]:
        """All chunks, or those of a run that has stopped: a damaged one does not make it go on."""
        if self.judge is None or not (self.folder.path / "run.json").exists():
            return chunks
        state = self.folder.read_json("run.json")
        self.stopped = str(state.get("stopped", ""))
        if not self.stopped:
            return chunks
        return [chunk for chunk in chunks if chunk.first + chunk.deals <= state["deals"]]

    def _read_chunks(self) -> None:
        """Find what is stored; where a judge must see the deals in order, chunks behind a gap wait."""
        for chunk in self.chunks:
            stored = self.folder.read_tallies(chunk)
            if stored is None:
                self.missing.append(chunk)
            elif self.judge and self.missing:
                self.ahead[chunk.number] = stored
            elif self._may_stop_after(stored):
                return

    def _may_stop_after(self, tallies: Tallies, seconds: float = 0.0) -> bool:
        """Count a chunk in, and ask the judge."""
        self.tallies += tallies
        if self.judge and not self.stopped:
            self.stopped = self.judge(self.tallies, seconds)
            self.wanted = self.deals if self.stopped else self.wanted
            return bool(self.stopped)
        return False

    def play(self) -> Outcome:
        """Play what is missing; whatever happens, `run.json` says what there is."""
        self._write_state()
        if not is_compiled(self.work.arms):
            self.options.note(COMPILING)
        warm(self.work.arms)
        self.folder.write_lines("sample.jsonl", sample_records(self.work.arms, self.experiment.seed))
        watched = watched_data(self.work.arms, self.experiment.seed, self.experiment.deals)
        self.folder.write_json("watched.json", watched)
        started = time.perf_counter()
        try:
            self._play_missing()
        finally:
            seconds = time.perf_counter() - started
            self._write_state()
            self._write_timing(seconds)
        return self.outcome(seconds)

    def _play_missing(self) -> None:
        started = time.perf_counter()
        done, each = self.games, self.work.games_per_deal
        total = self.experiment.deals * each
        self.options.progress(done, total)

        def played(deals: int) -> None:
            nonlocal done
            done += deals * each
            self.options.progress(done, total)

        pace = Pace(each, fixed=self.options.batch_deals)
        # Whoever may stop must see the chunks in order; else each is stored as soon as it is full.
        play = play_in_order if self.judge else play_chunks
        recipe = Recipe.of(self.experiment, self.work)
        with closing(play(self.work, recipe, self.missing, pace, self.options.jobs, played)) as chunks:
            for filled in chunks:
                self.folder.write_chunk(filled, self.run_outs)
                if self._may_stop_with(filled, started):
                    return

    def _may_stop_with(self, filled: Filled, started: float) -> bool:
        """Count a played chunk in, and those that had been stored behind it."""
        tallies, number = filled.tallies, filled.chunk.number
        while number + 1 in self.ahead:
            if self._may_stop_after(tallies):
                return True
            number += 1
            tallies = self.ahead.pop(number)
        return self._may_stop_after(tallies, time.perf_counter() - started)

    @property
    def games(self) -> int:
        """Games stored."""
        return sum(tally.games for tally in self.tallies.arms)

    @property
    def deals(self) -> int:
        """Deals stored; every arm has played them."""
        return self.tallies.cross.deals

    @property
    def complete(self) -> bool:
        """Whether all is stored that is wanted."""
        return self.deals == self.wanted

    def outcome(self, seconds: float = 0.0) -> Outcome:
        """How it stands now."""
        report = error_report(self.work.arms, self.tallies.arms, self.experiment.seed)
        lines = tuple(error["message"] for error in report["first"])
        return Outcome(self.folder.path, self.games, self.complete, report["games"], lines, seconds)

    def _write_state(self) -> None:
        """Write run.json and errors.json: facts that are the same for any number of jobs."""
        self.folder.write_json("run.json", self._state())
        report = error_report(self.work.arms, self.tallies.arms, self.experiment.seed)
        if report["games"]:
            self.folder.write_json("errors.json", report)

    def _state(self) -> dict[str, Any]:
        experiment = self.experiment
        return {
            "format": FORMAT,
            "name": experiment.name,
            "title": experiment.title,
            "question": experiment.question,
            "seed": experiment.seed,
            "deals": self.deals,
            "complete": self.complete,
            "stop": asdict(experiment.stop) if experiment.stop else None,
            "stopped": self.stopped if self.complete else "",
            "expect": [expectation.text for expectation in experiment.expect],
            "games": self.games,
            "versions": versions(),
            "command": self._command(),
            "keep": experiment.keep,
            "arms": [
                _arm_state(plan, arm, experiment.seatings)
                for plan, arm in zip(experiment.arms, self.work.arms, strict=True)
            ],
        }

    def _command(self) -> str:
        """The command that gives these results again: a resumed run keeps it."""
        command = self.options.command
        if not command and (self.folder.path / "run.json").exists():
            command = str(self.folder.read_json("run.json").get("command", ""))
        if self.stopped == "max_time":
            # Another machine would stop elsewhere.
            return re.sub(r"--deals \d+", f"--deals {self.deals}", command)
        return command

    def _write_timing(self, seconds: float) -> None:
        """Write timing.json: facts of this call, kept apart from what must not depend on them."""
        played = self.games - self.before
        started = datetime.now(UTC).timestamp() - seconds
        self.folder.write_json(
            "timing.json",
            {
                "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
                "seconds": round(seconds, 3),
                "games_per_second": round(played / seconds, 1) if seconds else None,
                "jobs": self.options.jobs,
            },
        )


def _judge_of(experiment: Experiment, options: Options) -> Judge | None:
    if experiment.stop is None:
        return None
    if options.judge is None:
        raise ValueError("an experiment with [stop] needs Options.judge")
    return options.judge(experiment)


def _arm_state(plan: ArmPlan, arm: Arm, seating_mode: str) -> dict[str, Any]:
    return {
        "name": arm.name,
        "variant": arm.rules.variant,
        "rules": arm.rules.to_dict(),
        "rules_digest": arm.rules.digest(),
        "players": list(plan.players),
        "lineup": [entrant.label for entrant in arm.lineup],
        "seatings": [list(seating) for seating in arm.seatings],
        "seating_mode": seating_mode,
    }


def versions() -> dict[str, str]:
    """Versions of everything that results depend on."""
    from beansim import __version__

    found = {"beansim": __version__, "python": platform.python_version()}
    return {**found, **{name: version(name) for name in LIBRARIES}}
