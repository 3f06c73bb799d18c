"""Measured figures for `beansim bench`: repeats that take turns, their best and median, then and now."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from beansim.errors import InputError
from beansim.reading import check_keys, parse_json, read_limited
from beansim.report.text import aligned

FORMAT = 1
"""Version of the file that `--json` writes and `--against` reads."""
MAX_FILE_BYTES = 1_000_000
"""Largest such file that is read."""
MORE_IS_BETTER = ("games/s", "decisions/s")
"""Units of which more is better; of all others (seconds, memory, bytes) less is."""


class Sample(NamedTuple):
    """One measured number: of what, in which unit."""

    name: str
    unit: str
    value: float


Measurement = Callable[[], Iterable[Sample]]


@dataclass(frozen=True, slots=True)
class Figure:
    """What the repeats of one measurement gave.

    Attributes:
        name, unit: what it is.
        best: the best of the repeats: whatever else a machine does can only make it worse.
        median: what to expect while it does so.
        repeats: how often it was measured.
    """

    name: str
    unit: str
    best: float
    median: float
    repeats: int

    @property
    def noise(self) -> float:
        """How far the median is from the best, as a share of the best."""
        return abs(self.median - self.best) / self.best if self.best else 0.0


def in_turns(measurements: Sequence[Measurement], repeats: int) -> list[Figure]:
    """Measure everything once, then everything again, so that a slow minute falls on all alike."""
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(repeats):
        for measure in measurements:
            for name, unit, value in measure():
                found.setdefault((name, unit), []).append(value)
    return [_figure(name, unit, values) for (name, unit), values in found.items()]


def _figure(name: str, unit: str, values: Sequence[float]) -> Figure:
    best = max(values) if unit in MORE_IS_BETTER else min(values)
    return Figure(name, unit, best, statistics.median(values), len(values))


def machine() -> dict[str, Any]:
    """The processor and its cores."""
    return {"processor": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


# --- files ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that `beansim bench` measured.

    Attributes:
        versions: of beansim and of what it runs on.
        machine: `machine()`.
        games: games of each timing of a table.
        figures: in the order in which they are shown.
        notes: what to bear in mind when reading them.
    """

    versions: dict[str, str]
    machine: dict[str, Any]
    games: int
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """As the file that `read_measured` reads."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"


def read_measured(path: Path) -> Measured:
    """Read what `beansim bench --json` wrote; InputError when it is not that."""
    try:
        content = read_limited(path, MAX_FILE_BYTES)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    try:
        return _measured(parse_json(content))
    except (ValueError, InputError) as error:
        raise InputError(f"{path}: not written by beansim bench --json: {error}") from error


def _measured(data: Any) -> Measured:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"expected an object of format {FORMAT}")
    kinds = {"versions": dict, "machine": dict, "games": int, "figures": list, "notes": list}
    check_keys("the object", "key", data, ["format", *kinds])
    for name, kind in kinds.items():
        if not isinstance(data.get(name), kind):
            raise InputError(f"{name} is missing or no {kind.__name__}")
    figures = tuple(_read_figure(number, one) for number, one in enumerate(data["figures"]))
    return Measured(data["versions"], data["machine"], data["games"], figures, tuple(map(str, data["notes"])))


def _read_figure(number: int, data: Any) -> Figure:
    where = f"figure {number}"
    kinds = {"name": str, "unit": str, "best": float, "median": float, "repeats": int}
    if not isinstance(data, dict) or set(data) != set(kinds):
        raise InputError(f"{where}: expected an object with {', '.join(kinds)}")
    for name, kind in kinds.items():
        value = data[name]
        fits = isinstance(value, int | float if kind is float else kind) and not isinstance(value, bool)
        if not fits or (kind is float and not (_finite(value) and value >= 0)):
            raise InputError(f"{where}: {name} is {value!r}, expected a {kind.__name__}")
    return Figure(data["name"], data["unit"], float(data["best"]), float(data["median"]), data["repeats"])


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


# --- text -----------------------------------------------------------------------------------------


def table(now: Measured, then: Measured | None = None) -> str:
    """The figures as columns; beside them those of another time, and the ratio of the best."""
    old = {(figure.name, figure.unit): figure for figure in then.figures} if then else {}
    rows: list[tuple[str, ...]] = [("", "best", "median", "unit", *(("then", "now/then") if then else ()))]
    for figure in now.figures:
        cells = (figure.name, shown(figure.best), shown(figure.median), figure.unit)
        rows.append((*cells, *_compared(figure, old.get((figure.name, figure.unit)))) if then else cells)
    return aligned(rows)


def _compared(figure: Figure, old: Figure | None) -> tuple[str, str]:
    if old is None:
        return ("-", "-")
    if not old.best or not figure.best:
        return (shown(old.best), "-")
    ratio = figure.best / old.best
    return (shown(old.best), f"{ratio:.2f}  {_verdict(figure, old, ratio)}")


def _verdict(figure: Figure, old: Figure, ratio: float) -> str:
    """Better or worse, unless the repeats of either differ by as much."""
    if abs(ratio - 1) <= max(figure.noise, old.noise):
        return "within noise"
    return "better" if (ratio > 1) == (figure.unit in MORE_IS_BETTER) else "worse"


def differences(now: Measured, then: Measured) -> Iterator[str]:
    """What else is not the same, so that ratios may be owed to it."""
    pairs: tuple[tuple[str, Mapping[str, Any], Mapping[str, Any]], ...] = (
        ("machine", now.machine, then.machine),
        ("versions", now.versions, then.versions),
        ("", {"games": now.games}, {"games": then.games}),
    )
    for what, mine, theirs in pairs:
        for name in sorted({*mine, *theirs}):
            if mine.get(name) != theirs.get(name):
                yield f"then: {what} {name} {theirs.get(name)}, now {mine.get(name)}".replace("  ", " ")


def shown(value: float) -> str:
    """Whole numbers from a hundred on, three digits below."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
