"""Runs an experiment: plays what is missing, stores it chunk by chunk, and says how it ended."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from beansim.engine import Arm, LostGame, is_compiled, warm
from beansim.engine.status import LOST
from beansim.errors import InputError
from beansim.experiment import ArmPlan, Experiment, changes_since, describe, from_description
from beansim.simulate.chunks import Chunk, Filled, Pace, chunks_of
from beansim.simulate.errors import error_report
from beansim.simulate.fanout import Batch, Fanout, Lost, play_chunks, play_in_order
from beansim.simulate.folder import FORMAT, RunFolder
from beansim.simulate.recipe import Recipe
from beansim.simulate.tallies import Tallies
from beansim.simulate.watching import deals_watched, first_games
from beansim.simulate.work import Work, layout_of
from beansim.simulate.workers import Workers, crew_of

COMPILING = "compiling the engine and the strategies; this is kept, so that the next start is quick"
"""Said before a wait of some seconds, after an installation or an edit."""

LIBRARIES = ("numba", "numpy", "polars")

Progress = Callable[[int, int], None]

Judge = Callable[[Tallies, float], str]
"""Says of the deals so far, in order, and the seconds played, why the run may stop here; "" to go on."""


@dataclass(frozen=True)
class Options:
    """How to run, none of which changes the results.

    Attributes:
        workers: who plays.
        command: the command that reproduces the run, for its report.
        replace: delete a run that lies in the folder already.
        despite_changes: go on with a run although strategies' source or versions are not what they were.
        batch_deals: deals in a batch; 0 to fit the batches to the speed.
        progress: called with (games done, games in all).
        judge: makes of an experiment what says when it may stop (`analysis.stopping.judge_of`); needed for
            an experiment with `[stop]`.
    """

    workers: Workers = field(default_factory=Workers)
    command: str = ""
    replace: bool = False
    despite_changes: bool = False
    batch_deals: int = 0
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
    if not options.replace and _is_finished(folder, description):
        options.workers.note(f"{out} already holds this run, complete; nothing to play")
        return _Run(experiment, arms, folder, options, judge).outcome()
    _compile(arms, options.workers)
    with folder.locked():
        if options.replace:
            folder.remove_run()
        folder.create(description)
        return _Run(experiment, arms, folder, options, judge).play()


def resume(out: Path, options: Options | None = None) -> Outcome:
    """Go on with the run in the folder `out`; damaged chunks are played again.

    The rules are those stored with the run, whatever its experiment says by now.

    Raises InputError when the folder holds no run, when another process is at it, or when the strategies'
    source or the versions of beansim, Python and the libraries are not what they were: its results would
    be of two kinds (`Options.despite_changes` mixes them, and run.json says so).
    """
    options = options or Options()
    folder = RunFolder(out)
    folder.read_json("experiment.json")  # Where there is no run there shall be no lock either.
    with folder.locked():
        stored = folder.read_json("experiment.json")
        experiment = from_description(stored, str(out / "experiment.json"))
        arms = experiment.build()
        description = describe(experiment, arms)
        state = _read_state(folder)
        changes = [*changes_since(stored, description), *_other_versions(state)]
        if changes and not options.despite_changes:
            raise InputError(
                f"cannot go on with {out}: {'; '.join(changes)}; start again with another --out, "
                "or mix the results of both with --despite-changes"
            )
        _compile(arms, options.workers)
        run = _Run(experiment, arms, folder, options, _judge_of(experiment, options))
        if changes:
            run.mix(changes, description)
        return run.play()


def _compile(arms: Sequence[Arm], workers: Workers) -> None:
    """Before anything is written: a strategy that cannot be compiled leaves no run behind."""
    if not is_compiled(arms):
        workers.note(COMPILING)
    warm(arms)


def _read_state(folder: RunFolder) -> dict[str, Any]:
    """What run.json says; nothing where a run was killed before it was written."""
    if not (folder.path / "run.json").exists():
        return {}
    try:
        return folder.read_json("run.json")
    except InputError as error:
        raise InputError(
            f"{error}; delete it to go on: nothing but the command, the versions and the clock of [stop] "
            "would be lost"
        ) from error


def _other_versions(state: Mapping[str, Any]) -> list[str]:
    """Which versions are not those that the run was begun with; beansim's own stands in experiment.json."""
    was, now = state.get("versions") or {}, versions()
    return [
        f"begun with {name} {was[name]}, this is {now[name]}"
        for name in now
        if name != "beansim" and was.get(name, now[name]) != now[name]
    ]


