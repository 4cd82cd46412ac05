"""Reads tables (sheets) as tests compare them: their texts by row or by column."""

from __future__ import annotations

from lcbench.report.sheets.sheet import Sheet


def texts(sheet: Sheet) -> list[list[str]]:
    """The texts of all rows."""
    return [[cell.text for cell in row] for row in sheet.rows]


def by_name(sheet: Sheet) -> list[dict[str, str]]:
    """The texts of all rows by the names of their columns."""
    return [dict(zip(sheet.header, row, strict=True)) for row in texts(sheet)]


def column(sheet: Sheet, name: str) -> list[str]:
    """The texts of a column."""
    return [row[name] for row in by_name(sheet)]
