from __future__ import annotations

import pytest
from pydantic import ValidationError

from lcbench.analysis.published.figures import AVERAGE, Published, parse_figure


@pytest.mark.parametrize(
    ("text", "mean", "sd"),
    [("62.66 ± 0.00", 62.66, 0.0), ("62.66±0.31", 62.66, 0.31), ("4", 4.0, None), (" -1.5 ±  2 ", -1.5, 2.0)],
)
def test_a_figure_is_a_mean_with_or_without_a_standard_deviation(text, mean, sd):
    assert parse_figure(text)[:2] == (mean, sd)


def test_a_figure_keeps_the_digits_that_are_printed():
    assert parse_figure("80.00 ± 1.20").text == "80.00 ± 1.20"


@pytest.mark.parametrize("text", ["", "about 60", "62,66 ± 0.00", "62.66 ± ", "62.66 0.31", 62.66, None])
def test_a_text_that_is_not_a_figure_is_refused(text):
    with pytest.raises(ValueError, match="a figure is a text such as"):
        parse_figure(text)


def test_figures_are_found_by_metric_task_and_method(published):
    assert published.figure("purity", "B", "Life").mean == 80
    assert published.figure("purity", AVERAGE, "Plain").sd == 2.5


def test_every_task_and_the_average_need_a_row(table):
    del table["figures"]["purity"]["C"]
    with pytest.raises(ValidationError, match=r"figures.purity needs the rows A, B, C, D, average, and has A, B, D"):
        Published.model_validate(table)


@pytest.mark.parametrize(("place", "row"), [("figures.purity.D", "D"), ("runtime.seconds", None)])
def test_every_row_needs_a_figure_for_each_method(table, place, row):
    (table["figures"]["purity"][row] if row else table["runtime"]["seconds"]).pop()
    with pytest.raises(ValidationError, match=f"{place} needs a figure for each of 2 methods, and has 1"):
        Published.model_validate(table)


@pytest.mark.parametrize(
    "change",
    [{"surce": "x"}, {"source": " "}, {"methods": {}}, {"figures": {}}, {"tasks": {}}, {"same_data": "yes"}],
    ids=str,
)
def test_a_key_that_is_misspelt_empty_or_of_another_type_is_refused(table, change):
    with pytest.raises(ValidationError):
        Published.model_validate(table | change)


def test_a_table_cut_to_some_methods_keeps_their_figures(published):
    part = published.chosen({"Life": published.methods["Life"]})
    assert list(part.methods) == ["Life"]
    assert [row[0].mean for row in part.figures["purity"].values()] == [90, 80, 70, 60, 77]
    assert [figure.mean for figure in part.runtime.seconds] == [0.5]
    assert len(published.methods) == 2
