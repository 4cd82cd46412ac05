from __future__ import annotations

import pytest

from lcbench.report.figures.chart import LINEAR, LOG, SYMLOG, fitting_scale


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((1, 10), LINEAR),
        ((1, 30), LOG),
        ((0.001, 100), LOG),
        ((0, 1, 100), SYMLOG),
        ((0, 0), LINEAR),
        ((-1, 100), LINEAR),
    ],
)
def test_an_axis_is_logarithmic_where_values_span_decades(values, scale):
    assert fitting_scale(values) == scale
