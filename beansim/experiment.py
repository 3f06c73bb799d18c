"""Experiments: a question as arms to compare, read from TOML, checked, changed and resolved.

Reading checks everything that needs no strategy; `Experiment.build` loads the strategies and gives
the engine its arms. Every mistake is one InputError that says what, where and what was expected.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beansim import __version__
from beansim.bundled import bundled_folder
from beansim.errors import InputError, unknown
from beansim.expectation import Expectation, read_expectation
from beansim.house import named_variant, read_variants
from beansim.reading import check_keys, check_number, check_text, check_word, placed, read_toml
from beansim.rules import MAX_PLAYERS, Rules, Variant, find_variant
from beansim.stop import Stop

if TYPE_CHECKING:
    from beansim.engine import Arm
    from beansim.strategy import Entrant

SEATING_MODES = ("rotate", "permute", "fixed")
"""How the line-up is seated: every cyclic shift, every arrangement, or once as written."""

KEEPS = ("games", "summary")
"""What a run stores: columns per game and seat besides the tallies, or the tallies alone."""

MAX_SEED = 2**63 - 1
MAX_DEALS = 2**40
DEFAULT_DEALS = 10_000
FORMAT = 1

Seatings = tuple[tuple[int, ...], ...]
"""`seatings[i][seat]`: the position in the line-up of the strategy on that seat in seating `i`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPlan:
    """One arm as asked for: a variant and a line-up by name.

    Attributes:
        variant: name of a variant that comes with beansim or of a house variant of the experiment.
        players: the line-up, each as `name`, `name:parameter=value` or `file.py:ClassName`.
        name: what tables call the arm; empty to derive it from the variant (and the line-up).
    """

    variant: str
    players: tuple[str, ...]
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a command line changes in an experiment; None leaves it as it is.

    `variant` is a name, or `FILE.toml:NAME`.
    """

    deals: int | None = None
    seed: int | None = None
    players: tuple[str, ...] | None = None
    variant: str | None = None
    seatings: str | None = None
    keep: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A question: arms that are played on the same deals and compared.

    Attributes:
        name: short name, also that of the folder its report goes to.
        title, question: one line and a few, for people.
        seed: 0 to 2^63-1; fixes all luck.
        deals: deals that every arm plays, numbered from 0; each once for every seating.
        seatings: one of `SEATING_MODES`.
        keep: one of `KEEPS`.
        arms: at least one.
        variants: house variants by name.
        stop: when to stop before all deals are played; None to play them all.
        expect: what the results must show; judged with intervals after the run.
        where: the file it came from, for error messages.
        folders: folders in which strategies are looked up first.
    """

    name: str
    arms: tuple[ArmPlan, ...]
    title: str = ""
    question: str = ""
    seed: int = 1
    deals: int = DEFAULT_DEALS
    seatings: str = "rotate"
    keep: str = "games"
    variants: Mapping[str, Variant] = field(default_factory=dict)
    stop: Stop | None = None
    expect: tuple[Expectation, ...] = ()
    where: str = "experiment"
    folders: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        check_number(self.where, "seed", self.seed, 0, MAX_SEED)
        check_number(self.where, "deals", self.deals, 1, MAX_DEALS)
        check_word(self.where, "seatings", self.seatings, SEATING_MODES)
        check_word(self.where, "keep", self.keep, KEEPS)
        if not self.arms:
            raise InputError(f"{self.where}: no arms; add at least one [[arms]] with variant and players")
        for number, arm in enumerate(self.arms):
            _check_players(f"{self.where}: {_called(arm, number)}", arm.players)
            self.rules(number)

    def rules(self, number: int) -> Rules:
        """Resolved rules of arm `number`; InputError for an unknown variant or a wrong seat count."""
        arm = self.arms[number]
        with placed(f"{self.where}: {_called(arm, number)}"):
            return find_variant(arm.variant, self.variants).rules(len(arm.players))

    def changed(self, changes: Changes) -> Experiment:
        """This experiment with `changes` made; arms that become equal are merged.

        What is expected is about the experiment's own arms, so it goes when these are changed.
        """
        plain: dict[str, Any] = {
            name: value
            for name in ("deals", "seed", "seatings", "keep")
            if (value := getattr(changes, name)) is not None
        }
        if changes.variant is not None:
            variant = named_variant(changes.variant, self.variants)
            plain["variants"] = {**self.variants, variant.name: variant}
            changes = replace(changes, variant=variant.name)
        arms = tuple(_changed_arm(arm, changes) for arm in self.arms)
        if arms != self.arms:
            plain |= {"arms": tuple(dict.fromkeys(arms)), "expect": ()}
        return replace(self, **plain) if plain else self

    def retitled(self, name: str, title: str) -> Experiment:
        """The same experiment under another name and title."""
        return replace(self, name=name, title=title)

    def build(self) -> tuple[Arm, ...]:
        """Load the strategies and return the arms to play, numbered from 0.

        Raises InputError for an unknown strategy or parameter (saying which arm), for equal arms
        without names of their own, and for two different strategies under one label.
        """
        from beansim.engine import Arm

        loaded: dict[str, Entrant] = {}
        lineups = [self.lineup(number, loaded) for number in range(len(self.arms))]
        # Where every table is made of copies, turning it changes nothing: each deal is played once.
        copies = all(len(set(_identities(lineup))) == 1 for lineup in lineups)
        mode = "fixed" if copies else self.seatings
        check_labels(self.where, itertools.chain.from_iterable(lineups))
        names = arm_names(self.where, self.arms, [[e.label for e in lineup] for lineup in lineups])
        return tuple(
            Arm(name, self.rules(number), lineup, seat(_identities(lineup), mode), number)
            for number, (name, lineup) in enumerate(zip(names, lineups, strict=True))
        )

    def lineup(self, number: int, loaded: dict[str, Entrant] | None = None) -> tuple[Entrant, ...]:
        """Load the strategies of arm `number`; InputError says which arm has an unknown one.

        Those in `loaded` are taken from there, and others added: the arms of one experiment repeat them.
        """
        from beansim.strategy import load

        arm, known = self.arms[number], {} if loaded is None else loaded
        with placed(f"{self.where}: {_called(arm, number)}"):
            for spec in arm.players:
                if spec not in known:
                    known[spec] = load(self.located(spec), self.folders)
            return tuple(known[spec] for spec in arm.players)

    def located(self, spec: str) -> str:
        """`file.py:Class` with its whole path, counted from here, else from the experiment's folder."""
        path, dot_py, rest = spec.partition(".py")
        if not dot_py:
            return spec
        here, beside = (folder / f"{path}.py" for folder in (Path(), Path(self.where).parent))
        found = here if here.exists() or not beside.exists() else beside
        return f"{found.resolve()}{rest}"


