from __future__ import annotations

import hashlib
import io
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image

from lcbench.report.figures.chart import Chart, DotPanel, Dots, LinePanel
from lcbench.report.figures.draw import chart_bytes, file_names, write_figures
from lcbench.report.figures.paper import PaperLook, caption_text
from lcbench.report.figures.style import LEGEND_MOST

HOSTILE = ["$x_1$", "a_b^{c}", r"\frac{1}{2}", "<script>alert(1)</script>", "€ 😀", "\x1b[31m\x00", "a\nb", "$"]
STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def test_names_are_never_read_as_formulas_and_an_svg_has_them_as_text(make_chart):
    root = ElementTree.fromstring(chart_bytes(make_chart(HOSTILE), "svg"))
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"$x_1$", "a_b^{c}", r"\frac{1}{2}", "<script>alert(1)</script>", "€ 😀", "$"} <= texts
    assert "\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}" in texts
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


@pytest.mark.slow
def test_the_same_chart_gives_the_same_bytes_in_another_process_and_whatever_the_users_settings(make_chart):
    chart = make_chart(["a", "b"], spread=0.1)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "red", "svg.hashsalt": "x"}):
        here = [chart_bytes(chart, format) for format in STARTS]
        assert matplotlib.rcParams["font.size"] == 30
    assert all(map(bytes.startswith, here, STARTS.values()))
    code = f"""if True:
        import hashlib
        from lcbench.report.figures.chart import *
        from lcbench.report.figures.draw import chart_bytes
        for format in {list(STARTS)}:
            print(hashlib.sha256(chart_bytes({chart!r}, format)).hexdigest())
    """
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.split() == [hashlib.sha256(picture).hexdigest() for picture in here]


def test_a_picture_is_not_empty_and_reads_in_grey(make_chart):
    image = Image.open(io.BytesIO(chart_bytes(make_chart(["a", "b"]), "png"))).convert("L")
    assert image.width > 800
    assert np.mean(np.asarray(image) < 128) > 0.003


def test_a_character_missing_from_the_font_gives_a_warning_but_not_for_svg(make_lines, caplog):
    chart = Chart((), "\U0001f9ff任", "", (LinePanel("", "x", "y", make_lines(["a"])),))
    chart_bytes(chart, "svg")
    assert not caplog.records
    chart_bytes(chart, "png")
    assert "characters that the font cannot draw: --format svg keeps them" in caplog.text


def test_files_are_named_after_what_they_show_and_no_two_names_are_the_same():
    abouts = {
        ("webkb4:weighting=counts", "l2sc:lam=1"): "lifelong-webkb4-weighting=counts-l2sc-lam=1.png",
        ("webkb4:weighting=counts", "L2SC:lam=1"): "lifelong-webkb4-weighting=counts-L2SC-lam=1-2.png",
        ("../../etc", "pass/wd"): "lifelong-etc-pass-wd.png",
        ("$(rm *)", "😀"): "lifelong-rm.png",
        ("数据", "m"): "lifelong-数据-m.png",
        ("x" * 400, "m"): f"lifelong-{'x' * 191}.png",
        ("x" * 400, "n"): f"lifelong-{'x' * 191}-2.png",
    }
    assert file_names("lifelong", [Chart(about, "", "", ()) for about in abouts], "png") == list(abouts.values())


def test_the_legend_stands_beside_the_panels_and_counts_what_it_does_not_name(make_lines, figure_of):
    names = [f"task-{i} with quite a long name" for i in range(40)]
    figure = figure_of(LinePanel("p", "x", "y", make_lines(names)))
    (legend,), (axes,) = figure.legends, figure.axes
    assert axes.get_window_extent().x1 < legend.get_window_extent().x0
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    texts = [text.get_text() for text in legend.get_texts()]
    assert len(texts) == LEGEND_MOST + 1
    assert texts[-1] == "and 16 more, not named"
    assert len([line for line in axes.get_lines() if line.get_label() in names]) == 40


@pytest.mark.parametrize(("count", "bands", "said"), [(6, 6, False), (7, 0, True)])
def test_more_than_six_lines_have_no_bands_and_the_caption_says_so(make_lines, figure_of, count, bands, said):
    def says_so(figure):
        return any("the bands are left out" in text.get_text() for text in figure.texts)

    figure = figure_of(LinePanel("p", "x", "y", make_lines("abcdefg"[:count], spread=1.0)))
    assert len(figure.axes[0].collections) == bands
    assert says_so(figure) == said
    assert not says_so(figure_of(LinePanel("p", "x", "y", make_lines("abcdefg"[:count]))))


def test_no_text_is_cut_off_or_lies_on_another(make_chart, figure_of):
    figure = figure_of(make_chart(["a label that is long enough to be trouble" * 2, "b"], spread=0.1))
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


def test_the_last_bits_of_the_places_of_panels_which_differ_between_processes_are_rounded_away(make_chart, figure_of):
    bounds = [part for axes in figure_of(make_chart("ab")).axes for part in axes.get_position(original=True).bounds]
    assert [round(part, 9) for part in bounds] == pytest.approx(bounds, abs=1e-15)


def test_a_long_title_ends_before_the_edge_of_a_narrow_figure(figure_of):
    title = "l2sc:affinity=full,lam=100 on webkb4:weighting=counts: objective per iteration, as each task is learned"
    figure = figure_of(Chart((), title, "", (DotPanel("", "seconds", (Dots("m", (1.0,), 1.0, 0.0),)),)))
    extent = figure.texts[0].get_window_extent()
    assert extent.x1 <= figure.bbox.x1 - extent.x0


def test_panels_fill_rows_from_left_to_right_and_their_lines_stand_in_one_legend_once_each(make_lines, figure_of):
    panels = tuple(LinePanel(names, "x", "y", make_lines(names)) for names in ("ab", "bc", "a"))
    figure = figure_of(Chart((), "t", "s", panels, columns=2))
    one, two, three = (axes.get_position() for axes in figure.axes)
    assert [axes.get_title("left") for axes in figure.axes] == ["ab", "bc", "a"]
    assert one.x1 <= two.x0
    assert one.y0 == pytest.approx(two.y0)
    assert three.y1 <= one.y0
    assert three.x0 == pytest.approx(one.x0)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b", "c"]


def test_figures_are_written_to_their_paths_and_only_those_of_a_paper_have_a_caption_beside_them(make_lines, tmp_path):
    panel = LinePanel("p", "x", "y", make_lines("a"))
    charts, paths = [Chart((), "t", "s", (panel,))] * 2, [tmp_path / "new" / name for name in ("1.svg", "2.svg")]
    assert list(write_figures(charts, paths, "svg")) == paths
    assert [path.read_bytes() for path in paths] == [chart_bytes(charts[0], "svg")] * 2
    captions = [path.with_suffix(".txt") for path in paths]
    assert set(write_figures(charts, paths, "svg", PaperLook())) == {*paths, *captions}
    assert captions[0].read_text() == f"{caption_text(charts[0])}\n"
