"""From a line-up's text to a strategy: names, files, parameters.

`trader`, `trader:margin=0.5,greed=2`, `path/to/file.py`, `path/to/file.py:ClassName`, and
`path/to/file.py:ClassName:margin=0.5` (DESIGN, strategy). A name is looked up in the workspace's folders,
among the strategies that come with beansim, and among those that installed packages register.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from beansim.bundled import bundled_folder
from beansim.errors import InputError, StrategyError, unknown
from beansim.strategy.base import Param, StrategyMeta
from beansim.strategy.defaults import Strategy

GROUP = "beansim.strategies"
"""Entry point group under which a package registers strategies: `name = "package.module:Class"`."""

_FILE_SPEC = re.compile(r"^(?P<path>.+\.py)(?::(?P<cls>[A-Za-z_]\w*))?(?::(?P<values>.*))?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A strategy with its parameter values, as it stands in a line-up.

    Attributes:
        label: canonical text: the name and every parameter that is not the default.
        name: the strategy's name.
        values: every parameter's value, by name.
        cls: the class.
        path: the file it came from.
        digest: hash of that file and of those of the parent classes.
        spec: what `load` turns into the same entrant, also in another process.
    """

    label: str
    name: str
    values: Mapping[str, float]
    cls: StrategyMeta
    path: Path
    digest: str
    spec: str

    @property
    def compiled(self) -> bool:
        """True when the hooks run as machine code."""
        return bool(self.cls.compiled)


def load(spec: str, folders: Sequence[Path] = ()) -> Entrant:
    """Load the strategy that `spec` names.

    Args:
        spec: a name with optional parameters, or a path with an optional class and parameters.
        folders: folders searched for NAME.py before the strategies that come with beansim.

    Raises:
        InputError: unknown name, class or parameter, or a value out of bounds, with the nearest
            valid choice.
        StrategyError: the file cannot be imported.
    """
    match = _FILE_SPEC.match(spec.strip())
    if match:
        path = Path(match["path"]).expanduser()
        cls = _class_of(_load_file(path), path, match["cls"] or "")
        name, values, origin = match["cls"] or path.stem, match["values"] or "", str(path.resolve())
        origin += f":{match['cls']}" if match["cls"] else ""
    else:
        name, _, values = spec.strip().partition(":")
        path, cls, origin = _find(name, folders)
    chosen = _read_values(cls, values, spec)
    return _entrant(name, cls, path, chosen, origin)


def available(folders: Sequence[Path] = ()) -> dict[str, Path]:
    """Names of the strategies in `folders` and of those that come with beansim, and their files."""
    found: dict[str, Path] = {}
    for folder in (*folders, bundled_folder("strategies")):
        for path in sorted(Path(folder).glob("*.py")):
            if not path.stem.startswith("_"):
                found.setdefault(path.stem, path)
    return found