def experiment_of(
    name: str, variants: Sequence[str], lineups: Sequence[Sequence[str]], **settings: Any
) -> Experiment:
    """An experiment made on a command line: every line-up under every variant.

    Args:
        name: of the experiment, and where its errors are said to be.
        variants: each a name or `FILE.toml:NAME`.
        lineups: each one strategy for every seat.
        settings: other attributes of `Experiment`.
    """
    found = [named_variant(text) for text in variants]
    arms = tuple(
        ArmPlan(variant=variant.name, players=tuple(players)) for players in lineups for variant in found
    )
    known = {variant.name: variant for variant in found}
    if len(known) < len(found):
        raise InputError(f"two of the variants {', '.join(variants)} have the same name")
    return Experiment(
        name=name, arms=arms, variants=known, folders=strategy_folders(), **{"where": name, **settings}
    )


def _called(arm: ArmPlan, number: int) -> str:
    return f"arm {number + 1} ({arm.name or arm.variant})"


# --- reading -----------------------------------------------------------------------------------


def find_experiment(text: str) -> Path:
    """File of the experiment called `text`: a path, or a name in ./experiments, or one of beansim's."""
    if text.endswith(".toml") or Path(text).is_file():
        return Path(text)
    files = experiment_files()
    if text not in files and Path(text).is_dir():
        raise InputError(f"{text} is a folder, expected the file or the name of an experiment")
    if text not in files:
        raise unknown("experiment", text, files, "./experiments and those that come with beansim")
    return files[text]


