from __future__ import annotations

import matplotlib.figure
import pytest

from lcbench.report.figures.chart import LOG, SYMLOG, LinePanel, Series
from lcbench.report.figures.draw_lines import plain_number, tick_log_axis


@pytest.mark.parametrize(("count", "bands"), [(6, 6), (7, 0)])
def test_bands_are_drawn_for_up_to_six_lines(make_lines, figure_of, count, bands):
    panel = LinePanel("p", "x", "y", make_lines("abcdefg"[:count], spread=1.0))
    assert len(figure_of(panel).axes[0].collections) == bands


def test_a_band_reaches_one_deviation_to_either_side_of_the_line(figure_of):
    line = Series("a", (1.0, 2.0), (10.0, 20.0), (1.0, 5.0))
    (band,) = figure_of(LinePanel("p", "x", "y", (line,))).axes[0].collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
    assert corners == {(1, 9), (1, 11), (2, 15), (2, 25)}


def test_ticks_show_full_numbers_without_an_offset(figure_of):
    panel = LinePanel("p", "x", "y", (Series("a", (1.0, 2.0), (123456.01, 123456.05), (0.0, 0.0)),))
    assert figure_of(panel).axes[0].yaxis.get_offset_text().get_text() == ""


def test_a_long_line_has_at_most_ten_markers_and_neighbours_have_theirs_elsewhere(figure_of):
    x = tuple(float(i) for i in range(40))
    panel = LinePanel("p", "x", "y", tuple(Series(name, x, x, (0.0,) * 40) for name in "ab"))
    a, b = (set(line.get_markevery()) for line in figure_of(panel).axes[0].get_lines())
    assert len(a) == len(b) == 10
    assert not a & b


@pytest.mark.parametrize("count", [10, 11, 25])
def test_of_many_ticks_at_most_ten_are_shown_and_the_last_is_among_them(figure_of, count):
    x = tuple(float(i) for i in range(1, count + 1))
    panel = LinePanel("p", "x", "y", (Series("a", x, x, (0.0,) * count),), ticks=x)
    shown = list(figure_of(panel).axes[0].get_xticks())
    assert len(shown) <= 10
    assert count in shown
    assert set(shown) <= set(x)
    assert (len(shown) == count) == (count <= 10)


@pytest.mark.parametrize(("scale", "y", "bottom"), [(LOG, (2.0, 100.0), 1.25), (SYMLOG, (0.0, 100.0), 0.0)])
def test_a_band_that_reaches_below_zero_does_not_stretch_a_logarithmic_axis(figure_of, scale, y, bottom):
    panel = LinePanel("p", "x", "y", (Series("a", (1.0, 2.0), y, (2.0, 200.0)),), y_scale=scale)
    (axes,) = figure_of(panel).axes
    assert axes.get_yscale() == scale
    assert axes.get_ylim()[0] == pytest.approx(bottom)


@pytest.mark.parametrize(("largest", "between"), [(50, True), (299, True), (300, False), (1e6, False)])
def test_a_logarithmic_axis_over_few_decades_has_ticks_at_two_and_five_too(largest, between):
    axes = matplotlib.figure.Figure().add_subplot()
    axes.set_xscale("log")
    axes.set_xlim(1, largest)
    tick_log_axis(axes.xaxis, [1, largest])
    ticks = {round(tick, 6) for tick in axes.get_xticks()}
    assert {1, 10} <= ticks
    assert ({2, 5, 20} <= ticks) == between


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.5, "0.5"),
        (-3, "−3"),
        (1e-05, "1e−05"),
        (99_999, "99999"),
        (100_000, "100,000"),
        (123_456_789, "123,456,789"),
        (1e9, "1e+09"),
    ],
)
def test_a_tick_has_a_true_minus_sign_and_commas_in_large_numbers(value, text):
    assert plain_number(value) == text
