"""Lays out a table for a terminal or a text file of a given width, with the help of rich.

Where a table is too wide, columns that may give way are left out, long texts are broken into lines, and the rest is
cut between columns into several tables.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any

from rich import box
from rich.cells import cell_len, chop_cells
from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from lcbench.printable import printable_line
from lcbench.report.sheets.sheet import Cell, Sheet

WIDTH = 120
UNCUT: Any = {"crop": False, "overflow": "ignore"}  # for console.print: what does not fit is shown all the same
GAP = 2
LONGEST_WORD = 12  # longer ones are broken
LEAST_TEXT = 18  # how narrow a column of text becomes before the table is cut
_STYLES = {"": "", "good": "green", "bad": "red", "dim": "dim"}
_WORDS = re.compile(r"\S+\s*|\s+")
_PIECES = re.compile(r".+?(?:[ :,=/-]+|$)")


def plain_text(sheet: Sheet, width: int = WIDTH) -> str:
    """The title, the table in as many parts as the width demands, and the notes; a star marks the best."""
    console = Console(file=io.StringIO(), width=width, color_system=None, force_terminal=False, force_jupyter=False)
    with console.capture() as written:
        for part in layout(sheet, width, star=True):
            console.print(part, **UNCUT)
    return "\n".join(line.rstrip() for line in written.get().splitlines())


def layout(sheet: Sheet, width: int, *, star: bool) -> Iterator[RenderableType]:
    """The title, the table in parts that fit, and the notes, for rich to print with UNCUT.

    With `star`, a star marks the best, which is bold otherwise.
    """
    mark = "*: the best" if star else "bold: the best"
    best = mark if any(cell.bold for row in sheet.rows for cell in row) else ""
    if sheet.title:
        yield _line(f"{sheet.title} ({best})" if best else sheet.title, "bold", width)
    fitted = _fitted(_clean(sheet, star=star), width) if sheet.rows else sheet
    for i, part in enumerate(_parts(fitted, width) if sheet.rows else ()):
        if i:
            yield Text()
        yield _table(part, _widths(part, width))
    if best and not sheet.title:
        yield _line(f"{best[0].upper()}{best[1:]}.", "dim", width)
    left_out = [name for name in sheet.header if printable_line(name) not in fitted.header]
    if left_out:
        yield _line(f"Left out to fit the width: {', '.join(left_out)}.", "dim", width)
    style = "dim" if sheet.rows or sheet.title else ""  # notes alone are what there is to say
    yield from (_line(note, style, width) for note in sheet.notes)


def _line(text: str, style: str, width: int) -> Text:
    """Text wrapped between words; rich would break a long path, too."""
    return Text(fill(printable_line(text), width, break_long_words=False, break_on_hyphens=False), style)


def _clean(sheet: Sheet, *, star: bool) -> Sheet:
    """The sheet with every text on one line and without control characters, which could steer a terminal."""
    mark = "*" if star else ""
    rows = tuple(
        tuple(replace(cell, text=(mark if cell.bold else "") + printable_line(cell.text)) for cell in row)
        for row in sheet.rows
    )
    return replace(sheet, header=tuple(map(printable_line, sheet.header)), rows=rows)


def _fitted(sheet: Sheet, width: int) -> Sheet:
    """The sheet without the columns that have to give way."""
    for name in sheet.give_way:
        if _fits(sheet, width):
            break
        left = sheet.header.index(name)
        kept = _columns(sheet, [i for i in range(len(sheet.header)) if i != left])
        sheet = replace(kept, stub=sheet.stub - (left < sheet.stub))
    return sheet


def _parts(sheet: Sheet, width: int) -> list[Sheet]:
    """The sheet cut into as few parts as fit, of about equal size, each with the columns of text."""
    numbers = range(sheet.stub, len(sheet.header))
    parts = [sheet]
    for size in sorted({-(-len(numbers) // count) for count in range(2, len(numbers) + 1)}, reverse=True):
        if all(_fits(part, width) for part in parts):
            break
        groups = (numbers[start : start + size] for start in range(0, len(numbers), size))
        parts = [_columns(sheet, [*range(sheet.stub), *group]) for group in groups]
    return parts


def _columns(sheet: Sheet, kept: Sequence[int]) -> Sheet:
    rows = tuple(tuple(row[i] for i in kept) for row in sheet.rows)
    return replace(sheet, header=tuple(sheet.header[i] for i in kept), rows=rows)


def _fits(sheet: Sheet, width: int) -> bool:
    widths = _widths(sheet, width)
    return sum(widths) + GAP * (len(widths) - 1) <= width


def _widths(sheet: Sheet, width: int) -> list[int]:
    """The width of each column; if the table is too wide, the widest columns of text get less."""
    widths = []
    for i, name in enumerate(sheet.header):
        widths.append(max(_longest_word(name), *(cell_len(row[i].text) for row in sheet.rows)))
    texts, numbers = widths[: sheet.stub], widths[sheet.stub :]
    room = width - sum(numbers) - GAP * (len(widths) - 1)
    words = [max(_longest_word(row[i].text) for row in sheet.rows) for i in range(sheet.stub)]
    least = LEAST_TEXT if numbers else 1
    for floors in (words, [0] * sheet.stub):  # words are broken only if there is no other way
        for most in range(max(texts, default=0), least - 1, -1):
            fitted = [max(min(wide, most), floor) for wide, floor in zip(texts, floors, strict=True)]
            if sum(fitted) <= room:
                return fitted + numbers
    return [min(wide, least) for wide in texts] + numbers


def _longest_word(text: str) -> int:
    return max((min(cell_len(piece.rstrip()), LONGEST_WORD) for piece in _PIECES.findall(text)), default=0)


def _table(sheet: Sheet, widths: Sequence[int]) -> Table:
    """The table as rich lays it out: names in cyan, and a line under the header if there is one."""
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True, border_style="dim",
        show_header=any(sheet.header),
    )  # fmt: skip
    for i, (name, wide) in enumerate(zip(sheet.header, widths, strict=True)):
        side: JustifyMethod = "left" if i < sheet.stub else "right"
        style = "cyan" if i == 0 else ""
        table.add_column(_broken(name, wide), justify=side, style=style, min_width=wide, no_wrap=True)
    for i, row in enumerate(sheet.rows):
        cells = [_styled(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        table.add_row(*cells, end_section=i + 1 in sheet.rules)
    return table


def _styled(cell: Cell, width: int) -> Text:
    text = _broken(cell.text, width)
    text.stylize(f"{'bold ' if cell.bold else ''}{_STYLES[cell.tone]}".strip())
    return text


def _broken(text: str, limit: int) -> Text:
    """Text in lines of at most `limit`; rich would break a long word anywhere, not as `l2sc:lam=10,` and `mu=0.001`."""
    lines = [""]
    for word in _WORDS.findall(text):
        for piece in [word] if cell_len(word.rstrip()) <= limit else _PIECES.findall(word):
            if lines[-1] and cell_len(lines[-1]) + cell_len(piece.rstrip()) > limit:
                lines.append("")
            if cell_len(piece.rstrip()) > limit:
                *full, piece = chop_cells(piece, limit)
                lines[-1:] = [*full, ""]
            lines[-1] += piece
    return Text("\n".join(line.rstrip() for line in lines if line.strip()))
