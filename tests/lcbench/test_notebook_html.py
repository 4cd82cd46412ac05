from __future__ import annotations

from xml.etree import ElementTree

from lcbench import notebook_html


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(html)


def test_no_text_is_markup_and_control_characters_are_replaced():
    html = notebook_html.block(notebook_html.heading("<b>\x1b"), notebook_html.paragraph("a & b"))
    tree = parsed(html)
    assert tree.find("h3").text == "<b>\N{REPLACEMENT CHARACTER}"
    assert tree.find("p").text == "a & b"


def test_facts_without_a_value_are_left_out_and_zero_is_a_value():
    tree = parsed(notebook_html.facts([("a", 0), ("b", None), ("c", "")]))
    assert [(row[0].text, row[1].text) for row in tree.iter("tr")] == [("a", "0")]


def test_numbers_have_their_class_and_texts_have_none():
    tree = parsed(notebook_html.table(("task", "n"), [("x", 1)]))
    assert [cell.get("class") for cell in tree.iter("td")] == [None, "number"]


def test_a_folded_part_shows_its_title():
    assert parsed(notebook_html.folded("more", "<p>x</p>")).find("summary").text == "more"
