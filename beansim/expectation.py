"""What an experiment expects, as one line each: `champion win_share > trader by 0.02`.

    SUBJECT METRIC [in ARM] > OTHER [by AMOUNT]         at least so much more
    SUBJECT METRIC [in ARM] < OTHER [by AMOUNT]         at least so much less
    SUBJECT METRIC [in ARM] = OTHER within AMOUNT       no farther apart than so much

SUBJECT is a strategy, `seat N`, or `games`; OTHER a number, a strategy or seat at the same table, or
`in ARM`: the same subject there. Without `in ARM` the line holds for every arm that has both. A name with
spaces stands in quotes. Here lines are read; `analysis.expectations` knows what the names mean and judges.
"""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import Literal, TypeAlias

from beansim.errors import InputError, unknown

Relation: TypeAlias = Literal[">", "<", "="]

RELATIONS: tuple[Relation, ...] = (">", "<", "=")

FORM = "expected SUBJECT METRIC [in ARM] > OTHER [by AMOUNT], or ... = OTHER within AMOUNT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One line, read.

    Attributes:
        text: the line as written.
        subject: a strategy, `seat N` or `games`.
        metric: what is compared.
        arm: the arm it is about; empty for every arm that has both sides.
        relation: `>`, `<` or `=`.
        number: the number compared with; None for another side.
        other: the other side, a strategy or `seat N`; empty for a number or another arm.
        other_arm: the arm in which the other side is the subject again; empty otherwise.
        distance: how much more or less it is at least; with `=`, how far apart the two are at most.
    """

    text: str
    subject: str
    metric: str
    arm: str
    relation: Relation
    number: float | None
    other: str
    other_arm: str
    distance: float


def read_expectation(text: str) -> Expectation:
    """Read one line; InputError says what is wrong with it."""
    try:
        return _Line(text).read()
    except InputError as error:
        raise InputError(f"expect {text!r}: {error}") from error


class _Line:
    """A line that is taken apart word by word."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self.words = shlex.split(text)
        except ValueError as error:
            raise InputError(f"{error}; {FORM}") from error

    def read(self) -> Expectation:
        subject, metric, arm, relation = self.side(), self.word("a metric"), self.arm(), self.relation()
        other_arm = self.arm()
        number = None if other_arm or not self.words else _number(self.words[0])
        other = "" if other_arm else self.side()
        distance = self.distance(relation, number)
        if self.words:
            raise InputError(f"{' '.join(self.words)!r} stands at the end; {FORM}")
        return Expectation(
            text=self.text,
            subject=subject,
            metric=metric,
            arm=arm,
            relation=relation,
            number=number,
            other=other if number is None else "",
            other_arm=other_arm,
            distance=distance,
        )

    def word(self, what: str) -> str:
        if not self.words:
            raise InputError(f"it ends where {what} should stand; {FORM}")
        return self.words.pop(0)

    def took(self, word: str) -> bool:
        """Whether the next word is this one; takes it if so."""
        found = self.words[:1] == [word]
        if found:
            self.words.pop(0)
        return found

    def side(self) -> str:
        first = self.word("a strategy, a seat or a number")
        return f"seat {self.word('the number of a seat')}" if first == "seat" else first

    def arm(self) -> str:
        return self.word("the name of an arm") if self.took("in") else ""

    def relation(self) -> Relation:
        found = self.word("'>', '<' or '='")
        for relation in RELATIONS:
            if found == relation:
                return relation
        raise unknown("relation", found, RELATIONS)

    def distance(self, relation: Relation, number: float | None) -> float:
        """What stands after `by` or `within`."""
        if relation == "=" and not self.took("within"):
            raise InputError("'=' needs 'within AMOUNT': two means are never the same to the last digit")
        if relation != "=" and not self.took("by"):
            return 0.0
        if relation != "=" and number is not None:
            raise InputError("'by' does not go with a number; write the number that you mean")
        word = self.word("an amount")
        amount = _number(word)
        if amount is None or amount < 0 or (relation == "=" and not amount):
            raise InputError(f"the amount is {word!r}, expected a number above 0")
        return amount


def _number(word: str) -> float | None:
    """The number that a word is; None when it is none."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
