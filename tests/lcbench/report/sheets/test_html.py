from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from lcbench.report import numbers
from lcbench.report.sheets.html import breakable, html, in_notebook, sort_keys
from lcbench.report.sheets.sheet import Sheet, text_sheet


def parsed(sheet: Sheet, **options):
    return ElementTree.fromstring(html(sheet, **options).replace("<wbr>", ""))


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


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["56.7 ±2.7", "–", "100.0"], [56.7, None, 100.0]),
        (["+3.00", "-0.50", ""], [3.0, -0.5, None]),
        (["[-4.50, +4.00]", "[+0.50, +5.50]"], [-4.5, 0.5]),
        (["1.25 [1.00, 2.50]", "10.00 [9.00, 11.00]", "3.0 †"], [1.25, 10, 3]),
        (["<0.001", "0.043"], [0.001, 0.043]),
        (["128 B", "27.4 kB", "1.5 MB", "2.0 GB"], [128, 27_400, 1_500_000, 2e9]),
        (["5", "9 + 1 timeout", "2 of 3", "1,000"], [5, 9, 2, 1000]),
    ],
)
def test_a_column_of_numbers_is_sorted_by_the_number_at_the_head_of_each_text(texts, values):
    assert [None if key == "" else float(key) for key in sort_keys(texts)] == pytest.approx(values)


@pytest.mark.parametrize(
    "texts", [["1", "positive?"], ["–", ""], ["20newsgroups", "3"], ["3.11.7"], ["a library of 4 kB"], []]
)
def test_a_column_with_any_other_text_or_without_a_number_has_no_keys(texts):
    assert sort_keys(texts) == [None] * len(texts)


@pytest.mark.parametrize("write", [numbers.seconds, numbers.size, lambda value: numbers.score("purity", value / 1e7)])
def test_the_texts_of_numbers_sort_as_the_numbers_do(write):
    values = [0.0, 0.4, 7.25, 88.0, 999.0, 1_234.0, 98_765.0, 5_000_000.0]
    keys = [float(key) for key in sort_keys([write(value) for value in values])]
    assert keys == sorted(keys)
    assert keys[-1] > keys[0]


def test_a_notebook_shows_every_table_and_of_one_without_rows_its_words(nasty, without_rows):
    text = in_notebook([without_rows, nasty])
    assert "<p>title</p><p>because</p>" in text
    assert text.count("<table") == 1
    assert "a_b&amp;c%d" in text.replace("<wbr>", "")
