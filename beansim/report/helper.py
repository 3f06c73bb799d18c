"""Another process that draws charts.

Matplotlib draws one chart after the other on one core, and loading it takes half as long as drawing them all.
So the process is started while there is something else to do, as playing games, and loads it meanwhile.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from beansim.processes import cores, same_packages

if TYPE_CHECKING:
    from beansim.report.charts import Chart

Inches = tuple[float, float]
"""Width and height of a chart."""


def load() -> None:
    """Import the libraries of the charts. One that cannot be imported is told where it is used."""
    with contextlib.suppress(ImportError):
        for name in ("matplotlib.figure", "matplotlib.backends.backend_agg", "seaborn"):
            importlib.import_module(name)


class Helper:
    """Another process that draws charts; it goes with this object, and with its parent.

    Where there is one core, or where it fails, everything is drawn without it.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Have it load what it draws with, while this process does something else."""
        if self._process is not None or cores() < 2:
            return
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "beansim.report.drawing"],
                env=same_packages(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )

    def take_from(self, left: deque[Chart], sizes: dict[str, Inches], run_folder: Path, folder: Path) -> None:
        """Draw charts from the end of what is left until nothing is; one that fails is put back."""
        while left:
            try:
                chart = left.pop()
            except IndexError:  # the other one was quicker
                return
            size = self._ask(chart.name, run_folder, folder)
            if size is None:
                left.append(chart)
                return
            sizes[chart.name] = size

    def _ask(self, chart: str, run_folder: Path, folder: Path) -> Inches | None:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(json.dumps([chart, str(run_folder.resolve()), str(folder.resolve())]) + "\n")
            process.stdin.flush()
            width, height = json.loads(process.stdout.readline())
        except (OSError, ValueError):
            return None
        return float(width), float(height)

    def stop(self) -> None:
        """End the process: whoever waits for a chart gets none."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process and let go of it."""
        self.stop()
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Helper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
