from __future__ import annotations

import dataclasses

import pytest

from lcbench.report.sheets.sheet import Cell, Sheet, fact_sheet, text_sheet


def test_a_cell_is_plain_and_a_sheet_has_one_column_of_names_unless_told_otherwise():
    sheet = Sheet("title", ("name", "x"), ((Cell("a"), Cell("1")),))
    assert sheet == Sheet("title", ("name", "x"), ((Cell("a", False, ""), Cell("1", False, "")),), 1, (), (), ())
    assert text_sheet("title", ["name", "x"], [["a", 1]], stub=1) == sheet
    assert text_sheet("title", ["name", "x"], [["a", 1]]).stub == 2


def test_a_sheet_cannot_be_changed_but_copied_with_a_change(nasty):
    with pytest.raises(dataclasses.FrozenInstanceError):
        nasty.title = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        nasty.rows[0][0].text = "other"
    assert dataclasses.replace(nasty, title="other").rows == nasty.rows
    assert hash(dataclasses.replace(nasty)) == hash(nasty)


def test_a_fact_without_a_value_is_left_out_and_zero_is_a_value():
    facts = [("a", 1), ("b", None), ("c", ""), ("d", 0), ("e", False)]
    assert fact_sheet("", facts) == text_sheet("", ("", ""), [("a", "1"), ("d", "0"), ("e", "False")])
