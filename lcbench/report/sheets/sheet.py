"""The table model: Sheet and Cell, from which every table is written.

Writers turn a sheet into text for the terminal, Markdown, LaTeX or the HTML page.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of one cell. `bold` marks the best; `tone` is "", "good", "bad" or "dim"."""

    text: str
    bold: bool = False
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A title, a header, and rows of as many cells. The first `stub` columns are text, the others numbers.

    `rules` are the indices of rows before which a line is drawn; `notes` are shown below the table.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    stub: int = 1
    rules: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
