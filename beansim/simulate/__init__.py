"""Plays experiments: batches, fan-out, chunks on disk, tallies. Import from its modules.

The package itself can be called: `beansim.simulate(players=[...])` is `beansim.api.simulate`. One
name is both, so the package has to be the function, whichever of them is used first.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beansim.api import Result


class _Callable(ModuleType):
    def __call__(self, *what: Any, **options: Any) -> Result:
        """Play an experiment, or one line-up: see `beansim.api.simulate`."""
        from beansim.api import simulate

        return simulate(*what, **options)


sys.modules[__name__].__class__ = _Callable
