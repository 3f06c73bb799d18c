"""A tuning in words and a chart: history, importance, best against start and against random search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beansim.errors import InputError
from beansim.tuning.objective import Estimate
from beansim.tuning.study import Found, Tuning


def write_tuning(tuning: Tuning, folder: Path, command: str) -> None:
    """Write `report.md` and `history.png` to the folder."""
    try:
        (folder / "report.md").write_text("\n".join(_lines(tuning, command)) + "\n", encoding="utf-8")
        _draw_history(tuning, folder / "history.png")
    except OSError as error:
        raise InputError(f"cannot write the report to {folder}: {error.strerror}") from error


def summary_lines(tuning: Tuning) -> Iterator[str]:
    """The outcome in a few lines."""
    name, worth = tuning.start
    metric = tuning.objective.metric.replace("_", " ")
    yield f"best:   {_told(tuning.best.worth)}  {metric} of {tuning.best.line_up}"
    yield f"start:  {_told(worth)}  {name}"
    yield f"gain:   {_told(tuning.over_start)}  {_verdict(tuning.over_start, 'the start')}"
    if tuning.baseline and tuning.over_baseline:
        yield f"random: {_told(tuning.baseline.worth)}  {tuning.baseline.line_up}"
        yield f"gain:   {_told(tuning.over_baseline)}  {_verdict(tuning.over_baseline, 'random search')}"
    yield f"(95 % intervals, {tuning.over_start.deals:,} fresh deals that nothing was chosen by)"


def _verdict(gain: Estimate, other: str) -> str:
    if gain.low > 0:
        return f"better than {other}"
    return f"worse than {other}" if gain.high < 0 else f"no difference from {other} is shown"


def _told(estimate: Estimate) -> str:
    return f"{estimate.mean:.4f} ± {estimate.half:.4f}"


def _lines(tuning: Tuning, command: str) -> Iterator[str]:
    objective, settings = tuning.objective, tuning.settings
    yield f"# Tuning {tuning.space.entrant.name}\n"
    yield f"    {command}\n"
    yield from (f"    {line}" for line in summary_lines(tuning))
    opponents = ", ".join(entrant.label for entrant in objective.opponents)
    yield (
        f"\nTables: {', '.join(objective.shapes)} against {opponents} at {_listed(objective.seats)} seats, "
        f"variant {objective.variant}, every rotation. A trial plays {settings.deals:,} deals, the same for "
        "all; it is given up when it lies two standard errors behind the best one. The best five met again "
        "on fresh deals, and the winner was measured on others."
    )
    yield "\n## Search\n"
    yield "| method | trials | given up | best on the deals of the search | best on fresh deals |"
    yield "|---|---|---|---|---|"
    for found in _searches(tuning):
        best = f"{found.history[-1]:.4f} | {_told(found.worth)}"
        yield f"| {found.method} | {found.trials} | {found.pruned} | {best} |"
    yield "\n![Best so far](history.png)"
    yield "\n## Values\n"
    yield "| parameter | start | best | bounds | importance |\n|---|---|---|---|---|"
    for item in tuning.space.params:
        start, value = tuning.space.start[item.name], tuning.best.values[item.name]
        share = tuning.best.importance.get(item.name)
        told = "" if share is None else f"{share:.0%}"
        yield f"| {item.name} | {start:g} | {value:g} | {item.low:g} to {item.high:g} | {told} |"


def _searches(tuning: Tuning) -> list[Found]:
    return [tuning.best, *([tuning.baseline] if tuning.baseline else [])]


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


def _draw_history(tuning: Tuning, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for found, style in zip(_searches(tuning), ("-", "--"), strict=False):
        axes.step(range(len(found.history)), found.history, style, where="post", label=found.method)
    axes.set_xlabel("trial")
    axes.set_ylabel(f"best {tuning.objective.metric.replace('_', ' ')} so far")
    axes.legend()
    figure.savefig(path, dpi=120)
