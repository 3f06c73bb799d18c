"""Charts are the same files whoever draws them, and are drawn whatever happens to the helper."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from beansim.analysis.run import Run
from beansim.report import drawing
from beansim.report import helper as helpers
from beansim.report.drawing import draw_all
from beansim.report.helper import Helper

NAMES = ("win_share", "seats", "lengths", "run_outs")


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Helper]:
    monkeypatch.setattr(helpers, "cores", lambda: 2)
    with Helper() as found:
        found.start()
        yield found


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_helper_draws_the_same(run_folder: Path, tmp_path: Path, helper: Helper) -> None:
    run = Run.read(run_folder)
    alone = draw_all(run, NAMES, tmp_path / "alone")
    assert draw_all(run, NAMES, tmp_path / "helped", helper) == alone
    assert files(tmp_path / "helped") == files(tmp_path / "alone")
    assert {f"{name}{kind}" for name in NAMES for kind in (".png", ".svg")} == set(files(tmp_path / "alone"))


def test_it_is_the_helper_that_draws(run_folder: Path, tmp_path: Path, helper: Helper) -> None:
    from beansim.report.charts import CHARTS

    left, sizes = deque(one for one in CHARTS if one.name in NAMES), dict[str, tuple[float, float]]()
    helper.take_from(left, sizes, run_folder, tmp_path)
    assert not left
    assert set(sizes) == set(NAMES)
    assert {path.stem for path in tmp_path.iterdir()} == set(NAMES)


@pytest.mark.parametrize("fault", ["dies", "never began", "hangs", "talks nonsense"])
def test_what_a_lost_helper_leaves_is_drawn(
    run_folder: Path, tmp_path: Path, helper: Helper, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "PATIENCE", 0.5)
    if fault == "dies":
        helper.stop()
    elif fault == "never began":
        helper.close()
    else:
        helper.close()
        code = "import time; time.sleep(600)" if fault == "hangs" else "print(input() * 3)"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        helper._process = subprocess.Popen([sys.executable, "-c", code], **pipes)
    pictures = draw_all(Run.read(run_folder), NAMES, tmp_path / "charts", helper)
    assert [one.name for one in pictures] == list(NAMES)
    assert len(files(tmp_path / "charts")) == 2 * len(NAMES)


def test_no_helper_for_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "cores", lambda: 1)
    with Helper() as lazy:
        lazy.start()
        assert lazy._process is None
