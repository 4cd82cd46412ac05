from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from lcbench.report.figures.chart import (
    LINEAR,
    LOG,
    SYMLOG,
    DotPanel,
    Dots,
    HeatPanel,
    LinePanel,
    RankPanel,
    Series,
)
from lcbench.report.figures.panels import panel_size, plain_number, tick_log_axis

RANKS = (("a", 1.25), ("b", 2.0), ("c", 2.75), ("d", 4.0))


@pytest.fixture
def lines(drawn):
    """Draws a panel of lines through these points, each (x, y, spread), and gives its axes."""

    def axes_of(*series, **options):
        named = tuple(Series(name, *map(tuple, line)) for name, line in zip("ab", series, strict=False))
        return drawn(LinePanel("p", "x", "y", named, **options))[0]

    return axes_of


@pytest.fixture
def heat(drawn):
    """Draws a heat map of these cells, without deviations unless they are given, and gives its axes."""

    def axes_of(cells, spread=None, **others):
        count = len(cells)
        names = tuple(f"t{i}" for i in range(count))
        return drawn(
            HeatPanel("p", "row", "column", "unit", names, cells, spread or ((None,) * count,) * count, **others)
        )[0]

    return axes_of


@pytest.fixture
def ranks(figure_of):
    """Draws a diagram of ranks, laid out, and gives its axes."""

    def axes_of(ranks=RANKS, difference=1.0, groups=()):
        return figure_of(RankPanel("p", tuple(ranks), difference, tuple(groups))).axes[0]

    return axes_of


def labelled(axes, label):
    return [line for line in axes.get_lines() if line.get_label() == label]


def test_an_axis_with_zero_and_powers_of_ten_has_no_tick_between_zero_and_the_least_value(lines):
    axes = lines(((1, 2, 3), (1.0, 2e-5, 0.0), (0, 0, 0)), y_scale=SYMLOG)
    assert axes.get_yticks().tolist() == pytest.approx([0, 1e-4, 1e-3, 1e-2, 1e-1, 1])


def test_a_band_reaches_one_deviation_to_either_side_of_the_line(lines):
    (band,) = lines(((1, 2), (10, 20), (1, 5))).collections
    assert {tuple(corner) for corner in band.get_paths()[0].vertices} == {(1, 9), (1, 11), (2, 15), (2, 25)}


def test_an_interval_is_drawn_as_a_band_instead_of_the_deviation(drawn):
    line = Series("a", (1, 2), (10, 20), (5, 5), band=((9, 12), (20, 24)))
    (band,) = drawn(LinePanel("p", "x", "y", (line,)))[0].collections
    assert {tuple(corner) for corner in band.get_paths()[0].vertices} == {(1, 9), (1, 12), (2, 20), (2, 24)}


@pytest.mark.parametrize("zero", [True, False])
def test_a_panel_of_differences_has_a_line_at_zero(lines, zero):
    found = labelled(lines(((1, 2), (10, 20), (0, 0)), zero=zero), "_zero")
    assert [list(line.get_ydata()) for line in found] == [[0, 0]] * zero


def test_ticks_show_full_numbers_without_an_offset(figure_of):
    line = Series("a", (1, 2), (123456.01, 123456.05), (0, 0))
    (axes,) = figure_of(LinePanel("p", "x", "y", (line,))).axes
    assert axes.yaxis.get_offset_text().get_text() == ""


def test_a_long_line_has_at_most_ten_markers_and_neighbours_have_theirs_elsewhere(lines):
    long = (range(40), range(40), (0,) * 40)
    a, b = (set(line.get_markevery()) for line in lines(long, long).get_lines())
    assert len(a) == len(b) == 10
    assert not a & b


@pytest.mark.parametrize("count", [10, 11, 25])
def test_of_many_ticks_at_most_ten_are_shown_and_the_last_is_among_them(lines, count):
    x = tuple(range(1, count + 1))
    shown = set(lines((x, x, (0,) * count), ticks=x).get_xticks())
    assert shown <= set(x)
    assert count in shown
    assert (len(shown) == count) if count <= 10 else len(shown) <= 10


