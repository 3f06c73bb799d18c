"""Judges what an experiment expects, with intervals: it holds, it fails, or it is undecided.

A line holds when the whole interval lies where it says, and fails when the whole interval lies elsewhere.
An experiment passes when all of its lines hold. If any one of them is false, it passes with a probability
of 2.5 % at most, however many lines there are, so nothing needs to be adjusted for their number (an
intersection-union test: Berger 1982, Multiparameter hypothesis testing and acceptance sampling,
Technometrics 24).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from beansim.analysis.comparisons import between
from beansim.analysis.estimates import difference, estimate, game_estimate
from beansim.analysis.intervals import Estimate
from beansim.analysis.metrics import GAME, SEAT, Metric
from beansim.analysis.run import Run
from beansim.errors import InputError, unknown
from beansim.expectation import Expectation, read_expectation
from beansim.experiment import Experiment
from beansim.simulate.layout import Group, Layout
from beansim.simulate.tallies import common_keys, cross_pairs

Outcome: TypeAlias = Literal["holds", "fails", "undecided"]


@dataclass(frozen=True, slots=True)
class Place:
    """An arm as expectations see it: its name, its line-up as written, its layout."""

    name: str
    players: tuple[str, ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class Question:
    """A line with its names resolved, for one arm.

    Attributes:
        expectation: the line.
        metric: what is compared.
        arm, other_arm: numbers of arms; `other_arm` is None but for a difference between arms.
        left: whose mean; None for the games.
        right: whose mean it is compared with in the same arm; None for a number or another arm.
    """

    expectation: Expectation
    metric: Metric
    arm: int
    other_arm: int | None
    left: Group | None
    right: Group | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a line turned out in an arm.

    Attributes:
        question: what was asked.
        arm: name of the arm.
        estimate: the mean that was asked for, or the difference.
        outcome: `holds`, `fails` or `undecided`.
    """

    question: Question
    arm: str
    estimate: Estimate
    outcome: Outcome


def check_expectations(experiment: Experiment) -> None:
    """InputError when a line names what the experiment does not have; plays nothing."""
    if experiment.expect:
        # Only here: a report judges what is stored, and need not load the engine.
        from beansim.simulate.work import layout_of

        arms = zip(experiment.arms, experiment.build(), strict=True)
        places = [Place(arm.name, plan.players, layout_of(arm)) for plan, arm in arms]
        for expectation in experiment.expect:
            resolve(expectation, places, experiment.where)


def judge_run(run: Run) -> list[Judgement]:
    """Every line of a run's experiment, in every arm that it is about."""
    arms = zip(run.arms, run.tallies.arms, strict=True)
    places = [Place(arm.name, arm.players, tally.layout) for arm, tally in arms]
    lines = [read_expectation(str(text)) for text in run.info.get("expect", [])]
    return [
        _judged(run, question, places[question.arm].name)
        for line in lines
        for question in resolve(line, places, "run.json")
    ]


def outcome_of(found: Estimate, expectation: Expectation) -> Outcome:
    """Where the interval lies; one that touches both sides decides nothing."""
    at, distance = expectation.number or 0.0, expectation.distance
    if found.method == "none":
        return "undecided"
    if expectation.relation == "=":
        inside = at - distance <= found.low and found.high <= at + distance
        outside = found.low > at + distance or found.high < at - distance
    elif expectation.relation == ">":
        inside, outside = found.low > at + distance, found.high <= at + distance
    else:
        inside, outside = found.high < at - distance, found.low >= at - distance
    return "holds" if inside else "fails" if outside else "undecided"


def _judged(run: Run, question: Question, arm: str) -> Judgement:
    found = _estimate(run, question)
    return Judgement(question, arm, found, outcome_of(found, question.expectation))