def registered() -> dict[str, EntryPoint]:
    """Strategies that installed packages register (`GROUP`), by name.

    Raises InputError when two packages register one name.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise InputError(
                f"strategy {point.name!r} is registered twice: {_registrant(other)}, {_registrant(point)}"
            )
    return found


def _registrant(point: EntryPoint) -> str:
    """Who registers a strategy, and what."""
    return f"{point.value} by {point.dist.name if point.dist else 'an unknown package'}"


def _entrant(name: str, cls: StrategyMeta, path: Path, values: dict[str, float], origin: str) -> Entrant:
    changed = [
        f"{key}={cls.params[key].text(value)}"
        for key, value in values.items()
        if value != cls.params[key].default
    ]
    tail = f":{','.join(changed)}" if changed else ""
    return Entrant(name + tail, name, values, cls, path, _digest(cls, path), origin + tail)


def _digest(cls: StrategyMeta, path: Path) -> str:
    """Hash of the strategy's file and of those of the classes that it builds on.

    Without the package's own base classes: the version of beansim stands for them.
    """
    modules = dict.fromkeys(base.__module__ for base in cls.__mro__[:-1])
    authored = [name for name in modules if not name.startswith("beansim.strategy.")]
    files = [sys.modules[name].__file__ for name in authored if name in sys.modules]
    paths = dict.fromkeys([path.resolve(), *(Path(file).resolve() for file in files if file)])
    # By text, not by path: a file may have been loaded before from elsewhere.
    texts = dict.fromkeys(hashlib.sha256(file.read_bytes()).hexdigest() for file in paths)
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:12]


def _find(name: str, folders: Sequence[Path]) -> tuple[Path, StrategyMeta, str]:
    names, packaged = available(folders), registered()
    if name in packaged and name not in names:
        return _find_registered(packaged[name])
    if name not in names:
        raise unknown("strategy", name, {**names, **packaged})
    path = names[name]
    if path.parent.resolve() == bundled_folder("strategies").resolve():
        if name in packaged:
            who = _registrant(packaged[name])
            raise InputError(f"strategy {name!r} comes with beansim and is registered too, as {who}")
        module = _import(f"beansim.strategies.{name}", path)
        return path, _class_of(module, path, ""), name
    return path, _class_of(_load_file(path), path, ""), str(path.resolve())


def _find_registered(point: EntryPoint) -> tuple[Path, StrategyMeta, str]:
    try:
        cls = point.load()
    except (StrategyError, InputError):
        raise
    except (Exception, SystemExit) as error:
        who = _registrant(point)
        raise StrategyError(
            f"{point.name}: {who} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(cls, StrategyMeta):
        raise StrategyError(f"{point.name}: {_registrant(point)} is {cls!r}, expected a strategy class")
    return Path(str(sys.modules[cls.__module__].__file__)), cls, point.name


def _import(module: str, path: Path) -> ModuleType:
    try:
        return importlib.import_module(module)
    except (StrategyError, InputError):
        raise
    except (Exception, SystemExit) as error:
        raise StrategyError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from error


def _load_file(path: Path) -> ModuleType:
    """Import a file under a name that carries its text's hash.

    Two files of the same module and function names must never share machine code (numba
    #10486); it also lets two versions of a strategy play each other.
    """
    if not path.is_file():
        raise InputError(f"strategy file {str(path)!r} does not exist")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    name = f"beansim_strategy_{re.sub(r'[^0-9a-zA-Z]', '_', path.stem)}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, StrategyError | InputError):
            raise StrategyError(f"{path}: {error}") from error
        if not isinstance(error, Exception | SystemExit):
            raise
        raise StrategyError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from error
    return module


def _class_of(module: ModuleType, path: Path, wanted: str) -> StrategyMeta:
    classes = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, StrategyMeta) and value.__module__ == module.__name__ and not key.startswith("_")
    }
    if wanted:
        if wanted not in classes:
            raise unknown("class", wanted, classes, str(path))
        return classes[wanted]
    if len(classes) != 1:
        listing = ", ".join(sorted(classes)) or "none"
        raise InputError(f"{path}: expected one strategy class, found {listing}; name it as {path}:ClassName")
    return next(iter(classes.values()))


def _read_values(cls: StrategyMeta, text: str, where: str) -> dict[str, float]:
    values: dict[str, float] = {name: item.default for name, item in cls.params.items()}
    given: set[str] = set()
    for piece in filter(None, (part.strip() for part in text.split(","))):
        name, sign, value = piece.partition("=")
        if not sign:
            raise InputError(f"strategy {where!r}: expected name=value, got {piece!r}")
        if name.strip() not in cls.params:
            raise unknown("parameter", name.strip(), cls.params, f"strategy {where!r}")
        item = cls.params[name.strip()]
        if item.name in given:
            raise InputError(f"strategy {where!r}: {item.name} is given twice")
        given.add(item.name)
        values[item.name] = _read_value(item, value.strip(), where)
    return values


def _read_value(item: Param, text: str, where: str) -> float:
    if item.names:
        if text not in item.names:
            raise unknown(item.name, text, item.names, f"strategy {where!r}")
        return item.names.index(text)
    try:
        value = ast.literal_eval({"true": "True", "false": "False"}.get(text.lower(), text))
        number = item.kind(value) if isinstance(value, int | float) else None
    except (ValueError, SyntaxError, OverflowError):
        number = None
    if number is None or number != value or not item.low <= number <= item.high:
        kind = {int: "a whole number", float: "a number", bool: "true or false"}[item.kind]
        raise InputError(
            f"strategy {where!r}: {item.name}={text} is not {kind} from {item.low:g} to {item.high:g}"
        )
    return number


__all__ = ["Entrant", "Strategy", "available", "load", "registered"]
