"""A run as it lies on disk: what was asked, and the tallies of every chunk that is complete and sound."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from beansim.analysis.estimates import strategy, sums_of
from beansim.errors import InputError
from beansim.reading import MAX_RESULT_BYTES, parse_json, read_limited
from beansim.rules import Rules
from beansim.simulate.layout import Layout
from beansim.simulate.packing import Ints, get
from beansim.simulate.tallies import Tallies, Tally
from beansim.simulate.watched import WATCHED_FORMAT, Watched

RUN_FORMAT = 1
INFO_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "title": (str,),
    "question": (str,),
    "command": (str,),
    "keep": (str,),
    "stopped": (str,),
    "seed": (int,),
    "deals": (int,),
    "games": (int,),
    "complete": (bool,),
    "versions": (dict,),
    "expect": (list,),
    "mixed": (list,),
}
"""What `run.json` must hold where it holds a key at all."""
SEALED = re.compile(rb'^\{"sha256":"([0-9a-f]{64})",')


@dataclass(frozen=True)
class RunArm:
    """One arm of a run: what `run.json` says of it.

    Attributes:
        name: what tables call it.
        variant: name of the rule set.
        rules: every rule option.
        rules_digest: short hash of the rules.
        lineup: the strategies with their parameters, by entry.
        players: the same as the experiment wrote them.
        seating_mode: `rotate`, `permute` or `fixed`.
    """

    name: str
    variant: str
    rules: Rules
    rules_digest: str
    lineup: tuple[str, ...]
    seating_mode: str
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """What the win shares rested on when a run had come so far.

    Attributes:
        win_share: of each arm, int64 [strategies, 3]: blocks, and the sum and the sum of squares of their
            values.
    """

    win_share: tuple[Ints, ...]

    @classmethod
    def of(cls, tallies: Tallies) -> Stage:
        """Where these tallies stand."""
        return cls(tuple(map(_win_shares, tallies.arms)))


def _win_shares(tally: Tally) -> Ints:
    found = [sums_of(tally, "win_share", strategy(label)) for label in tally.layout.strategies]
    return np.array([(one.blocks, one.total, one.squares) for one in found], np.int64)


def _add_up(
    chunks: Iterable[tuple[str, Tallies]], problems: list[str]
) -> tuple[Tallies | None, tuple[Stage, ...]]:
    """The sum of chunks that come in the order of their deals, and where it stood after each.

    A chunk that cannot be added, such as one of deals that another holds too, is a problem.
    """
    total: Tallies | None = None
    course = []
    for name, chunk in chunks:
        try:
            total = chunk if total is None else total + chunk
            course.append(Stage.of(total))
        except InputError as error:
            problems.append(_left_out(name, error))
    return total, tuple(course)


def _left_out(name: str, error: Exception) -> str:
    return f"{name} cannot be used ({error}): its games are left out."


@dataclass(frozen=True, eq=False)
class Run:
    """A run, read from its folder.

    The tallies of single chunks are not kept: those of many arms take megabytes, and a run has many chunks.

    Attributes:
        folder: where it lies; `None` for one that was never stored.
        info: `run.json` as it is.
        arms: the arms, in order.
        tallies: of all sound chunks together.
        course: what the win shares rested on after each sound chunk.
        problems: what is missing or damaged, for people; empty when all is well.
        watched: of each arm, what was counted in its watched games; empty where there are none.
        rows: the files of games and seats that are what the run wrote, in the order of their deals; empty
            where it kept its tallies alone.
        damaged_rows: names of those that are not.
    """

    folder: Path | None
    info: Mapping[str, Any]
    arms: tuple[RunArm, ...]
    tallies: Tallies
    course: tuple[Stage, ...]
    problems: tuple[str, ...] = ()
    watched: tuple[Watched, ...] = ()
    rows: tuple[Path, ...] = ()
    damaged_rows: tuple[str, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Run:
        """Read a run folder; InputError when it is none, or holds no sound chunk."""
        info = _read_info(folder / "run.json")
        arms = tuple(_read_arm(arm, folder) for arm in info["arms"])
        problems: list[str] = []
        rows = _Rows([], [])
        total, course = _add_up(_read_chunks(folder / "chunks", arms, problems, rows), problems)
        if total is None:
            raise InputError(f"{folder} holds no finished chunk of games; {' '.join(problems)}".rstrip("; "))
        layouts = [tally.layout for tally in total.arms]
        try:
            watched = _read_watched(folder / "watched.json", layouts)
        except (OSError, ValueError, TypeError, InputError) as error:
            watched = ()
            problems.append(f"watched.json cannot be used ({error}): what it counts is left out.")
        sound, damaged = tuple(rows.sound), tuple(rows.damaged)
        run = cls(folder, info, arms, total, course, tuple(problems), watched, sound, damaged)
        return replace(run, problems=(*problems, *_gaps(run)))

    @classmethod
    def of(cls, info: Mapping[str, Any], arms: Sequence[RunArm], tallies: Tallies) -> Run:
        """A run that was never stored."""
        run = cls(None, info, tuple(arms), tallies, (Stage.of(tallies),))
        return replace(run, problems=tuple(_gaps(run)))

    @property
    def title(self) -> str:
        """Title of the experiment."""
        return str(self.info.get("title") or "Run")

    @property
    def deals(self) -> int:
        """Deals in the sound chunks."""
        return self.tallies.cross.deals

    @property
    def games(self) -> int:
        """Games in the sound chunks, all arms together."""
        return sum(arm.games for arm in self.tallies.arms)

    @property
    def strategies(self) -> tuple[str, ...]:
        """Every strategy of any arm, in order of first appearance."""
        return tuple(dict.fromkeys(label for arm in self.tallies.arms for label in arm.layout.strategies))

    def tally(self, arm: int) -> Tally:
        """Tally of an arm."""
        return self.tallies.arms[arm]


def _read_info(path: Path) -> dict[str, Any]:
    try:
        info = parse_json(read_limited(path, MAX_RESULT_BYTES))
    except OSError as error:
        raise InputError(
            f"{path.parent} is no run folder: cannot read {path.name}: {error.strerror}"
        ) from error
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from error
    if not isinstance(info, dict) or not isinstance(info.get("arms"), list) or not info["arms"]:
        raise InputError(f"{path} is damaged: it lists no arms")
    if info.get("format") != RUN_FORMAT:
        raise InputError(f"{path} has format {info.get('format')!r}, this version reads {RUN_FORMAT}")
    for key, kinds in INFO_TYPES.items():
        value = info.get(key)
        if key in info and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
            names = " or ".join(_JSON_NAMES[kind] for kind in kinds)
            raise InputError(f"{path} is damaged: {key} is {value!r:.60}, expected {names}")
    return info


_JSON_NAMES = {str: "text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


def _read_arm(data: Any, folder: Path) -> RunArm:
    where = f"run.json of {folder}"
    if not isinstance(data, dict):
        raise InputError(f"{where} is damaged: an arm is {data!r}")
    try:
        rules = Rules.from_dict(data["rules"], where)
        lineup = tuple(str(entry) for entry in data["lineup"])
        return RunArm(
            str(data["name"]),
            str(data["variant"]),
            rules,
            str(data.get("rules_digest", rules.digest())),
            lineup,
            str(data.get("seating_mode", "")),
            tuple(str(player) for player in data.get("players", lineup)),
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"{where} is damaged: an arm lacks {error}") from error


@dataclass(frozen=True)
class _Rows:
    """Files of games and seats, as they are found."""

    sound: list[Path]
    damaged: list[str]

    def check(self, folder: Path, files: Mapping[str, str]) -> list[str]:
        """Sort the files of a chunk, by name with checksum; those that are damaged."""
        wrong = _damaged_rows(folder, files)
        self.sound.extend(folder / name for name in files if name not in wrong)
        self.damaged.extend(wrong)
        return wrong


def _read_chunks(
    folder: Path, arms: Sequence[RunArm], problems: list[str], rows: _Rows
) -> Iterator[tuple[str, Tallies]]:
    """Names and tallies of the sound chunks, one by one; what is wrong with others joins the problems."""
    for path in sorted(folder.glob("tally-*.json")):
        try:
            data = _read_sealed(path)
            chunk = _read_chunk(data, arms)
            damaged = rows.check(folder, get(data, "files", dict) if "files" in data else {})
            problems += [f"{name} is damaged: only its tallies are used." for name in damaged]
        except (OSError, ValueError, KeyError, TypeError, InputError) as error:
            problems.append(_left_out(path.name, error))
        else:
            yield path.name, chunk


def _read_sealed(path: Path) -> dict[str, Any]:
    """What a tally file holds; InputError when its seal is broken."""
    content = read_limited(path, MAX_RESULT_BYTES)
    sealed = SEALED.match(content)
    # The seal is the hash of the rest, `{` in front: see the writing of chunks in `simulate`.
    if (
        sealed
        and hashlib.sha256(b"{" + content[sealed.end() :].rstrip(b"\n")).hexdigest() != sealed[1].decode()
    ):
        raise InputError("its checksum is wrong")
    data = parse_json(content)
    if not isinstance(data, dict):
        raise InputError("it is not an object")
    return data


def _read_chunk(data: Mapping[str, Any], arms: Sequence[RunArm]) -> Tallies:
    tallies = Tallies.from_dict(data)
    for arm, tally in zip(arms, tallies.arms, strict=True):
        if not _fits(arm, tally.layout):
            raise InputError(f"it belongs to another run: {list(tally.layout.labels)}")
    return tallies


def _damaged_rows(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Files of games and seats of a chunk that are not what the run wrote."""
    return [name for name, digest in files.items() if not _BESIDE(name) or _checksum(folder / name) != digest]


