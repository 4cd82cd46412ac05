"""Fits a table to a width: breaks long names into lines, cuts between columns.

Names of rows are broken first; a table that is still too wide is cut between columns into several parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len

from lcbench.report.sheets.sheet import Sheet

GAP = 2
LONGEST_WORD = 12  # of a header
LEAST_NAME = 14
_PIECES = re.compile(r".+?(?:[ :,=/]+|$)")


def blocks(sheet: Sheet, width: int) -> list[Sheet]:
    """The sheet in parts that fit the width, each with the columns that name the rows; the last has the notes."""
    widths = column_widths(sheet, width)
    room = width - sum(widths[: sheet.stub]) - GAP * (sheet.stub - 1)
    groups = _groups([GAP + wide for wide in widths[sheet.stub :]], room)
    if len(groups) < 2:
        return [sheet]
    parts = [_part(sheet, [sheet.stub + column for column in group]) for group in groups]
    return [
        replace(part, title=sheet.title if i == 0 else "", notes=sheet.notes if i + 1 == len(parts) else ())
        for i, part in enumerate(parts)
    ]


def column_widths(sheet: Sheet, width: int) -> list[int]:
    """The width of each column; if the table is too wide, the names of rows get less, down to LEAST_NAME."""
    widths = []
    for i, name in enumerate(sheet.header):
        cells = max((cell_len(row[i].text) for row in sheet.rows), default=0)
        word = max((cell_len(piece.rstrip()) for piece in _PIECES.findall(name)), default=0)
        widths.append(max(cells, min(word, LONGEST_WORD)))
    excess = sum(widths) + GAP * (len(widths) - 1) - width
    for i in sorted(range(sheet.stub), key=lambda i: -widths[i]):
        shorter = max(widths[i] - max(excess, 0), min(widths[i], LEAST_NAME))
        excess -= widths[i] - shorter
        widths[i] = shorter
    return widths


def broken(name: str, limit: int) -> list[str]:
    """A name in lines of at most `limit`, broken after spaces and punctuation; a long word is broken anywhere."""
    lines = [""]
    for piece in _PIECES.findall(name):
        if lines[-1] and cell_len(lines[-1]) + cell_len(piece.rstrip()) > limit:
            lines.append("")
        while cell_len(piece.rstrip()) > limit:
            lines[-1], piece = piece[:limit], piece[limit:]
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines if line.strip()] or [""]


def _groups(widths: Sequence[int], room: int) -> list[range]:
    """Columns in as few groups of about equal size as fit; if one column is too wide, each stands alone."""
    for size in range(len(widths), 0, -1):
        starts = range(0, len(widths), size)
        groups = [range(start, min(start + size, len(widths))) for start in starts]
        if all(sum(widths[column] for column in group) <= room for group in groups):
            break
    else:
        return [range(column, column + 1) for column in range(len(widths))]
    size = -(-len(widths) // len(groups))
    return [range(start, min(start + size, len(widths))) for start in range(0, len(widths), size)]


def _part(sheet: Sheet, columns: Sequence[int]) -> Sheet:
    kept = [*range(sheet.stub), *columns]
    rows = tuple(tuple(row[i] for i in kept) for row in sheet.rows)
    return replace(sheet, header=tuple(sheet.header[i] for i in kept), rows=rows)
