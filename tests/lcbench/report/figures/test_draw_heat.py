from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from lcbench.report.figures.chart import HeatPanel
from lcbench.report.figures.draw_heat import heat_size


def square(cells, **others):
    """A panel of these cells, without deviations."""
    names = tuple(f"t{i}" for i in range(len(cells)))
    spread = ((None,) * len(cells),) * len(cells)
    return HeatPanel("p", "row", "column", "unit", names, cells, spread, **others)


def test_a_cell_of_a_heat_map_shows_its_deviation_unless_both_are_zero(figure_of):
    cells, around = ((None, 2.5), (0.0, None)), ((None, 0.0), (0.0, None))
    panel = HeatPanel("p", "row", "column", "unit", ("a", "b"), cells, around)
    axes = figure_of(panel).axes[0]
    assert [text.get_text() for text in axes.texts] == ["+2.5\n±0.0", "0"]


@pytest.mark.parametrize(
    ("cells", "limit"), [(((None, -3.0), (1.0, None)), 3), (((0.0, 0.0), (None, 0.0)), 1), (((None,),), 1)]
)
def test_colours_are_centred_at_zero_and_the_image_holds_the_numbers(figure_of, cells, limit):
    (image,) = figure_of(square(cells)).axes[0].images
    assert image.get_clim() == (-limit, limit)
    np.testing.assert_array_equal(image.get_array().filled(np.nan), np.array(cells, dtype=float))


def test_numbers_are_white_on_cells_that_are_dark_in_a_grey_print_and_black_on_light_ones(figure_of):
    cells = tuple(tuple(float(x) for x in row) for row in ((-10, -7, -5), (0.5, 1, 4), (5, 9, 10)))
    axes = figure_of(square(cells)).axes[0]
    colours = axes.images[0].to_rgba(np.array(cells), bytes=True)[..., :3]
    greys = np.asarray(Image.fromarray(colours).convert("L"), dtype=int).ravel()
    assert greys.min() < 100
    assert greys.max() > 200
    assert [text.get_color() for text in axes.texts] == ["white" if grey < 128 else "black" for grey in greys]


def test_the_cells_that_stand_out_are_bold_and_small_differences_have_three_digits(figure_of):
    axes = figure_of(square(((None, 0.1234), (-0.1, None)), clear=frozenset({(0, 1)}))).axes[0]
    assert {text.get_text(): text.get_weight() for text in axes.texts} == {"+0.123": "bold", "−0.100": "normal"}


@pytest.mark.parametrize(("count", "texts"), [(6, "+1.0\n±2.0"), (7, "+1.0"), (20, "+1.0"), (21, None)])
def test_more_than_six_names_have_no_deviations_and_more_than_twenty_no_numbers(figure_of, count, texts):
    names = tuple(f"t{i}" for i in range(count))
    cells = tuple(tuple(1.0 if (i, j) == (0, 1) else None for j in range(count)) for i in range(count))
    spread = ((2.0,) * count,) * count
    axes = figure_of(HeatPanel("p", "row", "column", "unit", names, cells, spread)).axes[0]
    assert [text.get_text() for text in axes.texts] == ([] if texts is None else [texts])


def test_a_map_of_very_many_names_grows_no_further():
    assert heat_size(5) < heat_size(20) < heat_size(100) == heat_size(1000)
