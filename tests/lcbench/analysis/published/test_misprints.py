from __future__ import annotations

import pytest

from lcbench.analysis.published.figures import Published
from lcbench.analysis.published.misprints import misprint, misprints, recomputed_average


def with_average(table, rows: list[str], average: str) -> Published:
    """The made-up table with other figures for its first method."""
    for task, text in zip([*"ABCD", "average"], [*rows, average], strict=True):
        table["figures"]["purity"][task][0] = text
    return Published.model_validate(table)


def test_an_average_is_computed_from_the_printed_rows(published):
    assert recomputed_average(published, "purity", "Plain") == 65
    assert recomputed_average(published, "purity", "Life") == 75


def test_a_misprinted_average_is_found_with_the_printed_and_the_recomputed_value(published):
    assert misprints(published) == [("purity", "Life", 77.0, 75.0)]
    assert misprint(published, "purity", "Plain") is None


@pytest.mark.parametrize(
    ("rows", "average", "wrong"),
    [
        (["10.00", "10.00", "10.00", "10.01"], "10.00", False),  # 10.0025, rounded
        (["10.00", "10.00", "10.01", "10.02"], "10.00", False),  # 10.0075, cut off
        (["10.00", "10.00", "10.00", "10.05"], "10.00", False),  # 10.0125: rows of up to 0.005 less, cut off
        (["10.00", "10.02", "10.02", "10.02"], "10.00", False),  # 10.015 is the utmost
        (["10.01", "10.02", "10.02", "10.02"], "10.00", True),  # 10.0175
        (["10.00", "10.00", "10.00", "9.93"], "10.00", True),  # 9.9825
    ],
)
def test_rounding_explains_an_average_that_is_off_by_0_015_and_no_more(table, rows, average, wrong):
    found = misprint(with_average(table, rows, average), "purity", "Plain")
    assert (found is not None) is wrong
