from __future__ import annotations

import io
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image

from lcbench.report.figures.chart import Chart, DotPanel, Dots, HeatPanel, LinePanel, Series
from lcbench.report.figures.draw import draw
from lcbench.report.figures.files import chart_bytes, file_names, style_applied
from lcbench.report.figures.style import LEGEND_MOST, line_style, short_names, shortened

HOSTILE = ["$x_1$", "a_b^{c}", r"\frac{1}{2}", "<script>alert(1)</script>", "€ 😀", "\x1b[31m\x00", "a\nb", "$"]


def lines(names, *, spread=0.0):
    return tuple(Series(name, (1.0, 2.0), (float(i), i + 1.0), (spread, spread)) for i, name in enumerate(names))


def chart_of(names, *, spread=0.0):
    panel = LinePanel(names[0], names[0], names[0], lines(names, spread=spread))
    dots = DotPanel(names[0], "x", tuple(Dots(name, (1.0, 2.0), 1.5, 0.5) for name in names))
    cells = tuple(tuple(float(i - j) for i in range(3)) for j in range(3))
    heat = HeatPanel(names[0], "row", "column", "unit", tuple(f"{names[0]}{i}" for i in range(3)), cells, cells)
    return Chart(("k", names[0]), names[0], names[0], (panel, dots, heat), 3, names[0])


def test_names_are_never_read_as_formulas_and_an_svg_has_them_as_text():
    root = ElementTree.fromstring(chart_bytes(chart_of(HOSTILE), "svg"))
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"$x_1$", "a_b^{c}", r"\frac{1}{2}", "<script>alert(1)</script>", "€ 😀", "$"} <= texts
    assert "\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}" in texts
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_same_chart_gives_the_same_bytes_whatever_the_users_settings(format, start):
    first = chart_bytes(chart_of(["a", "b"]), format)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "red"}):
        second = chart_bytes(chart_of(["a", "b"]), format)
        assert matplotlib.rcParams["font.size"] == 30
    assert first == second
    assert first.startswith(start)
    assert b"2026" not in first or format == "png"


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


def test_the_legend_stands_beside_the_panels_and_counts_what_it_does_not_name():
    names = [f"task-{i} with quite a long name" for i in range(40)]
    chart = Chart(("k",), "t", "s", (LinePanel("p", "x", "y", lines(names, spread=1.0)),))
    with style_applied():
        figure = draw(chart)
        figure.draw_without_rendering()
        (legend,) = figure.legends
        (axes,) = figure.axes
        assert legend.get_window_extent().x0 > axes.get_window_extent().x1
        assert legend.get_window_extent().x1 <= figure.bbox.x1
    texts = [text.get_text() for text in legend.get_texts()]
    assert len(texts) == LEGEND_MOST + 1
    assert texts[-1] == "and 16 more, not named"
    assert len([line for line in axes.get_lines() if line.get_label() in names]) == 40
    assert any("the bands are left out" in text.get_text() for text in figure.texts)
    assert not axes.collections


@pytest.mark.parametrize(("count", "bands"), [(6, 6), (7, 0)])
def test_bands_are_drawn_for_up_to_six_lines_and_else_said_to_be_left_out(count, bands):
    chart = Chart(("k",), "t", "s", (LinePanel("p", "x", "y", lines("abcdefg"[:count], spread=1.0)),), caption="Bands.")
    with style_applied():
        figure = draw(chart)
    assert len(figure.axes[0].collections) == bands
    assert any("the bands are left out" in text.get_text() for text in figure.texts) == (not bands)


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


def test_a_cell_of_a_heat_map_has_its_spread_but_nothing_stands_around_a_plain_zero():
    cells, around = ((None, 2.5), (0.0, None)), ((None, 0.0), (0.0, None))
    panel = HeatPanel("p", "row", "column", "unit", ("a", "b"), cells, around)
    with style_applied():
        axes = draw(Chart(("k",), "t", "s", (panel,))).axes[0]
    assert [text.get_text() for text in axes.texts] == ["+2.5\n±0.0", "0"]


