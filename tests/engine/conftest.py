from __future__ import annotations

from collections.abc import Callable

import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import Batch, play

Logged = Callable[..., Batch]

TABLES = [
    pytest.param((variant, players, names), id=f"{variant}-{players}-{kind}")
    for variant in ("base", "two-pass")
    for players in (3, 4, 5)
    for kind, names in (
        ("random", ("random",) * players),
        ("trader", ("trader",) * players),
        ("mixed", ("trader", "random", "collector", "miser", "generous")[:players]),
    )
]
"""Random, trader and mixed tables of every size, in both variants."""


@pytest.fixture(scope="session", params=TABLES)
def logged(request: pytest.FixtureRequest) -> Batch:
    """Some logged games of one table."""
    variant, players, names = request.param
    return play(table_of(rules_of(variant, players), names), 11, 0, 4, log=True)