def experiment_files() -> dict[str, Path]:
    """Every experiment that can be run by name; those of the workspace win over beansim's own."""
    folders = (bundled_folder("experiments"), Path("experiments"))
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}


def read_experiment(path: Path) -> Experiment:
    """Read and check the experiment file `path`; InputError names the file and the arm at fault."""
    data = read_toml(path)
    where = str(path)
    check_keys(where, "key", data, TOP_KEYS)
    settings = {key: data[key] for key in SETTINGS if key in data}
    for key in ("title", "question"):
        check_text(where, key, settings.get(key, ""))
    # the line breaks of a multi-line string are layout of the file, not part of the question
    settings["question"] = " ".join(settings.get("question", "").split())
    return Experiment(
        name=path.stem,
        arms=tuple(_read_arm(where, number, arm) for number, arm in enumerate(_tables(where, data, "arms"))),
        variants=read_variants(where, data.get("variants", {})),
        stop=_read_stop(where, data.get("stop")),
        expect=_read_expect(where, data.get("expect", [])),
        where=where,
        folders=strategy_folders(path),
        **settings,
    )


SETTINGS = ("title", "question", "seed", "deals", "seatings", "keep")
TOP_KEYS = (*SETTINGS, "arms", "variants", "stop", "expect")
ARM_KEYS = ("name", "variant", "players")


def strategy_folders(experiment: Path | None = None) -> tuple[Path, ...]:
    """Folders of strategies that go before beansim's own: of this workspace and the experiment's."""
    folders = [Path("strategies")]
    if experiment is not None and experiment.resolve().parent.name == "experiments":
        folders.append(experiment.resolve().parent.parent / "strategies")
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))