def test_the_numbers_of_an_axis_stand_for_themselves():
    panel = LinePanel("p", "x", "y", (Series("a", (1.0, 2.0), (123456.01, 123456.05), (0.0, 0.0)),))
    with style_applied():
        figure = draw(Chart(("k",), "t", "s", (panel,)))
        figure.draw_without_rendering()
    assert figure.axes[0].yaxis.get_offset_text().get_text() == ""


def test_no_text_is_cut_off_or_lies_on_another():
    chart = chart_of(["a label that is long enough to be trouble" * 2, "b"], spread=0.1)
    with style_applied():
        figure = draw(chart)
        figure.draw_without_rendering()
        whole = figure.get_tightbbox()
        width, height = figure.get_size_inches()
        title, subtitle, caption = [text.get_window_extent() for text in figure.texts]
        top = max(axes.get_tightbbox().y1 for axes in figure.axes)
        bottom = min(axes.get_tightbbox().y0 for axes in figure.axes)
    assert (whole.x0, whole.y0) > (-0.01, -0.01)
    assert whole.x1 <= width + 0.01
    assert whole.y1 <= height + 0.01
    assert title.y0 >= subtitle.y1 - 1
    assert subtitle.y0 >= top - 1
    assert caption.y1 <= bottom + 1


def test_a_picture_is_not_empty_and_reads_in_grey():
    image = Image.open(io.BytesIO(chart_bytes(chart_of(["a", "b"]), "png"))).convert("L")
    assert image.width > 800
    assert np.mean(np.asarray(image) < 128) > 0.003


def test_a_character_that_no_font_has_is_said(caplog):
    chart = Chart(("k",), "\U0001f9ff任", "", (LinePanel("", "x", "y", lines(["a"])),))
    chart_bytes(chart, "svg")
    assert not caplog.records
    chart_bytes(chart, "png")
    assert "characters that the font cannot draw: --format svg keeps them" in caplog.text


def test_long_names_lose_their_middle_and_stay_different():
    names = ["x" * 50 + "1", "x" * 25 + "y" * 25 + "1", "short"]
    made = short_names(names)
    assert len(set(made)) == 3
    assert made[2] == "short"
    assert all(len(name) <= 34 for name in made)
    assert shortened("abcdefghij", 7) == "abcd…ij"


def test_files_are_named_after_what_they_show_and_never_alike():
    abouts = [
        ("lifelong", "webkb4:weighting=counts", "l2sc:lam=1"), ("lifelong", "webkb4:weighting=counts", "L2SC:lam=1"),
        ("lifelong", "../../etc", "pass/wd"), ("lifelong", "$(rm *)", "😀"), ("lifelong", "数据", "m"),
        ("lifelong", "x" * 400, "m"), ("lifelong", "x" * 400, "n"),
    ]  # fmt: skip
    names = file_names([Chart(about, "", "", ()) for about in abouts], "png")
    assert names[:5] == [
        "lifelong-webkb4-weighting=counts-l2sc-lam=1.png", "lifelong-webkb4-weighting=counts-L2SC-lam=1-2.png",
        "lifelong-etc-pass-wd.png", "lifelong-rm.png", "lifelong-数据-m.png",
    ]  # fmt: skip
    assert len({name.casefold() for name in names}) == len(names)
    assert all(len(name.encode()) < 220 for name in names)


def test_a_long_title_ends_before_the_edge_of_a_narrow_figure():
    title = "l2sc:affinity=full,lam=100 on webkb4:weighting=counts: objective per iteration, as each task is learned"
    panel = DotPanel("", "seconds", (Dots("m", (1.0,), 1.0, 0.0),))
    with style_applied():
        figure = draw(Chart(("x",), title, "", (panel,)))
        figure.draw_without_rendering()
        extent = figure.texts[0].get_window_extent()
    assert extent.x1 <= figure.bbox.x1 - extent.x0
