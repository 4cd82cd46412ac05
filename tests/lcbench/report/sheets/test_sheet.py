from __future__ import annotations

from lcbench.report.sheets.sheet import Cell, Sheet, fact_sheet, text_sheet


def test_a_sheet_of_text_has_plain_cells_and_no_numbers_unless_told_otherwise():
    sheet = Sheet("title", ("name", "x"), ((Cell("a", False, ""), Cell("1", False, "")),), 1, (0,), ("note",))
    assert text_sheet("title", ["name", "x"], [["a", 1]], 1, rules=[0], notes=["note"]) == sheet
    assert text_sheet("", ["name", "x"], [["a", 1]]) == Sheet("", ("name", "x"), sheet.rows, 2)


def test_a_fact_without_a_value_is_left_out_and_zero_is_a_value():
    facts = [("a", 1), ("b", None), ("c", ""), ("d", 0), ("e", False)]
    assert fact_sheet("", facts) == text_sheet("", ("", ""), [("a", "1"), ("d", "0"), ("e", "False")])
