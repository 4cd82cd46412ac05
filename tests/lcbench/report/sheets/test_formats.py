from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from lcbench.report.sheets.formats import (
    FORMATS,
    RawRows,
    breakable,
    html,
    in_markdown,
    markdown,
    write,
)
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

RAW = RawRows(("text", "number"), [{"text": "a", "number": 0.1, "other": 1}, {"text": "1"}])
UNTITLED = Sheet("", ("a", "b"), ((Cell("x"), Cell("", bold=True)),), rules=(0,))


def parsed(sheet: Sheet, **options):
    return ElementTree.fromstring(html(sheet, **options).replace("<wbr>", ""))


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


@pytest.mark.parametrize(
    ("escape", "text", "safe"),
    [
        (in_markdown, "a\n b\t c", "a b c"),
        (in_markdown, "\x1b[1m", "\N{REPLACEMENT CHARACTER}\\[1m"),
    ],
)
def test_escaped_text_is_one_line_without_control_characters_and_markup(escape, text, safe):
    assert escape(text) == safe


def test_in_html_no_text_is_markup_and_all_of_it_is_there(nasty):
    tree = parsed(nasty)
    assert [cell.text for cell in tree.iter("th")][:4] == list(nasty.header)
    assert [item.text for item in tree.iter("li")] == ["first & last", "--method <b>\n| x |"]
    assert (tree.find("h3").text, tree.find(".//table").get("aria-label")) == (nasty.title, nasty.title)
    assert html(text_sheet("\x1b", "a", ["\x07"])).count("\N{REPLACEMENT CHARACTER}") == 4


def test_in_html_names_of_rows_are_headers_numbers_have_their_class_and_the_best_is_strong(nasty):
    first, second = parsed(nasty).find(".//tbody")
    assert [(cell.tag, cell.get("class")) for cell in first] == [("th", None)] * 2 + [("td", "number")] * 2
    assert (first[3].find("strong").text, first[2].find("strong")) == ("-2.0 ±0.1", None)
    assert [first.get("class"), second.get("class")] == [None, "rule"]
    assert second[2].get("class") == "number dim"


@pytest.mark.parametrize(
    ("row", "stub", "cells"),
    [
        (("x", "long " * 10), 2, [("th", None), ("td", "long")]),  # in a table of text the first column names the row
        (("", "1"), 1, [("td", None), ("td", "number")]),  # an empty cell names nothing
    ],
)
def test_in_html_a_cell_is_a_header_if_it_names_the_row_and_long_text_is_marked(row, stub, cells):
    (found,) = parsed(text_sheet("", "ab", [row], stub)).find(".//tbody")
    assert [(cell.tag, cell.get("class")) for cell in found] == cells


def test_in_html_there_is_no_table_without_rows_and_a_folded_one_shows_its_heading(without_rows, nasty):
    assert parsed(without_rows).find(".//table") is None
    assert re.sub(r"\s*\n", "", html(Sheet("t", ("a",), ()))) == '<div class="sheet"><h3>t</h3></div>'
    folded = parsed(nasty, folded=True)
    assert (folded.tag, folded.find("summary/h3").text) == ("details", nasty.title)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("l2sc:lam=10,k=5", ["l2sc:", "lam=10,", "k=5"]),
        ("x" * 50, ["x" * 24, "x" * 24, "xx"]),
        ("a, b", ["a, b"]),
        ("<i>:&", ["&lt;i&gt;:", "&amp;"]),
    ],
)
def test_a_browser_may_break_a_name_after_punctuation_and_within_a_long_word(text, places):
    assert breakable(text).split("<wbr>") == places


def test_in_html_a_name_that_holds_for_several_rows_stands_in_each_and_numbers_carry_their_key():
    sheet = text_sheet("t", ("task", "metric", "m"), [("a", "x", "1.5 ±0.1"), ("", "y", "–"), ("runs", "", "5")], 2)
    rows = parsed(sheet).find(".//tbody")
    assert [[cell.text for cell in row] for row in rows] == [
        ["a", "x", "1.5 ±0.1"],
        ["a", "y", "–"],
        ["runs", None, "5"],
    ]
    assert [row[0].get("class") for row in rows] == [None, "again", None]
    assert [row[2].get("data-order") for row in rows] == ["1.5", "", "5.0"]
    assert rows[0][0].get("data-order") is None
