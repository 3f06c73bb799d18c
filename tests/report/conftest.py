"""Run folders made by the synthetic engine, read once."""

from __future__ import annotations

import pytest
from synthetic_runs import make_run

from beansim.analysis.run import Run


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("runs") / "two-pass")


@pytest.fixture(scope="session")
def stored(run_folder):
    return Run.read(run_folder)
