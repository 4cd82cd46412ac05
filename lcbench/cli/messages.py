"""Prints messages on standard error, wrapped at words where that is a terminal."""

from __future__ import annotations

import os
import sys

from lcbench.printable import printable, word_lines

LEAST_WIDTH = 20
USUAL_WIDTH = 80


def say(text: object) -> None:
    """Prints a message; text from outside cannot steer the terminal."""
    print(wrapped(printable(text)), file=sys.stderr, flush=True)


def wrapped(text: str) -> str:
    """The text in lines that end between words, if standard error is a terminal; elsewhere as it is, to be searched.

    A line that is continued keeps its indent. Long words, such as paths, stay whole.
    """
    if not sys.stderr.isatty():
        return text
    width = terminal_width()
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def terminal_width() -> int:
    """The columns of the terminal that messages go to; COLUMNS, if set, says otherwise."""
    if os.environ.get("COLUMNS", "").isdecimal():
        return max(int(os.environ["COLUMNS"]), LEAST_WIDTH)
    try:
        return max(os.get_terminal_size(sys.stderr.fileno()).columns, LEAST_WIDTH)
    except (OSError, ValueError):
        return USUAL_WIDTH


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return word_lines(line, width, indent)
