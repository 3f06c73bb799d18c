"""Names of strategies and arms, made safe for where they are shown.

A name may hold anything: quotes, markup, line breaks, right-to-left text. HTML is escaped by the
template engine; here are the other places.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable, Sequence

ELLIPSIS = "…"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes text that begins so for a formula."""

INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories that are shown by their number: controls, direction marks, unassigned."""


def plain(name: str) -> str:
    """The name on one line, with whatever is invisible or changes the direction of text made visible."""
    if name.isprintable():
        return name
    return "".join(
        f"\\u{ord(mark):04x}" if unicodedata.category(mark) in INVISIBLE else mark for mark in name
    )


def in_sentence(name: str) -> str:
    """The name of an arm within a sentence: in quotes where it is more than one word."""
    return plain(name) if re.fullmatch(r"\S*\w", name) else f"“{plain(name)}”"


def for_chart(name: str, width: int = 28) -> str:
    """The name as a label of a chart: short, and never taken for a formula by matplotlib."""
    return shorten(plain(name), width).replace("$", r"\$")


def for_file(name: str) -> str:
    """A file name that every system accepts, from any name."""
    text = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:60] or "unnamed"


def for_shell(words: Iterable[str]) -> str:
    """A command on one line, to be copied: the unseen is written as bash and zsh read it, `$'..'`."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    marks = (mark if mark.isprintable() and mark not in "\\'" else f"\\U{ord(mark):08x}" for mark in word)
    return f"$'{''.join(marks)}'"


def for_cell(value: object) -> object:
    """A value as it may stand in a CSV file: text that a spreadsheet would compute gets a quote in front."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def for_markdown(text: str) -> str:
    """Text in a cell of a Markdown table, shown as it is."""
    escaped = re.sub(r"([\\`*_{}\[\]>|#~$&@])", r"\\\1", plain(text))
    return escaped.replace("<", "&lt;")


def shorten(name: str, width: int) -> str:
    """At most `width` characters: the middle goes first, since names differ at their ends."""
    if len(name) <= width:
        return name
    if width < 5:
        return name[:width]
    tail = (width - 1) // 2
    return name[: width - 1 - tail] + ELLIPSIS + name[-tail:]


def shorten_all(names: Sequence[str], width: int) -> list[str]:
    """Shorten several names so that different names stay different; a number settles what is left."""
    texts = [plain(name) for name in names]
    short = [shorten(text, width) for text in texts]
    return [
        _numbered(one, _rank(names, short, place), width) if _clashes(names, short, place) else one
        for place, one in enumerate(short)
    ]


def _clashes(names: Sequence[str], short: Sequence[str], place: int) -> bool:
    return any(one == short[place] and name != names[place] for one, name in zip(short, names, strict=True))


def _rank(names: Sequence[str], short: Sequence[str], place: int) -> int:
    same: Iterable[str] = (name for one, name in zip(short, names, strict=True) if one == short[place])
    return list(dict.fromkeys(same)).index(names[place]) + 1


def _numbered(text: str, number: int, width: int) -> str:
    mark = f"{ELLIPSIS}{number}"
    return text[: max(0, width - len(mark))] + mark
