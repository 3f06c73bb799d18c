"""Charts as pictures: nothing sticks out of the paper or lies on something else, and PNGs are sharp."""

from __future__ import annotations

import struct

import pytest
from matplotlib.text import Text
from synthetic_runs import TWO_PASS, WORLD, make_run

from beansim.analysis.run import Run
from beansim.report import charts
from beansim.report.export import drawing, write_chart

LONG = tuple(f"strategies/of-a-long-name.py:Clever{number}:margin=0.5" for number in range(4))


@pytest.fixture(scope="module")
def long_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long") / "run"
    arms = [
        ("base", "base", LONG, WORLD),
        ("an arm of a rather long name, too", "two-pass", LONG[::-1], TWO_PASS),
    ]
    return Run.read(make_run(folder, arms, deals=60))


def texts(figure):
    """What all texts that are shown say, with their boxes."""
    # Ticks beyond the ends of an axis have labels that are never drawn.
    unseen = {label for axes in figure.axes for label in _beyond(axes.xaxis, 0) + _beyond(axes.yaxis, 1)}
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in unseen:
            yield text.get_text(), text.get_window_extent()


def _beyond(axis, which):
    low, high = sorted(axis.get_view_interval())
    return [label for label in axis.get_ticklabels() if not low <= label.get_position()[which] <= high]


@pytest.mark.parametrize("chart", charts.CHARTS, ids=lambda chart: chart.name)
def test_no_text_is_cut_or_lies_on_another(chart, long_run, tmp_path):
    with drawing():
        figure = chart.draw(long_run)
        write_chart(figure, tmp_path / chart.name)
        found = list(texts(figure))
        paper = figure.bbox
    assert len(found) > 8
    for text, box in found:
        assert paper.x0 <= box.x0 < box.x1 <= paper.x1, text
        assert paper.y0 <= box.y0 < box.y1 <= paper.y1, text
    for place, (text, box) in enumerate(found):
        for other, that in found[place + 1 :]:
            across = min(box.x1, that.x1) - max(box.x0, that.x0)
            along = min(box.y1, that.y1) - max(box.y0, that.y0)
            assert min(across, along) < 1, (text, other)


def test_a_png_has_the_size_of_the_paper_at_its_resolution(long_run, tmp_path):
    with drawing():
        figure = charts.seats(long_run)
        write_chart(figure, tmp_path / "seats")
    width, height = struct.unpack(">II", (tmp_path / "seats.png").read_bytes()[16:24])
    assert (width, height) == tuple(int(size * 144) for size in figure.get_size_inches())
