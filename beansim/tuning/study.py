"""One tuning: trials kept on disk, resumed where they stopped, and a winner validated on fresh deals."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from beansim.errors import InputError
from beansim.tuning.objective import Blocks, Estimate, Objective, concatenated
from beansim.tuning.search import distributions, hopeless, proposer, rungs
from beansim.tuning.space import Space, Values

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

FRESH = 2**32
"""First deal of the finals; the trials play the deals from 0 on."""

VALIDATION = 2**33
"""First deal of the validation, which nothing was chosen by."""

FINALISTS = 5
"""Best trials that meet again on fresh deals: the best of many is partly luck."""

BASELINE = "random"

Note = Callable[[str], None]


MAX_LOG_BYTES = 500_000_000
"""Largest log of trials that is read."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How long and how a search goes.

    Attributes:
        method: one of `search.METHODS`.
        trials: trials in all, those of an earlier call included; 0 for no limit.
        seconds: wall time of the search; 0 for no limit. One of the two must be given.
        deals: deals of a whole trial.
        fresh_deals: deals of the finals, and of the validation.
        seed: fixes the search.
        baseline: search at random as well, with as many trials.
        note: called with lines for people.
    """

    method: str = "cma"
    trials: int = 0
    seconds: float = 0.0
    deals: int = 1000
    fresh_deals: int = 10_000
    seed: int = 1
    baseline: bool = True
    note: Note = field(default=lambda text: None, compare=False)


@dataclass(frozen=True)
class Found:
    """What one search found: its best values and their worth on the validation deals."""

    method: str
    values: Values
    line_up: str
    worth: Estimate
    trials: int
    pruned: int
    history: tuple[float, ...]
    importance: dict[str, float]


@dataclass(frozen=True)
class Tuning:
    """The outcome of `tune`.

    Attributes:
        start: the line-up text that the search began with, and its worth on the validation deals.
        best: what the search found.
        baseline: what random search found; None when it was not asked for.
        over_start, over_baseline: paired differences on the validation deals.
    """

    space: Space
    objective: Objective
    settings: Settings
    start: tuple[str, Estimate]
    best: Found
    baseline: Found | None
    over_start: Estimate
    over_baseline: Estimate | None


def tune(space: Space, objective: Objective, settings: Settings, folder: Path) -> Tuning:
    """Search the space and validate what was found; trials lie in `folder` and are not played again.

    Raises InputError when the folder holds the trials of another search.
    """
    if not settings.trials and not settings.seconds:
        raise InputError("a search without end: give a number of trials or a time")
    searched = _Search(space, objective, settings, settings.method, folder)
    searched.run(settings.trials, settings.seconds)
    random = None
    if settings.baseline and settings.method != BASELINE:
        random = _Search(space, objective, settings, BASELINE, folder)
        random.run(len(searched.trials), 0.0)
    return _validated(space, objective, settings, searched, random)


class _Search:
    """One search in one study on disk."""

    def __init__(
        self, space: Space, objective: Objective, settings: Settings, method: str, folder: Path
    ) -> None:
        self.space, self.objective, self.settings, self.method = space, objective, settings, method
        self.study = _open_study(folder, method, _description(space, objective, settings))
        self.proposer = proposer(method, space, settings.seed)
        self.best = np.zeros(0)
        self.best_worth = -np.inf

    @property
    def trials(self) -> list[FrozenTrial]:
        """Complete and pruned trials, in the order in which they were made."""
        return [trial for trial in self.study.get_trials(deepcopy=False) if trial.state.is_finished()]

    def run(self, trials: int, seconds: float) -> None:
        """Go on until there are so many trials, or the time is over."""
        started = time.monotonic()
        done = 0
        for trial in self.trials:  # a search that goes on learns what it knew
            self.proposer.propose(done)
            self.proposer.learn(_values(self.space, trial), trial.user_attrs["worth"])
            done += 1
        if done:
            self._remember_best()
        while (not trials or done < trials) and (not seconds or time.monotonic() - started < seconds):
            self._trial(done)
            done += 1

    def _remember_best(self) -> None:
        whole = [trial for trial in self.trials if not trial.user_attrs["pruned"]]
        best = max(whole, key=lambda trial: float(trial.user_attrs["worth"]))
        self.best_worth = float(best.user_attrs["worth"])
        entrant = self.space.at(_values(self.space, best))
        self.best = self.objective.blocks(entrant, 0, self.settings.deals)

    def _trial(self, number: int) -> None:
        values = self.proposer.propose(number)
        parts: list[Blocks] = []
        pruned = False
        for first, deals in rungs(self.settings.deals):
            parts.append(self.objective.blocks(self.space.at(values), first, deals))
            pruned = hopeless(concatenated(parts), self.best)
            if pruned:
                break
        blocks = concatenated(parts)
        # a pruned trial is worth what it lies behind the best, so that few deals' luck does not count
        worth = float(
            blocks.mean() - self.best[: len(blocks)].mean() + self.best.mean() if pruned else blocks.mean()
        )
        self.proposer.learn(values, worth)
        self._store(values, worth, pruned, len(blocks))
        if not pruned and worth > self.best_worth:
            self.best_worth, self.best = worth, blocks
            self.settings.note(f"{self.method} {number}: {worth:.4f}  {self.space.line_up(values)}")

    def _store(self, values: Values, worth: float, pruned: bool, deals: int) -> None:
        from optuna.trial import TrialState, create_trial

        attributes = {"worth": worth, "pruned": pruned, "deals": deals}
        self.study.add_trial(
            create_trial(
                params=values,
                distributions=distributions(self.space),
                value=worth,
                user_attrs=attributes,
                state=TrialState.COMPLETE,
            )
        )

    def finalist(self) -> Values:
        """The best of the best trials on deals that none of them was chosen by."""
        whole = [trial for trial in self.trials if not trial.user_attrs["pruned"]]
        ranked = sorted(whole, key=lambda trial: -float(trial.user_attrs["worth"]))[:FINALISTS]
        deals = self.settings.fresh_deals

        def worth(trial: FrozenTrial) -> float:
            entrant = self.space.at(_values(self.space, trial))
            return float(self.objective.blocks(entrant, FRESH, deals).mean())

        return _values(self.space, max(ranked, key=worth))

    def found(self, values: Values, worth: Estimate) -> Found:
        """What this search found, for the report."""
        trials = self.trials
        worths = [float(trial.user_attrs["worth"]) for trial in trials]
        pruned = [bool(trial.user_attrs["pruned"]) for trial in trials]
        best_so_far = np.maximum.accumulate(np.where(pruned, -np.inf, worths))
        return Found(
            self.method,
            values,
            self.space.line_up(values),
            worth,
            len(trials),
            sum(pruned),
            tuple(float(value) for value in best_so_far),
            _importance(self.study, self.space),
        )


def _validated(
    space: Space, objective: Objective, settings: Settings, searched: _Search, random: _Search | None
) -> Tuning:
    """All three on the same fresh deals, compared deal by deal."""

    def blocks(values: Values) -> Blocks:
        return objective.blocks(space.at(values), VALIDATION, settings.fresh_deals)

    start, values = blocks(space.start), searched.finalist()
    best = blocks(values)
    baseline, over_baseline = None, None
    if random is not None:
        other = random.finalist()
        against = blocks(other)
        baseline, over_baseline = random.found(other, Estimate.of(against)), Estimate.of(best - against)
    return Tuning(
        space,
        objective,
        settings,
        (space.line_up(space.start), Estimate.of(start)),
        searched.found(values, Estimate.of(best)),
        baseline,
        Estimate.of(best - start),
        over_baseline,
    )


def _values(space: Space, trial: FrozenTrial) -> Values:
    return {item.name: item.kind(trial.params[item.name]) for item in space.params}


def _importance(study: Study, space: Space) -> dict[str, float]:
    """Share of each parameter in what made trials good (PED-ANOVA, Watanabe and others, IJCAI 2023)."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    if len(study.get_trials(deepcopy=False)) < 10 or len(space.params) == 1:
        return {}
    found = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return {name: float(value) for name, value in found.items()}


