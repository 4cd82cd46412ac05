from __future__ import annotations

import re

import pytest

from lcbench.report.sheets.markdown import escape, markdown
from lcbench.report.sheets.sheet import Cell, Sheet


def test_markdown_is_a_table_of_equal_rows_in_which_no_text_is_markup(nasty):
    text = markdown(nasty)
    heading, empty, *lines = text.splitlines()
    assert (heading, empty) == ("### title of 50 %", "")
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[:4]]
    assert {len(row) for row in cells} == {4}
    assert cells[1] == [" :--- ", " :--- ", " ---: ", " ---: "]
    assert cells[2][3] == " **-2.0 ±0.1** "
    assert re.sub(r"\\(.)", r"\1", cells[0][3].strip()) == nasty.header[3]
    assert not re.search(r"(?<!\\)[<>`_]", text)
    assert lines[4:] == ["", "- first \\& last", "- --method \\<b\\> \\| x \\|"]


def test_without_rows_there_are_only_the_title_and_the_notes(without_rows):
    assert markdown(without_rows) == "### title\n\n- because\n"


def test_without_a_title_and_notes_there_is_only_the_table():
    assert markdown(Sheet("", ("a", "b"), ((Cell("x"), Cell("1")),))) == "| a | b |\n| :--- | ---: |\n| x | 1 |\n"


def test_an_empty_cell_is_not_marked_as_bold():
    assert markdown(Sheet("", ("a",), ((Cell("", bold=True),),))).splitlines()[-1] == "|  |"


@pytest.mark.parametrize(("text", "safe"), [("a\n b\t c", "a b c"), ("\x1b[1m", "\N{REPLACEMENT CHARACTER}\\[1m")])
def test_escaped_text_is_one_line_without_control_characters(text, safe):
    assert escape(text) == safe
