"""Sheet: a table before it is written, for the terminal, Markdown, LaTeX or the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a table. `bold` marks the best; `tone` is "", "good", "bad" or "dim"."""

    text: str
    bold: bool = False
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A title, a header, and rows as long as it. The first `stub` columns are text, the others numbers.

    `rules` are the rows before which a line is drawn; `notes` stand below.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    stub: int = 1
    rules: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
