"""When an experiment may stop before all its deals are played: `[stop]` in its file.

Here the table is read; `analysis.stopping` judges. A run stops after a chunk, and chunks count in their
order, so `half_width` stops at the same deal for any number of workers. `max_time` stops where the clock
says, but what is stored then is what a run of so many deals stores.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from beansim.errors import InputError, unknown

OF = ("means", "differences")
"""Which intervals must be narrow: those of all means, or those of all differences."""

KEYS = ("half_width", "metric", "of", "max_time")

_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """When to stop; at least one of `half_width` and `max_time`.

    Attributes:
        half_width: half the width of the 95 % interval that is narrow enough, in the metric's unit.
        metric: of a seat or of a game.
        of: one of `OF`.
        max_time: seconds of play.
    """

    half_width: float | None = None
    metric: str = "win_share"
    of: str = "means"
    max_time: float | None = None

    def __post_init__(self) -> None:
        if self.half_width is None and self.max_time is None:
            raise InputError("[stop] needs half_width or max_time")
        for name in ("half_width", "max_time"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and value > 0 and math.isfinite(value)):
                raise InputError(f"[stop] {name} is {value!r}, expected a number above 0")
        if not isinstance(self.metric, str):
            raise InputError(f"[stop] metric is {self.metric!r}, expected text in quotes")
        if self.of not in OF:
            raise unknown("value of 'of'", self.of, OF, "[stop]")

    @classmethod
    def read(cls, data: Any) -> Stop:
        """Read the table; InputError says what is wrong with it."""
        if not isinstance(data, Mapping):
            raise InputError(f"stop is {data!r}, expected a table [stop] with half_width or max_time")
        for key in data:
            if key not in KEYS:
                raise unknown("key", key, KEYS, "[stop]")
        settings = dict(data)
        if isinstance(settings.get("max_time"), str):
            settings["max_time"] = read_time(settings["max_time"])
        return cls(**settings)


def read_time(text: str) -> int:
    """Seconds in a text like `90s`, `10m` or `1h30m`."""
    match = _TIME.fullmatch(text.strip())
    if not match or not any(match.groups()):
        raise InputError(f"[stop] max_time is {text!r}, expected seconds, or text like '90s', '10m', '1h30m'")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
