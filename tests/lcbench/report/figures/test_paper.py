from __future__ import annotations

import re
from dataclasses import replace

import pytest

from lcbench.errors import ParameterError
from lcbench.report.figures.chart import Chart, DotPanel, Dots, HeatPanel, LinePanel, RankPanel, Series
from lcbench.report.figures.draw import chart_bytes
from lcbench.report.figures.paper import HIGHEST, PaperLook, caption_text, draw_for_paper
from lcbench.report.figures.style import style_applied

LINES = tuple(Series(name, (1.0, 2.0), (30.0, 40.0), (0.0, 0.0)) for name in ("L²SC", "stSC"))
PANELS = {
    "lines": LinePanel("NMI", "tasks learned", "NMI (%)", LINES),
    "other lines": LinePanel("NMI by arrival", "tasks known before", "NMI, percentage points", LINES),
    "dots": DotPanel("", "seconds", tuple(Dots(f"m{i}", (1.0, 2.0), 1.5, 0.5) for i in range(9))),
    "map": HeatPanel("", "row", "... changes the score of this one", "change", ("a", "b"), ((None, 1.0), (-1.0, None)),
                     ((None, None), (None, None))),
    "ranks": RankPanel("NMI", (("L²SC", 1.0), ("a method with a very long name", 2.0)), 0.5, ((0, 1),)),
}  # fmt: skip


def chart(*panels, columns: int = 1) -> Chart:
    return Chart(("s",), "The title", "6 orders, seed 0", panels, columns, "What is seen.")


def drawn(made: Chart, look: PaperLook):
    with style_applied(look.settings):
        figure = draw_for_paper(made, look)
        figure.draw_without_rendering()
        return figure


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize("width", ["page", "60"])
def test_all_of_a_figure_is_within_its_width_and_there_is_neither_title_nor_caption(name, width):
    look = PaperLook(width)
    with style_applied(look.settings):
        figure = draw_for_paper(chart(PANELS[name]), look)
        figure.draw_without_rendering()
        box = figure.get_tightbbox()
    assert figure.get_figwidth() == pytest.approx(look.inches)
    assert not figure.texts
    assert box.x0 > -0.02
    assert box.x1 < look.inches + 0.02
    assert box.y0 > -0.02
    assert box.y1 < figure.get_figheight() + 0.02


def test_panels_stand_beside_each_other_on_a_page_and_below_each_other_in_a_column():
    made = chart(*[PANELS["other lines"]] * 3, columns=3)
    tops = {
        width: {round(axes.get_position().y1, 2) for axes in drawn(made, PaperLook(width)).axes}
        for width in ("column", "page")
    }
    assert (len(tops["column"]), len(tops["page"])) == (3, 1)
    assert drawn(chart(*[PANELS["lines"]] * 12), PaperLook()).get_figheight() < HIGHEST + 1


def test_a_title_that_the_axis_says_as_well_is_left_out_and_another_one_stays():
    titles = [
        axes.get_title(loc="left") for axes in drawn(chart(PANELS["lines"], PANELS["other lines"]), PaperLook()).axes
    ]
    assert titles == ["", "NMI by arrival"]


@pytest.mark.parametrize(("panels", "expected"), [(1, [""]), (2, ["digits", "digits"])])
def test_a_title_of_dots_is_left_out_where_there_is_no_other_panel_to_tell_them_from(panels, expected):
    made = drawn(chart(*[replace(PANELS["dots"], title="digits")] * panels), PaperLook("page"))
    assert [axes.get_title(loc="left") for axes in made.axes] == expected


def test_the_caption_has_the_title_the_protocol_and_what_is_seen():
    assert caption_text(chart(PANELS["dots"])) == "The title (6 orders, seed 0). What is seen."


def test_fonts_travel_with_the_file_and_have_the_size_asked_for():
    pdf = chart_bytes(chart(PANELS["lines"]), "pdf", PaperLook(font_family="serif"))
    assert b"STIXGeneral" in pdf
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"<text" not in chart_bytes(chart(PANELS["lines"]), "svg", PaperLook())
    sizes = {axes.xaxis.label.get_size() for axes in drawn(chart(PANELS["lines"]), PaperLook(font_size=6)).axes}
    assert sizes == {6.0}
    assert re.search(rb"DejaVuSans", chart_bytes(chart(PANELS["lines"]), "pdf", PaperLook(font_family="dejavu sans")))


@pytest.mark.parametrize(
    ("look", "sentence"),
    [
        (PaperLook(font_size=1), "--font-size takes points from 4 to 24, not 1."),
        (PaperLook(font_family="Comic Snas"), "matplotlib finds no font 'Comic Snas' here: serif, sans and mono"),
    ],
)
def test_a_font_that_is_not_there_or_cannot_be_read_is_refused(look, sentence):
    with pytest.raises(ParameterError) as refused:
        chart_bytes(chart(PANELS["lines"]), "pdf", look)
    assert sentence in str(refused.value)
