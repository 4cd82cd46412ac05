from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lcbench.report.sheets.fitting import Ruler, broken, fit
from lcbench.report.sheets.sheet import Sheet, text_sheet

LETTERS = Ruler(lambda text, bold: len(text), gap=2, longest_word=6, least_text=6)
TWICE = Ruler(lambda text, bold: 2 * len(text), gap=2, longest_word=12, least_text=12)


def numbers(columns: int, give_way: tuple[str, ...] = ()) -> Sheet:
    made = text_sheet("t", ("name", *(f"c{i}" for i in range(columns))), [("method", *["123.4"] * columns)], 1)
    return Sheet(made.title, made.header, made.rows, 1, give_way=give_way)


def test_a_table_that_fits_is_whole_and_its_columns_as_wide_as_their_longest_text():
    ((part, widths),) = fit(numbers(2), 40, LETTERS)
    assert (part.header, widths) == (("name", "c0", "c1"), [6, 5, 5])


def test_columns_give_way_before_the_table_is_cut():
    ((part, _),) = fit(numbers(3, give_way=("c1",)), 20, LETTERS)
    assert part.header == ("name", "c0", "c2")


def test_a_table_that_is_too_wide_is_cut_into_parts_of_about_equal_size_with_the_names_in_each():
    parts = [part for part, _ in fit(numbers(5), 27, LETTERS)]
    assert [part.header for part in parts] == [("name", "c0", "c1", "c2"), ("name", "c3", "c4")]


def test_the_unit_is_that_of_the_ruler():
    assert len(fit(numbers(4), 34, LETTERS)) == 1
    assert len(fit(numbers(4), 34, TWICE)) > 1


@given(st.text(alphabet="ab :,=-", max_size=40), st.integers(1, 12))
def test_broken_text_has_lines_that_fit_and_no_letter_is_lost(text, limit):
    lines = broken(text, limit, LETTERS)
    assert all(len(line) <= limit for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
