from __future__ import annotations

import pytest
from rich.cells import cell_len

from lcbench.report.sheets.layout import RULE, layout, plain_text
from lcbench.report.sheets.sheet import Cell, Sheet


def lines_of(sheet: Sheet, width: int = 80, *, star: bool = False) -> list[str]:
    return ["".join(piece.text for piece in line) for line in layout(sheet, width, star=star)]


def test_without_rows_there_is_no_table_but_the_title_and_the_notes(without_rows):
    assert plain_text(without_rows) == "title\nbecause"
    assert list(layout(without_rows, 80, star=False)) == []


def test_plain_text_marks_the_best_with_a_star_and_keeps_to_one_line_per_row(nasty):
    lines = plain_text(nasty).splitlines()
    assert lines[0] == "title of 50 %"
    assert any(line.startswith("t1    nmi     1.0 ±0.2") and line.endswith("*-2.0 ±0.1") for line in lines)
    assert lines[-3:] == ["*: the best.", "first & last", "--method <b>\N{REPLACEMENT CHARACTER}| x |"]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_width(wide, width):
    assert max(map(cell_len, plain_text(wide(), width).splitlines())) <= width


def test_text_is_on_the_left_numbers_on_the_right_and_a_rule_below_the_header():
    sheet = Sheet("", ("name", "value"), ((Cell("a"), Cell("1")), (Cell("bcdef"), Cell("200000"))), rules=(1,))
    assert lines_of(sheet) == ["name    value", RULE * 13, "a           1", "", "bcdef  200000"]


def test_a_header_of_several_lines_stands_on_the_rule():
    sheet = Sheet("", ("name", "gain over single"), ((Cell("a"), Cell("1")),))
    assert lines_of(sheet) == ["        gain", "        over", "name  single", RULE * 12, "a          1"]


def test_pieces_know_if_they_are_bold_and_their_tone():
    sheet = Sheet("", ("n", "x", "y"), ((Cell("a"), Cell("1", bold=True, tone="good"), Cell("2", tone="dim")),))
    head, rule, row = layout(sheet, 80, star=True)
    assert [piece.tone for piece in (*head, *rule)] == ["head", "dim"]
    assert [(piece.text.strip(), piece.bold, piece.tone) for piece in row] == [
        ("a", False, ""), ("*1", True, "good"), ("2", False, "dim"),
    ]  # fmt: skip


def test_control_characters_cannot_reach_the_terminal():
    sheet = Sheet("", ("\x1b[1m", "x"), ((Cell("a\nb"), Cell("\x07")),))
    text = "".join(lines_of(sheet))
    assert text.isprintable()
    assert text.count("\N{REPLACEMENT CHARACTER}") == 3


def test_wide_characters_are_counted_as_they_are_shown():
    sheet = Sheet("", ("name", "n"), ((Cell("日本語"), Cell("1")), (Cell("abc"), Cell("2"))))
    rows = plain_text(sheet).splitlines()[-2:]
    assert [cell_len(row) for row in rows] == [9, 9]