def _is_finished(folder: RunFolder, description: dict[str, Any]) -> bool:
    if not folder.holds_run() or folder.read_json("experiment.json") != description:
        return False
    return (folder.path / "run.json").exists() and bool(folder.read_json("run.json").get("complete"))


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
        state = _read_state(folder)
        self.stopped = str(state.get("stopped", ""))
        self.command = options.command or str(state.get("command", ""))
        self.mixed: list[str] = list(state.get("mixed", []))
        self.played_before = folder.seconds_played()
        chunks = chunks_of(self.work, experiment.deals, self.judge is not None)
        if self.stopped:
            # A damaged chunk does not make a run go on that had stopped.
            wanted = int(state.get("wanted", state["deals"]))
            chunks = [chunk for chunk in chunks if chunk.first + chunk.deals <= wanted]
        self.chunks = chunks
        self.wanted = chunks[-1].first + chunks[-1].deals
        self.missing: list[Chunk] = []
        self.ahead: dict[int, Tallies] = {}
        self._read_chunks()
        self.before = self.games

    def _read_chunks(self) -> None:
        """Find what is stored; where a judge must see the deals in order, chunks behind a gap wait."""
        for chunk in self.chunks:
            stored = self.folder.read_tallies(chunk, self.work.digest)
            if stored is None:
                self.missing.append(chunk)
            elif self.judge and self.missing:
                self.ahead[chunk.number] = stored
            elif self._may_stop_after(stored):
                return

    def mix(self, changes: Sequence[str], description: Mapping[str, Any]) -> None:
        """Take it on record that what is played from now on is of another kind than what is stored."""
        self.mixed.append(f"after {self.deals} deals: {'; '.join(changes)}")
        self._write_state()
        self.folder.write_json("experiment.json", description)

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
        with crew_of(self.options.workers, self.work) as crew:
            recipe = Recipe.of(self.experiment, self.work)
            return self._play_with(Fanout(self.work, recipe, crew, self._lost()))

    def _lost(self) -> Lost:
        """The lost games of stored chunks: they are not to be tried again."""
        return Lost(
            {
                LostGame(number, deal, seating, status, seat, hook, turn)
                for number, tally in enumerate(self.tallies.arms)
                for deal, seating, status, seat, hook, _, turn in tally.examples
                if status in LOST
            }
        )

    def _play_with(self, fanout: Fanout) -> Outcome:
        self._play_first_games(fanout)
        started = time.perf_counter()
        try:
            self._play_missing(fanout, started)
        except BaseException:
            # On a full disk this fails too; then the state is that of the last chunk or of the beginning.
            with suppress(OSError):
                self._write_state()
                self._write_timing(time.perf_counter() - started)
            raise
        seconds = time.perf_counter() - started
        self._write_state()
        self._write_timing(seconds)
        return self.outcome(seconds)

    def _play_first_games(self, fanout: Fanout) -> None:
        """Write what is made of the first games, whose events are needed: sample.jsonl and watched.json."""
        deals = self.experiment.deals
        asked = Batch(0, 0, max(deals_watched(arm, deals) for arm in self.work.arms))
        for _, games in fanout.play(first_games, [asked]):
            self.folder.write_lines("sample.jsonl", games.sample)
            self.folder.write_json("watched.json", games.watched)

    def _play_missing(self, fanout: Fanout, started: float) -> None:
        done, each = self.games, self.work.games_per_deal
        total = self.experiment.deals * each
        self.options.progress(done, total)

        def played(deals: int) -> None:
            nonlocal done
            done += deals * each
            self.options.progress(done, total)

        pace = Pace(each, fanout.crew.batch_seconds, fixed=self.options.batch_deals)
        # Whoever may stop must see the chunks in order; else each is stored as soon as it is full.
        play = play_in_order if self.judge else play_chunks
        with closing(play(fanout, self.missing, pace, played)) as chunks:
            for filled in chunks:
                self.folder.write_chunk(filled, self.run_outs, self.work.digest)
                self._write_timing(time.perf_counter() - started)
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
        return self._may_stop_after(tallies, self.played_before + time.perf_counter() - started)

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
        """Write errors.json and run.json: facts that are the same for any number of jobs."""
        report = error_report(self.work.arms, self.tallies.arms, self.experiment.seed)
        if report["games"]:
            self.folder.write_json("errors.json", report)
        self.folder.write_json("run.json", self._state())

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
            "stopped": self.stopped,
            "wanted": self.wanted,
            "expect": [expectation.text for expectation in experiment.expect],
            "games": self.games,
            "versions": versions(),
            "mixed": self.mixed,
            "command": self._command(),
            "keep": experiment.keep,
            "arms": [
                _arm_state(plan, arm, experiment.seatings)
                for plan, arm in zip(experiment.arms, self.work.arms, strict=True)
            ],
        }

    def _command(self) -> str:
        """The command that gives these results again: a resumed run keeps it."""
        if self.stopped == "max_time":
            # Another machine would stop elsewhere.
            return re.sub(r"--deals \d+", f"--deals {self.wanted}", self.command)
        return self.command

    def _write_timing(self, seconds: float) -> None:
        """Write timing.json: facts of this call, kept apart from what must not depend on them.

        `seconds` counts the calls before it too: so much time `[stop]` has used up.
        """
        played = self.games - self.before
        started = datetime.now(UTC).timestamp() - seconds
        self.folder.write_json(
            "timing.json",
            {
                "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
                "seconds": round(self.played_before + seconds, 3),
                "games_per_second": round(played / seconds, 1) if seconds else None,
                "jobs": self.options.workers.jobs,
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
