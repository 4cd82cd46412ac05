"""Lays out a table in lines of a given width, for terminals and plain text.

Each line is a list of pieces, which know if they are bold and in which tone they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import cell_len

from lcbench.printable import printable_line
from lcbench.report.sheets.fitting import GAP, blocks, broken, column_widths
from lcbench.report.sheets.sheet import Cell, Sheet

RULE = "─"
WIDTH = 120


class Piece(NamedTuple):
    """A part of a line; `tone` is that of a cell, or "head" in the lines of the header."""

    text: str
    bold: bool = False
    tone: str = ""


def layout(sheet: Sheet, width: int, *, star: bool) -> Iterator[list[Piece]]:
    """The table line by line, in as many parts as the width demands; with `star`, a star marks bold cells.

    A sheet without rows gives no lines.
    """
    if not sheet.rows:
        return
    clean = _clean(sheet, star=star)
    for i, part in enumerate(blocks(clean, width)):
        if i:
            yield []
        yield from _part(part, width)


def plain_text(sheet: Sheet, width: int = WIDTH) -> str:
    """The title, the table in as many parts as the width demands, and the notes; a star marks the best."""
    lines = [printable_line(sheet.title)] if sheet.title else []
    lines += ["".join(piece.text for piece in line).rstrip() for line in layout(sheet, width, star=True)]
    if any(cell.bold for row in sheet.rows for cell in row):
        lines.append("*: the best.")
    return "\n".join([*lines, *map(printable_line, sheet.notes)])


def _part(sheet: Sheet, width: int) -> Iterator[list[Piece]]:
    widths = column_widths(sheet, width)
    heads = [broken(name, wide) for name, wide in zip(sheet.header, widths, strict=True)]
    height = max(map(len, heads))
    lines = zip(*([""] * (height - len(head)) + head for head in heads), strict=True)  # short heads are at the bottom
    yield from ([Piece("".join(_padded(line, widths, sheet.stub)), tone="head")] for line in lines)
    yield [Piece(RULE * (sum(widths) + GAP * (len(widths) - 1)), tone="dim")]
    for i, row in enumerate(sheet.rows):
        if i in sheet.rules:
            yield []
        yield from _row(row, widths, sheet.stub)


def _row(row: Sequence[Cell], widths: Sequence[int], stub: int) -> Iterator[list[Piece]]:
    """The lines of a row: one, or several if a name is broken."""
    texts = [
        [cell.text] if cell_len(cell.text) <= wide else broken(cell.text, wide)
        for cell, wide in zip(row, widths, strict=True)
    ]
    for line in zip_longest(*texts, fillvalue=""):
        yield [Piece(text, cell.bold, cell.tone) for text, cell in zip(_padded(line, widths, stub), row, strict=True)]


def _padded(texts: Sequence[str], widths: Sequence[int], stub: int) -> Iterator[str]:
    for i, (text, wide) in enumerate(zip(texts, widths, strict=True)):
        space = " " * (wide - cell_len(text))
        yield (" " * GAP if i else "") + (text + space if i < stub else space + text)


def _clean(sheet: Sheet, *, star: bool) -> Sheet:
    """The sheet with every text on one line and without control characters, which could steer a terminal."""
    mark = "*" if star else ""
    rows = tuple(
        tuple(Cell((mark if c.bold else "") + printable_line(c.text), c.bold, c.tone) for c in row)
        for row in sheet.rows
    )
    header = tuple(map(printable_line, sheet.header))
    return Sheet(sheet.title, header, rows, sheet.stub, sheet.rules, sheet.notes)
