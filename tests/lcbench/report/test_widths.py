from __future__ import annotations

import pytest

from lcbench.errors import ParameterError
from lcbench.report.widths import width_in_mm


def test_a_width_is_that_of_a_column_of_a_page_or_a_number():
    assert width_in_mm("column") < width_in_mm("page") / 2 < width_in_mm("page")
    assert width_in_mm("88.9") == 88.9


@pytest.mark.parametrize("width", ["wide", "", "nan", "-80", "3", "10000"])
def test_anything_else_is_refused(width):
    with pytest.raises(ParameterError, match="--width takes column, page or a number of millimetres from 40 to 600"):
        width_in_mm(width)
