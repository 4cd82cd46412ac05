from __future__ import annotations

import pytest

from lcbench.report import numbers
from lcbench.report.sheets.sort_keys import sort_keys


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
