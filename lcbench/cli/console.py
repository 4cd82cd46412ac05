"""Opens the terminal for rich, and makes text from outside safe to show on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lcbench.printable import printable

PIPE_WIDTH = 120


def output() -> Console:
    """Standard output; as wide as COLUMNS says, or 120 columns, where it is not a terminal."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if known else PIPE_WIDTH, highlight=False)


def error_output() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False)


def plain(text: object, style: str = "") -> Text:
    """The text without markup being read in it, and without control characters."""
    return Text(printable(text), style=style)


def heading_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table with a line under its heading; the first column names the rows."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(plain(column), no_wrap=i == 0, style="cyan" if i == 0 else "")
    for row in rows:
        table.add_row(*map(plain, row))
    return table


def fact_table(facts: Iterable[tuple[str, object]]) -> Table:
    """Names and values in two columns; a fact without a value is left out."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        if value not in (None, ""):
            table.add_row(plain(name), plain(value))
    return table
