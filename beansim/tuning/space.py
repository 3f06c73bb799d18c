"""A strategy's declared parameters as a search space: a cube with one side for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from beansim.errors import InputError, unknown
from beansim.strategy import Entrant, load
from beansim.strategy.base import Param

DIGITS = 4
"""Digits after the point that a tuned value keeps: more are noise, and a line-up is read by people."""

Values = dict[str, float]


@dataclass(frozen=True)
class Space:
    """What is searched.

    Attributes:
        entrant: the strategy with the values it starts from; those not searched stay.
        params: the parameters that are searched, in the order of their declaration.
        folders: where strategies are looked up.
    """

    entrant: Entrant
    params: tuple[Param, ...]
    folders: tuple[Path, ...] = ()

    @classmethod
    def of(cls, spec: str, only: Sequence[str] = (), folders: Sequence[Path] = ()) -> Space:
        """The space of the strategy `spec`, of the parameters `only` (all without any).

        Raises InputError when there is nothing to search, or for an unknown name.
        """
        entrant = load(spec, folders)
        known = entrant.cls.params
        for name in only:
            if name not in known:
                raise unknown("parameter", name, known, f"strategy {spec!r}")
        params = tuple(item for item in known.values() if not only or item.name in only)
        params = tuple(item for item in params if item.low < item.high)
        if not params:
            raise InputError(f"strategy {spec!r} has no parameter to tune")
        return cls(entrant, params, tuple(folders))

    @property
    def start(self) -> Values:
        """The values that the search starts from."""
        return {item.name: self.entrant.values[item.name] for item in self.params}

    def point(self, values: Values) -> list[float]:
        """Place of values in the cube from 0 to 1."""
        return [(values[item.name] - item.low) / (item.high - item.low) for item in self.params]

    def values(self, point: Sequence[float]) -> Values:
        """Values at a place of the cube; whole numbers and yes or no are rounded."""
        return {item.name: _value(item, place) for item, place in zip(self.params, point, strict=True)}

    def at(self, values: Mapping[str, float]) -> Entrant:
        """The strategy with these values."""
        chosen, known = {**self.entrant.values, **values}, self.entrant.cls.params
        origin = self.entrant.spec
        bare = origin[: len(origin) - len(self.entrant.label) + len(self.entrant.name)]
        pieces = ",".join(f"{name}={known[name].text(value)}" for name, value in chosen.items())
        return load(f"{bare}:{pieces}", self.folders)

    def line_up(self, values: Mapping[str, float]) -> str:
        """The strategy with these values as it is written in a line-up, defaults left out."""
        return self.at(values).label


def _value(item: Param, place: float) -> float:
    value = item.low + min(1.0, max(0.0, float(place))) * (item.high - item.low)
    return round(value, DIGITS) if item.kind is float else item.kind(round(value))
