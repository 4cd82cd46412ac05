"""Consoles, and text from outside made safe to show."""

from __future__ import annotations

import os
import sys

from rich.console import Console
from rich.text import Text

from lcbench.printable import printable

PIPE_WIDTH = 120


def output() -> Console:
    """Standard output; where it is not a terminal, as wide as COLUMNS says, or wide."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if known else PIPE_WIDTH, highlight=False)


def error_output() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False)


def plain(text: object, style: str = "") -> Text:
    """`text` as it is: no markup is read in it, and control characters cannot reach the terminal."""
    return Text(printable(text), style=style)