def _tables(where: str, data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise InputError(f"{where}: {key} is {value!r}, expected tables, each under [[{key}]]")
    return value


def _read_arm(where: str, number: int, data: Any) -> ArmPlan:
    place = f"{where}: arm {number + 1}"
    if not isinstance(data, Mapping):
        raise InputError(f"{place} is {data!r}, expected a table with variant and players")
    check_keys(place, "key", data, ARM_KEYS)
    for key in ("name", "variant"):
        check_text(place, key, data.get(key, ""))
    if "players" not in data:
        raise InputError(f"{place}: no players; name one strategy for each seat")
    players = data["players"]
    if not isinstance(players, list) or not all(isinstance(player, str) for player in players):
        raise InputError(f"{place}: players is {players!r}, expected a list of strategy names")
    return ArmPlan(variant=data.get("variant", "base"), players=tuple(players), name=data.get("name", ""))


def _read_stop(where: str, data: Any) -> Stop | None:
    with placed(where):
        return None if data is None else Stop.read(data)


def _read_expect(where: str, data: Any) -> tuple[Expectation, ...]:
    if not isinstance(data, list) or not all(isinstance(line, str) for line in data):
        raise InputError(f"{where}: expect is {data!r}, expected a list of lines in quotes")
    with placed(where):
        return tuple(read_expectation(line) for line in data)


# --- checks ------------------------------------------------------------------------------------


def _check_players(where: str, players: Sequence[str]) -> None:
    if not 2 <= len(players) <= MAX_PLAYERS:
        names = ", ".join(players) or "none"
        raise InputError(f"{where}: players are {names}; expected 2 to {MAX_PLAYERS}, one for each seat")
    if any(not player.strip() for player in players):
        raise InputError(f"{where}: an empty name among the players {list(players)}")


def check_labels(where: str, entrants: Iterable[Entrant]) -> None:
    """Tables go by label, so one label must mean one strategy in all of them; InputError if not."""
    seen: dict[str, Entrant] = {}
    for entrant in entrants:
        other = seen.setdefault(entrant.label, entrant)
        if other.digest != entrant.digest:
            raise InputError(
                f"{where}: two different strategies are both called {entrant.label!r}: "
                f"{other.path} and {entrant.path}; rename one of the classes"
            )


# --- line-ups, names and seatings ----------------------------------------------------------------

_PARAMETER = re.compile(r"\s*[A-Za-z_]\w*\s*=")


def split_players(text: str) -> tuple[str, ...]:
    """Split `a,b:x=1,y=2,c` into a line-up; a piece `name=value` belongs to the strategy before it."""
    players: list[str] = []
    for piece in text.split(","):
        if not _PARAMETER.match(piece):
            players.append(piece.strip())
        elif not players:
            raise InputError(f"players {text!r}: no strategy stands before {piece.strip()!r}")
        else:
            # "trader,margin=1" means what "trader:margin=1" does.
            players[-1] += ("," if ":" in _without_path(players[-1]) else ":") + piece.strip()
    if not all(players):
        raise InputError(f"players {text!r}: an empty name; write one strategy for each seat, with commas")
    return tuple(players)


def _without_path(spec: str) -> str:
    """The part of a spec in which a colon starts the parameters."""
    return spec.rpartition(".py:")[2]


def _changed_arm(arm: ArmPlan, changes: Changes) -> ArmPlan:
    if changes.players is None and changes.variant is None:
        return arm
    # A name given by hand describes what it was given for, so a changed arm loses it.
    return ArmPlan(variant=changes.variant or arm.variant, players=changes.players or arm.players)


def arm_names(where: str, arms: Sequence[ArmPlan], lineups: Sequence[Sequence[str]]) -> list[str]:
    """A name for every arm: its own, else its variant, with the line-up where that alone is not unique."""
    variants = [arm.name or arm.variant for arm in arms]
    alone = {name for name in variants if variants.count(name) == 1}
    names = [
        name if arm.name or name in alone else f"{name} ({short_lineup(labels)})"
        for arm, name, labels in zip(arms, variants, lineups, strict=True)
    ]
    for number, name in enumerate(names):
        first = names.index(name)
        if first != number:
            both = f"arms {first + 1} and {number + 1}"
            raise InputError(f"{where}: {both} are both called {name!r}; give one of them a name of its own")
    return names


def short_lineup(labels: Sequence[str]) -> str:
    """A line-up in few words: neighbours that are equal are counted (`3 trader, miser`)."""
    groups = [(label, len(list(group))) for label, group in itertools.groupby(labels)]
    return ", ".join(label if count == 1 else f"{count} {label}" for label, count in groups)


def _identities(lineup: Sequence[Entrant]) -> list[tuple[str, str]]:
    return [(entrant.label, entrant.digest) for entrant in lineup]


def seat(lineup: Sequence[object], mode: str) -> Seatings:
    """Seatings of a line-up under `mode` (`SEATING_MODES`), the line-up as written first.

    `rotate` gives every entry each seat once, also where copies make two of them alike: only so is an
    entry compared fairly between arms. `permute` leaves out arrangements that differ in copies alone.
    """
    seatings = _ARRANGEMENTS[mode](len(lineup))
    return _distinct(lineup, seatings) if mode == "permute" else tuple(seatings)


def _rotations(count: int) -> Iterator[tuple[int, ...]]:
    return (tuple((seat + shift) % count for seat in range(count)) for shift in range(count))


_ARRANGEMENTS: dict[str, Callable[[int], Iterator[tuple[int, ...]]]] = {
    "rotate": _rotations,
    "permute": lambda count: itertools.permutations(range(count)),
    "fixed": lambda count: iter([tuple(range(count))]),
}


def _distinct(lineup: Sequence[object], seatings: Iterator[tuple[int, ...]]) -> Seatings:
    found: dict[tuple[object, ...], tuple[int, ...]] = {}
    for seating in seatings:
        found.setdefault(tuple(lineup[entry] for entry in seating), seating)
    return tuple(found.values())


# --- as stored with a run ------------------------------------------------------------------------


def describe(experiment: Experiment, arms: Sequence[Arm]) -> dict[str, Any]:
    """The resolved experiment as plain data: what `experiment.json` of a run holds."""
    return {
        "format": FORMAT,
        "beansim": __version__,
        "name": experiment.name,
        "title": experiment.title,
        "question": experiment.question,
        "seed": experiment.seed,
        "deals": experiment.deals,
        "seatings": experiment.seatings,
        "keep": experiment.keep,
        "stop": asdict(experiment.stop) if experiment.stop else None,
        "expect": [expectation.text for expectation in experiment.expect],
        "folders": _folders_used(experiment, arms),
        "arms": [
            _describe_arm(experiment, plan, arm) for plan, arm in zip(experiment.arms, arms, strict=True)
        ],
    }


def _folders_used(experiment: Experiment, arms: Sequence[Arm]) -> list[str]:
    """Folders that a strategy came from, beansim's own left out: the same run is described alike anywhere."""
    used = {entrant.path.resolve().parent for arm in arms for entrant in arm.lineup}
    used.discard(bundled_folder("strategies").resolve())
    return [str(folder) for folder in experiment.folders if folder.resolve() in used]


def _describe_arm(experiment: Experiment, plan: ArmPlan, arm: Arm) -> dict[str, Any]:
    return {
        "name": arm.name,
        "variant": plan.variant,
        "rules": arm.rules.to_dict(),
        "players": [
            {"spec": experiment.located(spec), "label": entrant.label, "digest": entrant.digest}
            for spec, entrant in zip(plan.players, arm.lineup, strict=True)
        ],
    }


def from_description(data: Mapping[str, Any], where: str) -> Experiment:
    """The experiment that `describe` wrote; its rules are those stored, whatever variants say by now."""
    try:
        settings = {key: data[key] for key in ("name", *SETTINGS)}
        arms = [
            ArmPlan(
                variant=str(arm["variant"]),
                players=tuple(str(player["spec"]) for player in arm["players"]),
                name=str(arm["name"]),
            )
            for arm in data["arms"]
        ]
        folders = tuple(Path(str(folder)) for folder in data["folders"])
        variants = _stored_variants([Rules.from_dict(arm["rules"], where) for arm in data["arms"]])
        settings["stop"] = Stop.read(data["stop"]) if data["stop"] else None
        settings["expect"] = _read_expect(where, data["expect"])
    except (KeyError, TypeError) as error:
        raise InputError(f"{where}: not the experiment of a run: {error}") from error
    return Experiment(arms=tuple(arms), variants=variants, where=where, folders=folders, **settings)


def check_same(stored: Mapping[str, Any], now: Mapping[str, Any], where: str) -> None:
    """InputError when results described by `stored` must not be mixed with those described by `now`."""
    changes = changes_since(stored, now)
    if changes:
        raise InputError(f"cannot go on with {where}: {'; '.join(changes)}; start again with another --out")


def changes_since(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Why results described by `stored` and by `now` must not be mixed, in words; empty when they may be."""
    changed: list[str] = []
    for old, new in zip(stored["arms"], now["arms"], strict=True):
        for was, player in zip(old["players"], new["players"], strict=True):
            if was["digest"] != player["digest"]:
                changed.append(f"the source of {player['label']!r} has changed since")
    if stored["beansim"] != now["beansim"]:
        changed.append(f"begun with beansim {stored['beansim']}, this is {now['beansim']}")
    return list(dict.fromkeys(changed))


def _stored_variants(all_rules: Sequence[Rules]) -> dict[str, Variant]:
    options: dict[str, dict[int, dict[str, Any]]] = {}
    for rules in all_rules:
        data = rules.to_dict()
        del data["variant"], data["players"]
        options.setdefault(rules.variant, {})[rules.players] = data
    return {
        name: Variant(name, name, "stored with a run", tuple(sorted(by_players)), {}, by_players)
        for name, by_players in options.items()
    }
