"""Draws the charts of a report and writes their files, together with another process where there is one."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections import deque
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from beansim.analysis.run import Run
from beansim.processes import end_with
from beansim.report.charts import CHARTS, Chart
from beansim.report.helper import Helper, Inches, load

if TYPE_CHECKING:
    from beansim.report.html import Picture


PATIENCE = 60.0
"""Seconds that the helper gets for its last chart: many times what one takes."""


def draw_all(
    run: Run, names: Collection[str] | None, folder: Path, helper: Helper | None = None
) -> list[Picture]:
    """Draw those of these charts that the run has anything to show in, all by default; write their files.

    The files are the same with a helper and without.
    """
    from beansim.report.html import picture

    charts = [one for one in CHARTS if (names is None or one.name in names) and one.wanted(run)]
    if charts:
        folder.mkdir(parents=True, exist_ok=True)
    sizes = _draw_with(helper, run, charts, folder)
    return [
        picture(one.name, one.alt(run), (folder / f"{one.name}.svg").read_bytes(), sizes[one.name])
        for one in charts
    ]


def _draw_with(helper: Helper | None, run: Run, charts: Sequence[Chart], folder: Path) -> dict[str, Inches]:
    """Sizes of the charts: this process takes them from the front, the helper from the end."""
    left, sizes = deque(charts), dict[str, Inches]()
    thread = None
    if helper is not None and run.folder is not None:
        asked = (left, sizes, run.folder, folder)
        thread = threading.Thread(target=helper.take_from, args=asked, daemon=True)
        thread.start()
    while True:
        try:
            chart = left.popleft()
        except IndexError:
            if thread is None:
                return sizes
            thread.join(PATIENCE)
            if thread.is_alive() and helper is not None:
                helper.stop()
                thread.join()
            # What the helper could not draw is left again.
            thread = None
        else:
            sizes[chart.name] = _draw(run, chart, folder)


def _draw(run: Run, chart: Chart, folder: Path) -> Inches:
    from beansim.report.export import drawing, write_chart

    with drawing():
        figure = chart.draw(run)
        write_chart(figure, folder / chart.name)
    width, height = figure.get_size_inches()
    return float(width), float(height)


def serve(asked: TextIO, told: TextIO) -> None:
    """Draw what is asked for, line by line: `[chart, folder of the run, folder of the charts]`."""
    load()
    charts, runs = {one.name: one for one in CHARTS}, dict[str, Run]()
    for line in asked:
        chart, run_folder, folder = json.loads(line)
        if run_folder not in runs:
            runs[run_folder] = Run.read(Path(run_folder))
        told.write(json.dumps(_draw(runs[run_folder], charts[chart], Path(folder))) + "\n")
        told.flush()


if __name__ == "__main__":
    end_with(os.getppid())
    with contextlib.suppress(KeyboardInterrupt):
        serve(sys.stdin, sys.stdout)
