"""Errors that a person can act on, and the nearest valid choice for a mistyped name."""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable


class BeansimError(Exception):
    """Base of every error that beansim raises on purpose. The message is meant for a person."""

    exit_code = 1


class InputError(BeansimError):
    """Wrong use: an input that cannot be accepted. Says what, where, and what was expected."""

    exit_code = 2


class StrategyError(BeansimError):
    """A strategy broke its contract (an illegal answer, an exception, code that cannot compile)."""

    exit_code = 4


def nearest(name: str, choices: Iterable[str], limit: int = 3) -> list[str]:
    """Return the valid choices most like `name`, in any case, best first; empty when nothing is near."""
    lower: dict[str, list[str]] = {}
    for choice in choices:
        lower.setdefault(choice.lower(), []).append(choice)
    near = difflib.get_close_matches(str(name).lower(), lower, n=limit, cutoff=0.5)
    return [choice for match in near for choice in lower[match]][:limit]


def unknown(what: str, name: object, choices: Iterable[str], where: str = "") -> InputError:
    """Build the error for a name that is not among `choices`.

    The text names the thing, the place, the nearest choices, and all choices when there are few.
    """
    names = sorted(choices)
    near = nearest(str(name), names)
    place = f" in {where}" if where else ""
    hint = f"; did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
    listing = f" (valid: {', '.join(names)})" if len(names) <= 30 else ""
    return InputError(f"unknown {what} {str(name)!r}{place}{hint}{listing}")


def told(error: BaseException) -> str:
    """An exception of somebody's code in one line: what, and in which line of a file."""
    text = " ".join(str(error).split())
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" at {one.filename.rsplit('/', 1)[-1]}:{one.lineno} [{one.line}]" for one in last)
    return f"{type(error).__name__}: {text}{where}"