@pytest.mark.parametrize(("scale", "y", "bottom"), [(LOG, (2.0, 100.0), 1.25), (SYMLOG, (0.0, 100.0), 0.0)])
def test_a_band_that_reaches_below_zero_does_not_stretch_a_logarithmic_axis(lines, scale, y, bottom):
    axes = lines(((1, 2), y, (2, 200)), y_scale=scale)
    assert axes.get_yscale() == scale
    assert axes.get_ylim()[0] == pytest.approx(bottom)


@pytest.mark.parametrize("scale", [LOG, SYMLOG])
def test_the_values_of_a_parameter_can_stand_on_a_logarithmic_axis(lines, scale):
    axes = lines(((0.1, 100), (1, 2), (0, 0)), x_scale=scale, ticks=(0.1, 100))
    assert axes.get_xscale() == scale
    assert [text.get_text() for text in axes.get_xticklabels()] == ["100", "0.1"]


@pytest.mark.parametrize(("largest", "between"), [(50, True), (299, True), (300, False), (1e6, False)])
def test_a_logarithmic_axis_over_few_decades_has_ticks_at_two_and_five_too(largest, between):
    axes = Figure().add_subplot()
    axes.set_xscale("log")
    axes.set_xlim(1, largest)
    tick_log_axis(axes.xaxis, [1, largest])
    ticks = {round(tick, 6) for tick in axes.get_xticks()}
    assert {1, 10} <= ticks
    assert ({2, 5, 20} <= ticks) == between


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.5, "0.5"), (-3, "−3"), (1e-05, "1e−05"), (99_999, "99999"), (100_000, "100,000"), (1e9, "1e+09")],
)
def test_a_tick_has_a_true_minus_sign_and_commas_in_large_numbers(value, text):
    assert plain_number(value) == text


@pytest.mark.parametrize(("count", "least", "most"), [(1, 0.01, 0.05), (2, 0.01, 0.1), (20, 0.1, 0.49)])
def test_the_dots_of_few_rows_stay_by_their_row_and_those_of_many_do_not_reach_the_next(drawn, count, least, most):
    (axes,) = drawn(DotPanel("p", "x", tuple(Dots(f"r{i}", (1.0,) * 9, 1.0, 0.0) for i in range(count))))
    farthest = max(abs(y - i) for i in range(count) for y in labelled(axes, f"runs of r{i}")[0].get_ydata())
    assert least <= farthest <= most


@pytest.mark.parametrize(("scale", "start"), [(LINEAR, -19.5), (LOG, 1.0)])
def test_a_bar_of_deviation_ends_at_the_smallest_value_of_a_logarithmic_axis(drawn, scale, start):
    rows = (Dots("wide", (1.0, 100.0), 50.5, 70.0), Dots("one", (20.0,), 20.0, 0.0))
    (axes,) = drawn(DotPanel("p", "x", rows, scale))
    assert [list(bar.get_xdata()) for bar in labelled(axes, "_bar")] == [[start, 120.5]]  # a single run has no bar
    assert axes.get_xscale() == scale


def test_rows_stand_from_top_to_bottom_with_their_mean_on_the_line_of_their_name(drawn):
    rows = tuple(Dots(name, (x, x + 2), x + 1, 1.0) for name, x in (("first", 1.0), ("second", 5.0), ("third", 3.0)))
    (axes,) = drawn(DotPanel("p", "x", rows))
    means = {row.name: labelled(axes, f"mean of {row.name}")[0].get_ydata()[0] for row in rows}
    assert {text.get_text(): text.get_position()[1] for text in axes.get_yticklabels()} == means
    heights = [axes.transData.transform((0, y))[1] for y in means.values()]
    assert heights == sorted(heights, reverse=True)


def test_a_cell_of_a_heat_map_shows_its_deviation_unless_both_are_zero(heat):
    axes = heat(((None, 2.5), (0.0, None)), ((None, 0.0), (0.0, None)))
    assert [text.get_text() for text in axes.texts] == ["+2.5\n±0.0", "0"]


