from __future__ import annotations

import pytest

from lcbench.report.figures.chart import Chart, DotPanel, Dots, LinePanel
from lcbench.report.figures.style import LEGEND_MOST


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
