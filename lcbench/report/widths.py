"""The widths of columns and pages of papers, for tables and figures that fit them."""

from __future__ import annotations

import math

from lcbench.errors import ParameterError

COLUMN, PAGE = "column", "page"
WIDTHS = {COLUMN: 77.0, PAGE: 158.0}  # mm: those of a two-column article on A4, where it is narrower than on Letter
LEAST, MOST = 40, 600  # mm


def width_in_mm(width: str) -> float:
    """The width that `column`, `page` or a number of millimetres stands for; refuses anything else."""
    try:
        found = WIDTHS[width] if width in WIDTHS else float(width)
    except ValueError:
        found = math.nan
    if not LEAST <= found <= MOST:
        raise ParameterError(
            f"--width takes column, page or a number of millimetres from {LEAST} to {MOST}, not '{width}'."
        )
    return found
