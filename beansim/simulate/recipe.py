"""`Work` as plain data, for workers that share no memory with this process, on this machine or another.

Strategies travel as their source, never as function objects: the worker need not have their files, and an
edit during a run changes nothing of it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path

from beansim import __version__
from beansim.engine import warm
from beansim.errors import InputError
from beansim.experiment import Experiment, check_same, describe, from_description
from beansim.simulate.folder import write_aside
from beansim.simulate.tallies import Tallies
from beansim.simulate.work import Reduction, Work
from beansim.strategy.cache import cache_folder

PLAYS = ("numba", "numpy")
"""Libraries that games are played with."""


@dataclass(frozen=True)
class Recipe:
    """`Work` as plain data.

    Attributes:
        description: the described experiment (`beansim.experiment.describe`) as JSON, with every strategy by
            the text that loads it.
        sources: (path, content) of the strategies' files that do not come with beansim or a package; the
            bytes as Latin-1, which loses none.
        versions: (name, version) of all that the games depend on, sorted.
        keep_rows, reduce: as in `Work`.
    """

    description: str
    sources: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    keep_rows: bool
    reduce: Reduction = Tallies.of

    @classmethod
    def of(cls, experiment: Experiment, work: Work) -> Recipe:
        """The recipe of `work`, which plays `experiment`."""
        described = describe(experiment, work.arms)
        sources: dict[str, str] = {}
        for data, arm in zip(described["arms"], work.arms, strict=True):
            for player, entrant in zip(data["players"], arm.lineup, strict=True):
                player["spec"] = entrant.spec
                path = str(entrant.path.resolve())
                if entrant.spec.startswith(path):
                    sources[path] = entrant.path.read_bytes().decode("latin-1")
        # Whoever has the sources looks no strategy up in folders.
        text = json.dumps({**described, "folders": []})
        return cls(text, tuple(sources.items()), play_versions(), work.keep_rows, work.reduce)

    def work(self) -> Work:
        """Load what is needed to play here, and compile what is not kept: no game may have to wait for it.

        A time limit is for strategies, so nothing is left to compile when it begins. Raises InputError when
        this process has other versions, or a strategy is not the same here.
        """
        check_versions(dict(self.versions), dict(play_versions()), f"on {platform.node()}")
        stored = json.loads(self.description)
        places = {path: str(_placed(path, text.encode("latin-1"))) for path, text in self.sources}
        for arm in stored["arms"]:
            for player in arm["players"]:
                player["spec"] = _moved(player["spec"], places)
        experiment = from_description(stored, "the experiment")
        arms = experiment.build()
        check_same(stored, describe(experiment, arms), f"this run on {platform.node()}")
        warm(arms)
        return Work(arms, experiment.seed, self.keep_rows, self.reduce)


@lru_cache(maxsize=8)
def prepared(recipe: Recipe) -> Work:
    """The work of a recipe, loaded once in a process."""
    return recipe.work()


def play_versions() -> tuple[tuple[str, str], ...]:
    """Versions of all that games depend on, by name."""
    found = {"beansim": __version__, "python": platform.python_version()}
    return tuple(sorted({**found, **{name: version(name) for name in PLAYS}}.items()))


def check_versions(asked: Mapping[str, str], there: Mapping[str, str], where: str) -> None:
    """InputError when a worker `there` has other versions than are `asked` for."""
    other = [
        f"{name} {there.get(name, 'none')} instead of {asked[name]}"
        for name in asked
        if there.get(name) != asked[name]
    ]
    if other:
        raise InputError(
            f"the worker {where} has {', '.join(other)}: its games could differ; install the versions of the "
            "machine that starts the run"
        )


def _moved(spec: str, places: Mapping[str, str]) -> str:
    for path, place in places.items():
        if spec.startswith(path):
            return place + spec.removeprefix(path)
    return spec


def _placed(path: str, content: bytes) -> Path:
    """A file of this name and content on this machine: under the cache folder, else a temporary one."""
    name = Path(hashlib.sha256(content).hexdigest()[:16]) / Path(path).name
    try:
        return _written(cache_folder().parent / "sources" / name, content)
    except OSError:
        return _written(_temporary() / name, content)


def _written(place: Path, content: bytes) -> Path:
    if not (place.is_file() and place.read_bytes() == content):
        place.parent.mkdir(parents=True, exist_ok=True)
        write_aside(place, content)
    return place


@cache
def _temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="beansim-sources-"))
