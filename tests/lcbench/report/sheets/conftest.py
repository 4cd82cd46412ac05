"""Sheets that are hard to write: one with special characters, and one without rows."""

from __future__ import annotations

import pytest

from lcbench.report.sheets.sheet import Cell, Sheet

NASTY = "a_b&c%d#e$f{g}h~i^j\\k|l<m>n*o`p[q]"
SHEET = Sheet(
    "title of 50 %",
    ("task", "metric", "x", NASTY),
    (
        (Cell("t1"), Cell("nmi"), Cell("1.0 ±0.2"), Cell("-2.0 ±0.1", bold=True)),
        (Cell("*"), Cell("ri"), Cell("–", tone="dim"), Cell("[-1.0, +2.0]")),
    ),
    stub=2,
    rules=(1,),
    notes=("first & last", "--method <b>\n| x |"),
)


@pytest.fixture
def nasty() -> Sheet:
    """A sheet whose last header has every special character of Markdown and LaTeX."""
    return SHEET


@pytest.fixture
def without_rows() -> Sheet:
    return Sheet("title", ("method",), (), notes=("because",))
