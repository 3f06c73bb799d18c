"""What all charts share: figures without pyplot (so they work in threads), colours, footnotes.

One colour per strategy, the same in every chart of a run. The palette is that of Okabe and Ito (2008), Color
universal design, which colour-blind readers can tell apart; marks and line styles differ as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from beansim.analysis.run import Run
from beansim.report.names import shorten_all
from beansim.report.numbers import counted
from beansim.simulate.tallies import Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

STRATEGY_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A7A00", "#555555")
ARM_COLORS = ("#33335A", "#C2185B", "#00838F", "#9E7700", "#6A3FA0", "#4E6B1F")
STYLES = ("-", "--", "-.", ":")
MARKS = ("o", "s", "D", "^", "v", "P", "X", "*")
WIDTH = 7.6
"""Width of a figure in inches."""

MOST_PANELS = 4
"""Arms that a chart with one panel for each arm shows; the footnote says when there are more."""

MOST_ROWS = 60
"""Rows of a chart that lists arms and strategies; the footnote says when there are more."""

INTERVAL = "bars: 95 % intervals on block values"
INK = "#222222"
FAINT = "#777777"


@dataclass(frozen=True, slots=True)
class Look:
    """How a line or point is drawn."""

    color: str
    style: str
    mark: str


def look(place: int, colors: Sequence[str] = STRATEGY_COLORS) -> Look:
    """The look of the `place`-th of several; colours repeat with another line style."""
    turn = place // len(colors)
    return Look(colors[place % len(colors)], STYLES[turn % len(STYLES)], MARKS[(place + turn) % len(MARKS)])


def strategy_looks(run: Run) -> dict[str, Look]:
    """The look of each strategy, throughout a run."""
    return {label: look(place) for place, label in enumerate(run.strategies)}


def labels(run: Run, width: int = 28) -> dict[str, str]:
    """Names of the strategies as charts show them; different names stay different."""
    short = shorten_all(run.strategies, width)
    return {name: text.replace("$", r"\$") for name, text in zip(run.strategies, short, strict=True)}


def arm_names(run: Run, width: int = 28) -> list[str]:
    """Names of the arms as charts show them."""
    return [text.replace("$", r"\$") for text in shorten_all([arm.name for arm in run.arms], width)]


def figure(height: float, width: float = WIDTH) -> Figure:
    """An empty figure that belongs to no window and to no global state."""
    from matplotlib.figure import Figure

    from beansim.report.chart_layout import Margins

    return Figure(figsize=(width, height), layout=Margins(), facecolor="white")


def panels(run: Run, height: float, most: int = MOST_PANELS, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure with one panel above the other for the first arms."""
    number = min(len(run.arms), most)
    made = figure(0.9 + height * number)
    axes = made.subplots(number, 1, squeeze=False, **options)
    return made, list(axes[:, 0])


def shown(run: Run, axes: Sequence[Axes]) -> Iterator[tuple[Axes, str, Tally]]:
    """The panels with the name and tally of their arms."""
    yield from zip(axes, arm_names(run, 60), run.tallies.arms, strict=False)