def _description(space: Space, objective: Objective, settings: Settings) -> dict[str, Any]:
    """What must be the same for trials to be of one search."""
    return {
        "strategy": space.line_up(space.start),
        "source": space.entrant.digest,
        "parameters": [item.name for item in space.params],
        "opponents": [entrant.label for entrant in objective.opponents],
        "seats": list(objective.seats),
        "shapes": list(objective.shapes),
        "variant": objective.variant,
        "metric": objective.metric,
        "game_seed": objective.seed,
        "seed": settings.seed,
        "deals": settings.deals,
    }


def _open_study(folder: Path, method: str, description: dict[str, Any]) -> Study:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "trials.log"
    if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
        raise InputError(f"{log}: larger than {MAX_LOG_BYTES:,} bytes, this is no log of a search")
    try:
        storage = JournalStorage(JournalFileBackend(str(log)))
        study = optuna.create_study(
            study_name=method, storage=storage, direction="maximize", load_if_exists=True
        )
        before = study.user_attrs.get("search")
        study.get_trials(deepcopy=False)
    except Exception as error:  # whatever Optuna trips over in a log that it did not write so
        raise InputError(
            f"{log} is damaged ({type(error).__name__}: {error}); choose another --out"
        ) from error
    if before is not None and not isinstance(before, dict):
        raise InputError(f"{log} is damaged: it does not say what was searched; choose another --out")
    if before is None:
        study.set_user_attr("search", description)
    elif before != description:
        what = next(key for key in description if before.get(key) != description[key])
        raise InputError(
            f"{folder} holds the trials of another search ({what}: {before.get(what)}, now "
            f"{description[what]}); choose another --out"
        )
    return study
