"""Prints text and tables on the terminal with rich, safe whatever they hold; asks questions."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lcbench.cli import waiting
from lcbench.cli.messages import wrapped
from lcbench.printable import printable, printable_line
from lcbench.report.sheets.layout import UNCUT, layout
from lcbench.report.sheets.sheet import Sheet

PIPE_WIDTH = 120
INDENT = 1  # of tables, below their titles


def output() -> Console:
    """Standard output; as wide as COLUMNS says, or 120 columns, where it is not a terminal."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if known else PIPE_WIDTH, highlight=False)


def error_output() -> Console:
    """Standard error, for live lines; messages are printed by `say`."""
    return Console(stderr=True, highlight=False)


def plain(text: object, style: str = "") -> Text:
    """The text without markup being read in it, and without control characters."""
    return Text(printable(text), style=style)


def print_sheets(sheets: Iterable[Sheet], console: Console | None = None) -> None:
    """Print tables one after the other; the best has a star where the output cannot be bold."""
    console = console or output()
    for i, sheet in enumerate(sheets):
        if i:
            console.print()
        for part in layout(sheet, console.width - INDENT, star=console.color_system is None):
            console.print(Padding.indent(part, INDENT) if isinstance(part, Table) else part, **UNCUT)


def can_ask() -> bool:
    """True if there is somebody to ask: input and questions are at a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def says_yes(question: str) -> bool:
    """Asks on standard error; anything but yes is no."""
    waiting.LINE.end()
    text = wrapped(f"{printable_line(question)} [y/N]: ")
    print(text, end="", file=sys.stderr, flush=True)  # not typer.confirm, which writes to standard output too
    return sys.stdin.readline().strip().lower() in ("y", "yes")