@pytest.mark.parametrize(
    ("cells", "limit"), [(((None, -3.0), (1.0, None)), 3), (((0.0, 0.0), (None, 0.0)), 1), (((None,),), 1)]
)
def test_colours_are_centred_at_zero_and_the_image_holds_the_numbers(heat, cells, limit):
    (image,) = heat(cells).images
    assert image.get_clim() == (-limit, limit)
    np.testing.assert_array_equal(image.get_array().filled(np.nan), np.array(cells, dtype=float))


def test_numbers_are_white_on_cells_that_are_dark_in_a_grey_print_and_black_on_light_ones(heat):
    cells = ((-10, -7, -5), (0.5, 1, 4), (5, 9, 10))
    axes = heat(cells)
    colours = axes.images[0].to_rgba(np.array(cells, dtype=float), bytes=True)[..., :3]
    greys = np.asarray(Image.fromarray(colours).convert("L"), dtype=int).ravel()
    assert greys.min() < 100
    assert greys.max() > 200
    assert [text.get_color() for text in axes.texts] == ["white" if grey < 128 else "black" for grey in greys]


def test_the_cells_that_stand_out_are_bold_and_small_differences_have_three_digits(heat):
    axes = heat(((None, 0.1234), (-0.1, None)), clear=frozenset({(0, 1)}))
    assert {text.get_text(): text.get_weight() for text in axes.texts} == {"+0.123": "bold", "−0.100": "normal"}


@pytest.mark.parametrize(("count", "texts"), [(6, ["+1.0\n±2.0"]), (7, ["+1.0"]), (20, ["+1.0"]), (21, [])])
def test_more_than_six_names_have_no_deviations_and_more_than_twenty_no_numbers(heat, count, texts):
    cells = tuple(tuple(1.0 if (i, j) == (0, 1) else None for j in range(count)) for i in range(count))
    assert [text.get_text() for text in heat(cells, ((2.0,) * count,) * count).texts] == texts


def test_a_map_of_very_many_names_grows_no_further():
    sizes = [panel_size(HeatPanel("p", "r", "c", "u", ("t",) * count, (), ())) for count in (5, 20, 100, 1000)]
    assert sizes[0] < sizes[1] < sizes[2] == sizes[3]


def test_each_method_has_a_point_at_its_rank_and_its_name_with_the_rank_beside(ranks, points):
    axes = ranks()
    assert {name: points(axes)[name] for name, _ in RANKS} == {name: [(rank, 0)] for name, rank in RANKS}
    texts = [text.get_text().split() for text in axes.texts]
    for words in (["a", "1.25"], ["b", "2.00"], ["2.75", "c"], ["4.00", "d"]):
        assert words in texts


def test_a_bar_joins_the_first_and_the_last_method_of_each_group_at_a_height_of_its_own(ranks):
    first, second = labelled(ranks(groups=[(0, 1), (1, 3)]), "_group")
    assert first.get_xdata() == pytest.approx([1.25, 2.0], abs=0.05)
    assert second.get_xdata() == pytest.approx([2.0, 4.0], abs=0.05)
    assert set(first.get_ydata()).isdisjoint(second.get_ydata())


@pytest.mark.parametrize(
    ("difference", "length", "text"), [(1.5, 1.5, "critical difference 1.50"), (7.0, 3, "7.00, longer than the axis")]
)
def test_a_critical_difference_longer_than_the_axis_is_cut_and_marked_so(ranks, difference, length, text):
    axes = ranks(difference=difference)
    start, end = labelled(axes, "_difference")[0].get_xdata()
    assert end - start == pytest.approx(length)
    assert any(shown.get_text().endswith(text) for shown in axes.texts)


@pytest.mark.parametrize("count", [2, 3, 9, 16])
def test_no_two_texts_lie_on_each_other_however_many_methods_there_are(ranks, count):
    axes = ranks([(f"method number {i}", 1.0 + i) for i in range(count)], groups=[(i, i + 1) for i in range(count - 1)])
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) >= count
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
