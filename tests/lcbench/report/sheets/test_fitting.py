from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lcbench.report.sheets.fitting import Ruler, broken, fit
from lcbench.report.sheets.sheet import Sheet, text_sheet

LETTERS = Ruler(lambda text, bold: len(text), gap=2, longest_word=6, least_text=6)
TWICE = Ruler(lambda text, bold: 2 * len(text), gap=2, longest_word=12, least_text=12)


def numbers(columns: int) -> Sheet:
    return text_sheet("t", ("name", *(f"c{i}" for i in range(columns))), [("method", *["123.4"] * columns)], 1)


def test_a_table_that_fits_is_whole_and_its_columns_as_wide_as_their_longest_text():
    ((part, widths),) = fit(numbers(2), 40, LETTERS)
    assert (part.header, widths) == (("name", "c0", "c1"), [6, 5, 5])


def test_the_unit_is_that_of_the_ruler():
    assert len(fit(numbers(4), 34, LETTERS)) == 1
    assert len(fit(numbers(4), 34, TWICE)) > 1


@given(st.text(alphabet="ab :,=-", max_size=40), st.integers(1, 12))
def test_broken_text_has_lines_that_fit_and_no_letter_is_lost(text, limit):
    lines = broken(text, limit, LETTERS)
    assert all(len(line) <= limit for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
