from __future__ import annotations

import re

import pytest

from lcbench.report.sheets.formats import FORMATS, RawRows, in_markdown, markdown, write
from lcbench.report.sheets.sheet import Cell, Sheet

RAW = RawRows(("text", "number"), [{"text": "a", "number": 0.1, "other": 1}, {"text": "1"}])
UNTITLED = Sheet("", ("a", "b"), ((Cell("x"), Cell("", bold=True)),), rules=(0,))


@pytest.mark.parametrize(
    ("format", "alone"),
    [
        ("table", "title\nbecause\n"),
        ("markdown", "### title\n\n- because\n"),
        ("latex", "\\paragraph{title} because\n"),
    ],
)
def test_tables_are_written_one_after_the_other_and_without_rows_there_are_only_title_and_notes(
    nasty, without_rows, format, alone
):
    assert write([without_rows], RAW, format) == alone
    assert write([without_rows, nasty], RAW, format) == f"{alone}\n{write([nasty], RAW, format)}"


@pytest.mark.parametrize(
    ("quoted", "text"), [(True, '"text","number"\n"a",0.1\n"1",""\n'), (False, "text,number\na,0.1\n1,\n")]
)
def test_csv_has_the_raw_numbers_and_nothing_of_the_tables(nasty, quoted, text):
    assert write([nasty], RAW._replace(quoted=quoted), "csv") == text


def test_no_two_formats_have_files_of_the_same_ending():
    endings = [ending for format in FORMATS.values() for ending in format.endings]
    assert len(set(endings)) == len(endings) >= len(FORMATS)


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


def test_without_a_title_and_notes_there_is_only_the_table_and_an_empty_cell_is_not_marked():
    assert markdown(UNTITLED) == "| a | b |\n| :--- | ---: |\n| x |  |\n"


def test_escaped_text_is_one_line_without_control_characters_and_markup():
    assert in_markdown("a\n b\t c\x1b[1m") == "a b c\N{REPLACEMENT CHARACTER}\\[1m"