_BESIDE = re.compile(r"(games|seats)-\d+\.parquet").fullmatch
"""Names that a tally file may give to the rows beside it: a file of another folder is never opened."""


def _checksum(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _fits(arm: RunArm, layout: Layout) -> bool:
    return len(arm.lineup) == layout.players and arm.rules.kind_names == layout.kinds


def _read_watched(path: Path, layouts: Sequence[Layout]) -> tuple[Watched, ...]:
    """The watched games of each arm; none where the run has no such file."""
    if not path.exists():
        return ()
    data = parse_json(read_limited(path, MAX_RESULT_BYTES))
    if not isinstance(data, dict) or data.get("format") != WATCHED_FORMAT:
        raise InputError(f"it is not of format {WATCHED_FORMAT}")
    arms = get(data, "arms", list)
    if len(arms) != len(layouts):
        raise InputError(f"it has {len(arms)} arms, expected {len(layouts)}")
    return tuple(Watched.from_dict(arm, layout) for arm, layout in zip(arms, layouts, strict=True))


def _gaps(run: Run) -> list[str]:
    """What a reader must know of a run that is not whole."""
    found = []
    if run.info.get("complete") is False:
        found.append("The run is not finished: this is what is complete so far.")
    stored = run.info.get("deals")
    if isinstance(stored, int) and stored != run.deals:
        found.append(f"run.json speaks of {stored} deals, {run.deals} were found.")
    games = run.info.get("games")
    if isinstance(games, int) and stored == run.deals and games != run.games:
        found.append(f"run.json speaks of {games} games, {run.games} were found.")
    return found
