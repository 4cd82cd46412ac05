"""Prints tables (sheets) on the terminal, fitted to its width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from lcbench.cli.console import output, plain
from lcbench.printable import printable_line
from lcbench.report.sheets.layout import Piece, layout
from lcbench.report.sheets.sheet import Sheet

_STYLES = {"": "", "head": "bold", "good": "green", "bad": "red", "dim": "dim"}


def print_sheets(sheets: Iterable[Sheet], console: Console | None = None) -> None:
    """Print sheets one after the other; what is bold has a star where the output cannot be bold."""
    console = console or output()
    for i, sheet in enumerate(sheets):
        if i:
            console.print()
        for part in renderables(sheet, console.width, bold=console.color_system is not None):
            console.print(part, soft_wrap=part.no_wrap is True)


def renderables(sheet: Sheet, width: int, *, bold: bool = True) -> Iterator[Text]:
    """The title, the table laid out in lines that are not to be wrapped, and the notes."""
    if sheet.title:
        yield plain(printable_line(sheet.title), "bold")
    if sheet.rows:
        table = Text("\n").join(_line(pieces) for pieces in layout(sheet, width, star=not bold))
        table.no_wrap = True
        yield table
    if any(cell.bold for row in sheet.rows for cell in row):
        yield plain("Bold: the best." if bold else "*: the best.", "dim")
    for note in sheet.notes:
        yield plain(printable_line(note), "dim")


def _line(pieces: Iterable[Piece]) -> Text:
    text = Text()
    for piece in pieces:
        text.append(piece.text, f"{'bold ' if piece.bold else ''}{_STYLES[piece.tone]}".strip() or None)
    text.rstrip()
    return text
