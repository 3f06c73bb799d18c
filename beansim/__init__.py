"""beansim: Monte Carlo strategy analysis for the card game Bohnanza.

`import beansim` is cheap: what it offers is loaded when it is first used.

    result = beansim.simulate(players=["trader", "trader", "miser", "hermit"], deals=2000)
    result.summary()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from beansim.api import Plots, Result, match, open_run, simulate, tournament
    from beansim.experiment import Experiment, read_experiment
    from beansim.rules import Rules
    from beansim.strategy import Strategy

__all__ = [
    "Experiment",
    "Plots",
    "Result",
    "Rules",
    "Strategy",
    "__version__",
    "match",
    "open_run",
    "read_experiment",
    "simulate",
    "tournament",
]

_PLACES = {
    "Experiment": "beansim.experiment",
    "Plots": "beansim.api",
    "Result": "beansim.api",
    "Rules": "beansim.rules",
    "Strategy": "beansim.strategy",
    "match": "beansim.api",
    "open_run": "beansim.api",
    "read_experiment": "beansim.experiment",
    "tournament": "beansim.api",
}
"""Where each public name is; modules are imported when the name is first used."""


def __getattr__(name: str) -> Any:
    import importlib

    if name == "simulate":
        # The package of that name, which can be called.
        return importlib.import_module("beansim.simulate")
    if name not in _PLACES:
        raise AttributeError(f"module 'beansim' has no attribute {name!r}")
    value = getattr(importlib.import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
