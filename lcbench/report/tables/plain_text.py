"""A sheet as plain text, for notebooks and files."""

from __future__ import annotations

from lcbench.printable import printable_line
from lcbench.report.tables.layout import layout
from lcbench.report.tables.sheet import Sheet

WIDTH = 120


def plain_text(sheet: Sheet, width: int = WIDTH) -> str:
    """The title, the table in as many parts as the width demands, and the notes; a star marks the best."""
    lines = [printable_line(sheet.title)] if sheet.title else []
    lines += ["".join(piece.text for piece in line).rstrip() for line in layout(sheet, width, star=True)]
    if any(cell.bold for row in sheet.rows for cell in row):
        lines.append("*: the best.")
    return "\n".join([*lines, *map(printable_line, sheet.notes)])
