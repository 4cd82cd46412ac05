from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from lcbench.report.sheets.html import breakable, html
from lcbench.report.sheets.sheet import Cell, Sheet


def parsed(sheet: Sheet, **options):
    return ElementTree.fromstring(html(sheet, **options).replace("<wbr>", ""))


def test_no_text_is_markup_and_all_of_it_is_there(nasty):
    tree = parsed(nasty)
    assert [cell.text for cell in tree.iter("th")][:4] == list(nasty.header)
    assert [item.text for item in tree.iter("li")] == ["first & last", "--method <b>\n| x |"]
    assert (tree.find("h3").text, tree.find(".//table").get("aria-label")) == (nasty.title, nasty.title)
    assert "\N{REPLACEMENT CHARACTER}" in html(Sheet("\x1b", ("a",), ((Cell("\x07"),),)))


def test_names_of_rows_are_headers_numbers_have_their_class_and_the_best_is_strong(nasty):
    first, second = parsed(nasty).find(".//tbody")
    assert [(cell.tag, cell.get("class")) for cell in first] == [("th", None)] * 2 + [("td", "number")] * 2
    assert (first[3].find("strong").text, first[2].find("strong")) == ("-2.0 ±0.1", None)
    assert [first.get("class"), second.get("class")] == [None, "rule"]
    assert second[2].get("class") == "number dim"


def test_in_a_table_of_text_only_the_first_column_names_the_row_and_long_text_is_marked():
    (row,) = parsed(Sheet("", ("a", "b"), ((Cell("x"), Cell("long " * 10)),), stub=2)).find(".//tbody")
    assert [(cell.tag, cell.get("class")) for cell in row] == [("th", None), ("td", "long")]
    (row,) = parsed(Sheet("", ("a", "b"), ((Cell(""), Cell("1")),))).find(".//tbody")
    assert row[0].tag == "td"  # an empty cell names nothing


def test_without_rows_there_is_no_table_and_a_folded_one_shows_its_heading(without_rows, nasty):
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
