from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.textpath import TextPath
from PIL import Image

from lcbench.report.figures.style import line_style, short_names, shortened, wrapped


def test_neighbouring_lines_differ_in_colour_marker_and_dashes_and_no_two_of_fifty_are_alike():
    styles = [line_style(i) for i in range(50)]
    assert len({tuple(map(str, style.values())) for style in styles}) == 50
    for style, following in pairwise(styles):
        assert all(style[part] != following[part] for part in style)


def test_the_first_four_lines_have_different_greys():
    patches = Image.new("RGB", (4, 1))
    for i in range(4):
        colour = matplotlib.colors.to_rgb(line_style(i)["color"])
        patches.putpixel((i, 0), tuple(int(255 * part) for part in colour))
    greys = np.sort(np.asarray(patches.convert("L"), dtype=int).ravel())
    assert np.diff(greys).min() > 25


def test_long_names_lose_their_middle_and_stay_different():
    names = ["x" * 50 + "1", "x" * 25 + "y" * 25 + "1", "short"]
    made = short_names(names)
    assert len(set(made)) == 3
    assert made[2] == "short"
    assert all(len(name) <= 34 for name in made)
    assert shortened("abcdefghij", 7) == "abcd…ij"


@pytest.mark.parametrize("inches", [2.0, 4.8])
def test_wrapped_text_keeps_its_words_and_fits_the_width_as_matplotlib_measures_it(inches):
    text = "A small dot is a run, the large one the mean, the bar ± one standard deviation; WIDE NAMES count too. " * 3
    lines = wrapped(text, inches, 8.0).split("\n")
    assert " ".join(lines).split() == text.split()
    for line in lines:
        assert TextPath((0, 0), line, size=8.0).get_extents().width <= inches * 72


def test_a_name_with_line_breaks_and_control_characters_stays_on_one_line():
    assert shortened("a\nb\x1b[31m") == "a\ufffdb\ufffd[31m"
