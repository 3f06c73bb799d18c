"""What a report says, apart from how it is written down: HTML and Markdown come from one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from beansim.analysis.run import Run
from beansim.errors import InputError
from beansim.reading import parse_json
from beansim.report.findings import alerts, verdict
from beansim.report.names import plain
from beansim.report.numbers import count, counted, number
from beansim.report.tell import tell
from beansim.report.views import VIEWS, View

if TYPE_CHECKING:
    from beansim.report.html import Picture

SECTIONS: dict[str, str] = {
    "expectations": "Expectations",
    "strategies": "Strategies",
    "arms": "Arms compared",
    "seats": "Seats",
    "games": "Games",
    "beans": "Beans",
    "market": "Market",
    "errors": "Errors",
}
"""Sections of the report of a run, in order."""

BRIEF = (
    "expectations",
    "summary",
    "arm_differences",
    "head_to_head",
    "bootstrap",
    "seats",
    "games",
    "run_outs",
    "harvests",
)
"""Tables of a run that stand in Markdown too; the others are in the files."""

MOST_SAMPLES = 4
"""Games that are told."""

MOST_LINES = 1500
"""Lines that are told of one game."""


@dataclass(frozen=True)
class Document:
    """A report as data.

    Attributes:
        title, question: of the experiment.
        facts: one line of numbers.
        verdict: sentences, most important first.
        alerts: what to beware of.
        sections: titles of the sections by name, in order.
        views: how the tables are shown.
        frames: the tables, by name.
        brief: names of the tables that stand in Markdown.
        pictures: charts, each in its section.
        samples: games told: title and text.
        command: what gives these results again.
        reproduce: names and values of what else that takes.
    """

    title: str
    question: str
    facts: str
    verdict: Sequence[str]
    alerts: Sequence[str]
    sections: Mapping[str, str]
    views: Sequence[View]
    frames: Mapping[str, pl.DataFrame]
    brief: Sequence[str]
    pictures: Sequence[Picture] = ()
    samples: Sequence[Mapping[str, str]] = ()
    command: str = ""
    reproduce: Sequence[tuple[str, str]] = field(default_factory=tuple)


def of_run(run: Run, frames: Mapping[str, pl.DataFrame], pictures: Sequence[Picture] = ()) -> Document:
    """The report of a run."""
    return Document(
        title=run.title,
        question=str(run.info.get("question") or ""),
        facts=facts(run),
        verdict=verdict(run),
        alerts=alerts(run),
        sections=SECTIONS,
        views=VIEWS,
        frames=frames,
        brief=BRIEF,
        pictures=pictures,
        samples=list(samples(run)),
        command=str(run.info.get("command") or ""),
        reproduce=list(reproduce(run)),
    )


def facts(run: Run) -> str:
    """One line of numbers about the run."""
    games, deals, arms = counted(run.games, "game"), counted(run.deals, "deal"), counted(len(run.arms), "arm")
    text = f"{games} of {deals}, {arms}, seed {run.info.get('seed')}"
    speed = _timing(run).get("games_per_second")
    if isinstance(speed, int | float) and speed:
        text += f", {count(round(speed))} games a second"
    return text


def _timing(run: Run) -> dict[str, Any]:
    """How long the run took: in run.json or beside it."""
    if "seconds" in run.info or run.folder is None:
        return dict(run.info)
    try:
        found = parse_json((run.folder / "timing.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def reproduce(run: Run) -> Iterator[tuple[str, str]]:
    """What gives the results of a run again, besides its command."""
    info = run.info
    yield "seed", str(info.get("seed"))
    yield "deals", count(run.deals)
    yield "games", count(run.games)
    versions = info.get("versions") or {}
    yield "versions", ", ".join(f"{plain(str(name))} {plain(str(text))}" for name, text in versions.items())
    for change in info.get("mixed") or []:
        yield "mixed", plain(str(change))
    for arm in run.arms:
        lineup = ", ".join(plain(label) for label in arm.lineup)
        yield f"arm {plain(arm.name)}", f"{plain(arm.variant)}, rules {arm.rules_digest}: {lineup}"
    seconds = _timing(run).get("seconds")
    if isinstance(seconds, int | float):
        yield "time", f"{number(seconds, 1)} s"


def samples(run: Run) -> Iterator[dict[str, str]]:
    """The games of sample.jsonl, told; what cannot be told is said to be damaged."""
    path = run.folder / "sample.jsonl" if run.folder else None
    if path is None or not path.exists():
        return
    try:
        for events in _games(path)[:MOST_SAMPLES]:
            lines = list(tell(events))
            more = [] if len(lines) <= MOST_LINES else [f"... {len(lines) - MOST_LINES} more lines"]
            yield {"title": lines[0], "text": "\n".join(lines[:MOST_LINES] + more)}
    except (OSError, ValueError, InputError) as error:
        yield {"title": "The sample game cannot be told", "text": plain(str(error))}


def _games(path: Path) -> list[list[dict[str, Any]]]:
    games: list[list[dict[str, Any]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        event = parse_json(line)
        if not isinstance(event, dict):
            raise InputError(f"{path.name}: an event is not an object")
        if event.get("e") == "game" or not games:
            games.append([])
        games[-1].append(event)
    return games
