"""Formats scores, seconds, sizes and p values as tables show them."""

from __future__ import annotations

from lcbench.printable import byte_size
from lcbench.registry.metrics import is_percent
from lcbench.report.sheets.sheet import Cell

MISSING = "–"
DASH = Cell(MISSING, tone="dim")
NOISE = 9  # decimals beyond this are floating-point noise


def score(metric: str, value: float | None, *, signed: bool = False, finer: bool = False) -> str:
    """A score in percent with one decimal, or else with three decimals; `finer` adds one more."""
    if value is None:
        return MISSING
    value, digits = (100 * value, 1 + finer) if is_percent(metric) else (value, 3 + finer)
    value = round(value, NOISE)  # means of equal scores over 2 and over 6 runs may lie on two sides of a half
    return f"{round(value, digits) + 0.0:{'+' if signed else ''}.{digits}f}"  # + 0.0: no negative zero


def interval(metric: str, low: float | None, high: float | None, *, finer: bool = False) -> str:
    """The ends of an interval of differences in brackets; a dash if it has none."""
    ends = [score(metric, end, signed=True, finer=finer) for end in (low, high)]
    return MISSING if low is None else f"[{', '.join(ends)}]"


def seconds(value: float | None) -> str:
    """A duration in seconds: to the millisecond below ten, else with three digits or more."""
    if value is None:
        return MISSING
    return f"{value:.3f}" if value < 9.9995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def size(count: float | None) -> str:
    """A number of bytes in the unit that fits."""
    return MISSING if count is None else byte_size(count)


def p_value(value: float | None) -> str:
    """A p value with three decimals."""
    return MISSING if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"