def _estimate(run: Run, question: Question) -> Estimate:
    metric, left, right = question.metric.name, question.left, question.right
    if question.other_arm is not None:
        return between(run.tallies, question.arm, question.other_arm, metric, left)
    tally = run.tally(question.arm)
    if left is None:
        return game_estimate(tally, metric)
    return estimate(tally, metric, left) if right is None else difference(tally, metric, left, right)


# --- names -----------------------------------------------------------------------------------


def resolve(line: Expectation, places: Sequence[Place], where: str) -> list[Question]:
    """The line for every arm that it is about; InputError says which of its names is unknown."""
    try:
        return list(_resolve(line, places))
    except InputError as error:
        raise InputError(f"{where}: expect {line.text!r}: {error}") from error


def _resolve(line: Expectation, places: Sequence[Place]) -> Iterator[Question]:
    metric = _metric(line)
    if line.other_arm:
        yield _between_arms(line, metric, places)
        return
    sides = [line.subject, line.other] if line.other else [line.subject]
    _check_sides(sides, places)
    numbers = [_arm(line.arm, places)] if line.arm else range(len(places))
    having = [number for number in numbers if all(_has(places[number], side) for side in sides)]
    if not having:
        raise InputError(
            f"no arm{f' {line.arm!r}' if line.arm else ''} has {' and '.join(sides)} at its table"
        )
    for number in having:
        left, *others = [_group(places[number], side) for side in sides]
        yield Question(line, metric, number, None, left, others[0] if others else None)


def _between_arms(line: Expectation, metric: Metric, places: Sequence[Place]) -> Question:
    if not line.arm:
        raise InputError(f"say in which arm on the left side too: {line.subject} {line.metric} in ARM ...")
    arm, other = _arm(line.arm, places), _arm(line.other_arm, places)
    _check_sides([line.subject], places)
    missing = [places[number].name for number in (arm, other) if not _has(places[number], line.subject)]
    if missing:
        raise InputError(f"{line.subject} is not in arm {missing[0]!r}")
    group = _group(places[arm], line.subject)
    key = (metric.column, group)
    if tuple(sorted((arm, other))) not in cross_pairs(len(places)) or key not in common_keys(
        places[arm].layout, places[other].layout
    ):
        raise InputError(f"arms {line.arm!r} and {line.other_arm!r} are not compared in {line.metric}")
    return Question(line, metric, arm, other, group, None)


def _metric(line: Expectation) -> Metric:
    known = GAME if line.subject == "games" else SEAT
    if line.metric not in known:
        raise unknown(f"metric of {line.subject}", line.metric, known)
    if line.subject == "games" and line.other:
        raise InputError("games can be compared with a number, or with those of another arm: ... > in ARM")
    return known[line.metric]


def _arm(name: str, places: Sequence[Place]) -> int:
    names = [place.name for place in places]
    if name not in names:
        raise unknown("arm", name, names)
    return names.index(name)


def _check_sides(sides: Sequence[str], places: Sequence[Place]) -> None:
    known = sorted({name for place in places for name in (*place.players, *place.layout.labels)})
    most = max(place.layout.players for place in places)
    known += ["games", *(f"seat {number}" for number in range(most))]
    for side in sides:
        if side not in known:
            raise unknown("strategy or seat", side, known)
    if len(sides) == 2 and sides[0].startswith("seat ") != sides[1].startswith("seat "):
        raise InputError(f"{sides[0]} and {sides[1]} cannot be compared: name two strategies or two seats")


def _has(place: Place, side: str) -> bool:
    if side.startswith("seat "):
        return int(side.removeprefix("seat ")) < place.layout.players
    return side == "games" or side in place.players or side in place.layout.labels


def _group(place: Place, side: str) -> Group | None:
    """The seats of a side; a strategy may be written as in the line-up or as tables call it."""
    if side == "games":
        return None
    if side.startswith("seat "):
        return Group("seat", seat=int(side.removeprefix("seat ")))
    labels = dict(zip(place.players, place.layout.labels, strict=True))
    return Group("strategy", labels.get(side, side))
