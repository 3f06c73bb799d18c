"""Where the panels of a figure stand: margins as wide as what lies outside of them.

Matplotlib's own engines measure every artist, twice, and every drawing then looks for the places of labels
and titles again: more than a third of the time. Here each text that can stick out is measured once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.layout_engine import LayoutEngine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

EDGE = 0.08
"""Inches kept free at the edges of the figure."""

HEADLINE, FOOTNOTE = 0.30, 0.27
"""Inches of the title above, and of the line below, all panels."""

TICK_GAP, LABEL_GAP, TITLE_GAP = 0.05, 0.06, 0.06
"""Inches between a panel and its tick labels, those and the label of the axis, a panel and its title."""

COLUMN_GAP, ROW_GAP = 0.26, 0.14
"""Least inches between what belongs to two panels; beside each other, the ends of their ticks' labels too."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Inches that the texts of a panel need on each side; on the left and below, for its ticks alone too."""

    left: float
    right: float
    top: float
    bottom: float
    left_ticks: float
    bottom_ticks: float


class Margins(LayoutEngine):
    """Stands the panels of a grid as far apart as their texts need; all panels get the same size."""

    _adjust_compatible = True
    _colorbar_gridspec = True

    def set(self) -> None:
        """Nothing can be set."""

    def execute(self, fig: Figure) -> None:
        """Place the panels, their axis labels and titles."""
        found = {axes: _sides(axes) for axes in fig.axes}
        if not found:
            return
        columns, rows = (_places(found, by) for by in ("colspan", "rowspan"))
        width, height = (float(size) for size in fig.get_size_inches())
        left, right, between = _line(columns, "left", "right", COLUMN_GAP)
        top, bottom, above = _line(rows, "top", "bottom", ROW_GAP)
        left, right = left + EDGE, right + EDGE
        top, bottom = top + EDGE + HEADLINE, bottom + EDGE + FOOTNOTE
        wide = max(0.5, (width - left - right - between * (len(columns) - 1)) / len(columns))
        high = max(0.2, (height - top - bottom - above * (len(rows) - 1)) / len(rows))
        fig.subplots_adjust(
            left=left / width,
            right=(left + wide * len(columns) + between * (len(columns) - 1)) / width,
            bottom=bottom / height,
            top=(bottom + high * len(rows) + above * (len(rows) - 1)) / height,
            wspace=between / wide,
            hspace=above / high,
        )
        for axes, sides in found.items():
            axes.yaxis.set_label_coords(-(sides.left_ticks + LABEL_GAP) / wide, 0.5)
            axes.xaxis.set_label_coords(0.5, -(sides.bottom_ticks + LABEL_GAP) / high)


def _places(found: dict[Axes, Sides], by: str) -> list[list[Sides]]:
    """What the panels of each column or row need."""
    lines: dict[int, list[Sides]] = {}
    for axes, sides in found.items():
        spec = axes.get_subplotspec()
        assert spec is not None
        lines.setdefault(getattr(spec, by).start, []).append(sides)
    return [lines[place] for place in sorted(lines)]


def _line(lines: list[list[Sides]], first: str, last: str, least: float) -> tuple[float, float, float]:
    """Inches before the first line of panels, after the last one, and between two."""
    before = [max(getattr(sides, first) for sides in line) for line in lines]
    after = [max(getattr(sides, last) for sides in line) for line in lines]
    gaps = [one + other for one, other in zip(after[:-1], before[1:], strict=True)]
    return before[0], after[-1], max(gaps, default=0.0) + least


def _sides(axes: Axes) -> Sides:
    figure = axes.get_figure(root=True)
    assert figure is not None
    dpi = figure.dpi
    right = max((box.x1 - axes.bbox.x1 for box in _outside(axes)), default=0.0)
    left_ticks = _ticks(axes.yaxis, "width", dpi)
    bottom_ticks = _ticks(axes.xaxis, "height", dpi)
    return Sides(
        left=left_ticks + _label(axes.yaxis),
        right=max(0.0, right / dpi),
        top=TITLE_GAP + _line_height(axes.title) if axes.get_title(loc="left") else 0.0,
        bottom=bottom_ticks + _label(axes.xaxis),
        left_ticks=left_ticks,
        bottom_ticks=bottom_ticks,
    )


def _outside(axes: Axes) -> Iterator[Bbox]:
    """The boxes of what stands to the right of a panel: legend, scale of colours, values."""
    legend = axes.get_legend()
    if legend is not None:
        yield legend.get_window_extent()
    for text in axes.texts:
        if not text.get_clip_on():
            yield text.get_window_extent()
    for scale in axes.child_axes:
        box = scale.get_tightbbox()
        if box is not None:
            yield box


def _ticks(axis: Axis, size: str, dpi: float) -> float:
    """Inches of the longest label of a tick and its gap."""
    shown: Iterable[Text] = (label for label in axis.get_ticklabels() if label.get_visible())
    sizes = [getattr(label.get_window_extent(), size) for label in shown if label.get_text()]
    return max(sizes) / dpi + TICK_GAP if sizes else 0.0


def _label(axis: Axis) -> float:
    """Inches of the label of an axis and its gap."""
    label = axis.label
    return LABEL_GAP + _line_height(label) if label.get_text() and label.get_visible() else 0.0


def _line_height(text: Text) -> float:
    return 1.3 * float(text.get_fontsize()) / 72
