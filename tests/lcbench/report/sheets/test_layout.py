from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from lcbench.report.sheets.layout import plain_text
from lcbench.report.sheets.sheet import Cell, Sheet, fact_sheet, text_sheet

LABEL = "l2sc:affinity=full,lam=100,mu=0.001"


def wide(columns: int = 12) -> Sheet:
    """A sheet of three rows and many columns."""
    rows = tuple((Cell(f"row-{r}"), *(Cell(f"{c}{r}.0 ±1.0", bold=c == r) for c in range(columns))) for r in range(3))
    return Sheet("wide", ("name", *(f"column:{c},k=1" for c in range(columns))), rows, 1, (), ("the note",))


def lines_of(sheet: Sheet, width: int = 80) -> list[str]:
    return plain_text(sheet, width).splitlines()


def test_plain_text_marks_the_best_with_a_star_and_keeps_to_one_line_per_row(nasty):
    lines = lines_of(nasty, 120)
    assert lines[0] == "title of 50 % (*: the best)"
    assert any(line.startswith("t1    nmi     1.0 ±0.2") and line.endswith("*-2.0 ±0.1") for line in lines)
    assert lines[-2:] == ["first & last", "--method <b>\N{REPLACEMENT CHARACTER}| x |"]


def test_text_is_on_the_left_numbers_on_the_right_and_a_rule_below_the_header():
    sheet = Sheet("", ("name", "value"), ((Cell("a"), Cell("1")), (Cell("bcdef"), Cell("200000"))), rules=(1,))
    assert lines_of(sheet) == ["name    value", "─" * 13, "a           1", "", "bcdef  200000"]


def test_a_header_of_several_lines_stands_on_the_rule():
    sheet = text_sheet("", ("name", "gain over single"), [("a", 1)], stub=1)
    assert lines_of(sheet) == ["        gain", "        over", "name  single", "─" * 12, "a          1"]


def test_facts_have_no_header_and_their_values_are_broken_into_lines():
    sheet = fact_sheet("facts", [("a", "some words in a row"), ("bcd", 1)])
    assert lines_of(sheet, 16) == ["facts", "a    some words", "     in a row", "bcd  1"]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_a_wide_table_is_cut_into_parts_that_fit_with_all_columns_once(width):
    lines = lines_of(wide(), width)
    assert max(map(cell_len, lines)) <= width
    assert (lines[0], lines[-1]) == ("wide (*: the best)", "the note")
    heads = [line.split() for line in lines if "column:" in line]
    assert [name for head in heads for name in head] == [f"column:{c}," for c in range(12)]
    assert max(map(len, heads)) - min(map(len, heads)) <= 1
    assert sum(line.startswith("row-2") for line in lines) == len(heads)


def test_a_column_wider_than_the_width_is_still_shown():
    assert sum("column:" in line for line in lines_of(wide(3), 10)) == 3
    assert "*22.0 ±1.0" in plain_text(wide(3), 10)


def test_columns_give_way_in_their_order_before_a_table_is_cut():
    sheet = replace(wide(4), give_way=("column:2,k=1", "column:0,k=1"))
    assert "Left out" not in plain_text(sheet, 60)
    assert "Left out to fit the width: column:2,k=1." in plain_text(sheet, 45)
    narrow = plain_text(sheet, 20)
    assert "Left out to fit the width: column:0,k=1, column:2,k=1." in " ".join(narrow.split())
    assert narrow.count("row-0") == 2


def test_a_column_of_text_may_give_way_too():
    sheet = replace(text_sheet("", ("name", "what", "x"), [("a", "b" * 18, 1)], stub=2), give_way=("what",))
    assert lines_of(sheet, 12)[:3] == ["name  x", "─" * 7, "a     1"]


def test_long_names_are_broken_after_punctuation_before_a_table_is_cut():
    sheet = text_sheet("", ("method", "x"), [(LABEL, "1.0")], stub=1)
    assert lines_of(sheet, 80)[-1] == f"{LABEL}  1.0"
    assert lines_of(sheet, 30)[-2:] == ["l2sc:affinity=full,lam=    1.0", "100,mu=0.001"]


def test_columns_of_text_share_the_width_and_words_are_broken_last():
    sheet = text_sheet("", ("a", "b", "c"), [("short", "a silhouette", "several words in a column")])
    assert lines_of(sheet, 33)[2:] == [
        "short  a silhouette  several",
        "                     words in a",
        "                     column",
    ]
    assert max(map(cell_len, lines_of(sheet, 20))) <= 20


def test_notes_are_wrapped_and_a_path_in_them_stays_in_one_piece():
    path = "/a/" + "long" * 10
    sheet = Sheet("files", (), (), notes=("a note of several words", f"record: {path}"))
    assert lines_of(sheet, 12) == ["files", "a note of", "several", "words", "record:", path]


def test_control_characters_cannot_reach_the_terminal():
    text = plain_text(Sheet("\x1b", ("\x1b[1m", "x"), ((Cell("a\nb"), Cell("\x07")),), notes=("\x1b[2J",)))
    assert text.replace("\n", "").isprintable()
    assert text.count("\N{REPLACEMENT CHARACTER}") == 5


def test_wide_characters_are_counted_as_they_are_shown():
    rows = lines_of(text_sheet("", ("name", "n"), [("日本語", 1), ("abc", 2)], stub=1))[-2:]
    assert [cell_len(row) for row in rows] == [9, 9]