def dress(axes: Axes, title: str = "", x: str = "", y: str = "") -> None:
    """Title, axis labels with units, a quiet grid."""
    if title:
        # With a place of its own, which the drawing need not look for.
        axes.set_title(title, fontsize=10, loc="left", color=INK, y=1.0, pad=4)
    axes.set_xlabel(x, fontsize=9, color=INK)
    axes.set_ylabel(y, fontsize=9, color=INK)
    # The grid shows where the ticks are.
    axes.tick_params(labelsize=8, colors=INK, length=0, left=False, bottom=False)
    axes.grid(True, color="#E4E4E4", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def whole_numbers(axes: Axes) -> None:
    """Ticks of the x axis at whole numbers only: there is no turn 2.5."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))


def headline(made: Figure, text: str) -> None:
    """The title of a whole figure: its subject."""
    top = 1 - 0.07 / made.get_figheight()
    made.suptitle(text, fontsize=11.5, fontweight="bold", x=0.01, y=top, ha="left", va="top", color=INK)


def footnote(made: Figure, run: Run, what: str, panels_shown: int | None = None) -> None:
    """The line that states n and what intervals are shown."""
    blocks = sum(tally.blocks for tally in run.tallies.arms)
    text = f"n = {counted(run.games, 'game')}, {counted(blocks, 'block')}; {what}"
    if panels_shown is not None and panels_shown < len(run.arms):
        text += f"; the first {panels_shown} of {len(run.arms)} arms"
    bottom = 0.07 / made.get_figheight()
    made.supxlabel(text, fontsize=8, x=0.01, y=bottom, ha="left", va="bottom", color=FAINT)


def legend(axes: Axes, **options: Any) -> None:
    """A legend beside the panel, where it hides nothing."""
    handles, names = axes.get_legend_handles_labels()
    if handles:
        place = {"loc": "upper left", "bbox_to_anchor": (1.005, 1.0)} | options
        axes.legend(handles, names, fontsize=8, frameon=False, **place)


def legends(panels_: Sequence[Axes]) -> None:
    """A legend beside each panel that shows others than the panel above it."""
    above: list[str] = []
    for axes in panels_:
        names = axes.get_legend_handles_labels()[1]
        if names != above:
            legend(axes)
        above = names


@dataclass(frozen=True, slots=True)
class Heat:
    """How the cells of heat maps are coloured and written.

    Attributes:
        unit: of the values, for the scale.
        form: a value as text; empty for none.
        limits: values at the ends of the scale.
        colors: a colour map of matplotlib.
    """

    unit: str
    form: Callable[[float], str]
    limits: tuple[float, float]
    colors: str = "viridis"


def heat(
    axes: Axes, table: np.ma.MaskedArray[Any, Any], names: tuple[Sequence[str], Sequence[str]], how: Heat
) -> None:
    """A heat map whose cells say their value; masked ones stay white.

    Args:
        axes: the panel.
        table: the values, [rows, columns].
        names: of the rows and of the columns.
        how: the cells look.
    """
    import seaborn

    rows, columns = names
    least, most = how.limits
    seaborn.heatmap(
        table.filled(np.nan),
        ax=axes,
        cmap=how.colors,
        vmin=least,
        vmax=most,
        mask=table.mask,
        linewidths=0.5,
        cbar=False,
        # seaborn would draw the whole figure to see whether labels overlap.
        xticklabels=False,
        yticklabels=False,
    )
    (cells,) = axes.collections
    _write_cells(axes, table, how.form, cells.to_rgba(table))
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    slope = 0 if max(map(len, columns)) < 4 else 35
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=slope, ha="right" if slope else "center")
    axes.spines[:].set_visible(False)


def _write_cells(
    axes: Axes,
    table: np.ma.MaskedArray[Any, Any],
    form: Callable[[float], str],
    colors: np.ndarray[Any, Any],
) -> None:
    """Write the values into their cells: outlines in one collection; a hundred texts take half a second."""
    from matplotlib.collections import PathCollection
    from matplotlib.transforms import Affine2D

    written = [
        (column + 0.5, row + 0.5, text, _ink_on(colors[row, column]))
        for (row, column), value in np.ndenumerate(table.filled(np.nan))
        if not np.isnan(value) and (text := form(value))
    ]
    if written:
        x, y, texts, inks = zip(*written, strict=True)
        figure_ = axes.get_figure(root=True)
        assert figure_ is not None
        numbers = PathCollection(
            [_outline(text) for text in texts],
            offsets=np.column_stack([x, y]),
            offset_transform=axes.transData,
            transform=Affine2D().scale(1 / 72) + figure_.dpi_scale_trans,
            facecolors=inks,
            linewidths=0,
        )
        axes.add_collection(numbers, autolim=False)


@lru_cache(512)
def _outline(text: str, points: float = 7) -> Path:
    """The outlines of a number, centred at the origin, in points."""
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    path = TextPath((0, 0), text, size=points)
    # As high as a figure of the font is, so that all numbers of a row stand on one line.
    height = TextPath((0, 0), "0", size=points).get_extents().y1
    box = path.get_extents()
    return Affine2D().translate(-(box.x0 + box.x1) / 2, -height / 2).transform_path(path)


def _ink_on(color: np.ndarray[Any, Any]) -> str:
    """White on dark cells and black on light ones, by the relative luminance of WCAG 2."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color[:3]]
    luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return "white" if luminance < 0.3 else INK


def scale(axes: Axes, how: Heat) -> None:
    """The scale of colours of one or several heat maps, beside a panel."""
    from matplotlib.ticker import MaxNLocator

    bar = axes.inset_axes((1.015, 0.0, 0.022, 1.0))
    least, most = how.limits
    steps = np.linspace(least, most, 64)[:, np.newaxis]
    bar.imshow(steps, cmap=how.colors, aspect="auto", origin="lower", extent=(0, 1, least, most))
    bar.set_xticks([])
    # Fixed, so that they are as wide in the end as when the layout measures them.
    ticks = [value for value in MaxNLocator(5).tick_values(least, most) if least <= value <= most]
    bar.set_yticks(ticks, [f"{value:g}" for value in ticks])
    bar.yaxis.tick_right()
    bar.yaxis.set_label_position("right")
    bar.tick_params(labelsize=7, length=0, colors=INK)
    bar.set_ylabel(how.unit, fontsize=8, color=INK)
    bar.spines[:].set_visible(False)


def shares(histogram: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A histogram in percent; zeros where it is empty."""
    total = histogram.sum()
    return 100.0 * histogram / total if total else histogram * 0.0


def used(histogram: np.ndarray[Any, Any]) -> tuple[int, int]:
    """First value and one past the last value that were ever counted; (0, 1) if none was."""
    places = np.flatnonzero(histogram)
    return (int(places[0]), int(places[-1]) + 1) if len(places) else (0, 1)
