from __future__ import annotations

import pytest

from lcbench.report.figures.chart import LINEAR, LOG, Chart, DotPanel, Dots
from lcbench.report.figures.draw import draw
from lcbench.report.figures.files import style_applied


def test_the_dots_of_few_rows_stay_by_their_row_and_those_of_many_do_not_reach_the_next():
    def farthest(count):
        rows = tuple(Dots(f"r{i}", (1.0,) * 9, 1.0, 0.0) for i in range(count))
        with style_applied():
            (axes,) = draw(Chart(("k",), "t", "s", (DotPanel("p", "x", rows),))).axes
        runs = [line for line in axes.get_lines() if str(line.get_label()).startswith("runs of")]
        return max(abs(y - i) for i, line in enumerate(runs) for y in line.get_ydata())

    assert 0 < farthest(1) <= 0.05
    assert farthest(2) <= 0.1
    assert 0.1 < farthest(20) < 0.5


@pytest.mark.parametrize(("scale", "start"), [(LINEAR, -19.5), (LOG, 1.0)])
def test_a_bar_of_deviation_ends_at_the_smallest_value_of_a_logarithmic_axis(figure_of, scale, start):
    rows = (Dots("wide", (1.0, 100.0), 50.5, 70.0), Dots("one", (20.0,), 20.0, 0.0))
    (axes,) = figure_of(DotPanel("p", "x", rows, scale)).axes
    bars = [list(line.get_xdata()) for line in axes.get_lines() if line.get_label() == "_bar"]
    assert bars == [[start, 120.5]]  # a single run has no deviation, and no bar
    assert axes.get_xscale() == scale


def test_rows_stand_from_top_to_bottom_with_their_mean_on_the_line_of_their_name(figure_of):
    rows = tuple(Dots(name, (x, x + 2), x + 1, 1.0) for name, x in (("first", 1.0), ("second", 5.0), ("third", 3.0)))
    (axes,) = figure_of(DotPanel("p", "x", rows)).axes
    means = {line.get_label(): line for line in axes.get_lines() if str(line.get_label()).startswith("mean of")}
    heights = [axes.transData.transform((0, means[f"mean of {row.name}"].get_ydata()[0]))[1] for row in rows]
    assert heights == sorted(heights, reverse=True)
    labels = {text.get_text(): text.get_position()[1] for text in axes.get_yticklabels()}
    assert labels == {"first": 0, "second": 1, "third": 2}
