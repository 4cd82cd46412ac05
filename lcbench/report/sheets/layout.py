"""Lays out a table for a terminal or a text file of a given width, with the help of rich.

What is too wide is left out, broken into lines or cut, as `fitting` decides.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from lcbench.printable import printable_line, word_lines
from lcbench.report.sheets.fitting import Ruler, broken, fit
from lcbench.report.sheets.sheet import Cell, Sheet

WIDTH = 120
UNCUT: Any = {"crop": False, "overflow": "ignore"}  # for console.print: what does not fit is shown all the same
CHARACTERS = Ruler(lambda text, bold: cell_len(text), gap=2, longest_word=12, least_text=18)
_STYLES = {"": "", "good": "green", "bad": "red", "dim": "dim"}


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
    parts = fit(_clean(sheet, star=star), width, CHARACTERS) if sheet.rows else []
    for i, (part, widths) in enumerate(parts):
        if i:
            yield Text()
        yield _table(part, widths)
    if best and not sheet.title:
        yield _line(f"{best[0].upper()}{best[1:]}.", "dim", width)
    kept = {name for part, _ in parts for name in part.header}
    left_out = [name for name in sheet.header if sheet.rows and printable_line(name) not in kept]
    if left_out:
        yield _line(f"Left out to fit the width: {', '.join(left_out)}.", "dim", width)
    style = "dim" if sheet.rows or sheet.title else ""  # notes alone are what there is to say
    yield from (_line(note, style, width) for note in sheet.notes)


def _line(text: str, style: str, width: int) -> Text:
    """Text wrapped between words; rich would break a long path, too."""
    return Text("\n".join(word_lines(printable_line(text), width)), style)


def _clean(sheet: Sheet, *, star: bool) -> Sheet:
    """The sheet with every text on one line and without control characters, which could steer a terminal."""
    mark = "*" if star else ""
    rows = tuple(
        tuple(replace(cell, text=(mark if cell.bold else "") + printable_line(cell.text)) for cell in row)
        for row in sheet.rows
    )
    return replace(sheet, header=tuple(map(printable_line, sheet.header)), rows=rows)


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
    return Text("\n".join(broken(text, limit, CHARACTERS)))
