from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from lcbench.report.sheets.fitting import GAP, blocks, broken, column_widths
from lcbench.report.sheets.sheet import Cell, Sheet


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_parts_fit_the_width_have_all_columns_once_and_repeat_the_names_of_rows(wide, width):
    parts = blocks(wide(), width)
    assert [name for part in parts for name in part.header[1:]] == list(wide().header[1:])
    assert all(part.header[0] == "name" and part.rows[2][0].text == "row-2" for part in parts)
    for part in parts:
        widths = column_widths(part, width)
        assert sum(widths) + GAP * (len(widths) - 1) <= width


@pytest.mark.parametrize("width", [40, 60, 80])
def test_parts_are_about_equally_large_the_first_has_the_title_and_the_last_the_notes(wide, width):
    parts = blocks(wide(), width)
    assert len(parts) > 1
    assert [bool(part.title) for part in parts] == [True] + [False] * (len(parts) - 1)
    assert [bool(part.notes) for part in parts] == [False] * (len(parts) - 1) + [True]
    sizes = [len(part.header) for part in parts]
    assert max(sizes) - min(sizes) <= 2


def test_a_table_that_fits_is_not_cut_and_a_column_wider_than_the_width_is_still_shown(wide):
    assert blocks(wide(), 300) == [wide()]
    assert len(blocks(wide(3), 10)) == 3


def test_long_names_of_rows_are_broken_before_the_table_is_cut():
    label = "l2sc:affinity=full,lam=100,mu=0.001"
    sheet = Sheet("", ("method", "x"), ((Cell(label), Cell("1.0")),))
    assert column_widths(sheet, 80)[0] == len(label)
    assert column_widths(sheet, 30)[0] == 25
    assert blocks(sheet, 30) == [sheet]


def test_names_are_broken_after_spaces_and_punctuation_and_long_words_anywhere():
    assert broken("l2sc:affinity=full,lam=100,mu=0.001", 25) == ["l2sc:affinity=full,lam=", "100,mu=0.001"]
    assert broken("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert broken("gain over single task", 6) == ["gain", "over", "single", "task"]
    assert broken("", 4) == [""]


@given(st.text("ab :,=/", max_size=30), st.integers(1, 12))
def test_a_broken_name_has_all_its_letters_in_lines_that_fit(name, limit):
    lines = broken(name, limit)
    assert "".join("".join(lines).split()) == "".join(name.split())
    assert max(map(cell_len, lines)) <= limit
