"""Consoles, and text from outside made safe to show."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from lcbench.printable import printable

PIPE_WIDTH = 120


def output() -> Console:
    """Standard output; wide where it is not a terminal."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def error_output() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False)


def plain(text: object, style: str = "") -> Text:
    """`text` as it is: no markup is read in it, and control characters cannot reach the terminal."""
    return Text(printable(text), style=style)
