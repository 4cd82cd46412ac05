from __future__ import annotations

import pytest

from lcbench.report.page.content import headline


@pytest.mark.parametrize(
    ("streams", "methods", "expected"),
    [
        (["webkb4", "digits"], 11, "webkb4, digits · 11 methods"),
        (["webkb4:weighting=counts"], 1, "webkb4:weighting=counts · 1 method"),
        (["a", "b", "c", "d"], 2, "4 streams · 2 methods"),
        (["x" * 50, "y" * 50], 2, "2 streams · 2 methods"),
        (["x" * 100], 2, "1 stream · 2 methods"),
    ],
)
def test_few_short_names_are_said_and_others_are_counted(streams, methods, expected):
    assert headline(streams, methods) == expected
