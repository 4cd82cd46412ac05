"""The table model: Sheet and Cell, from which every table is written.

Writers turn a sheet into text for the terminal, Markdown, LaTeX or the HTML page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

    `rules` are the indices of rows before which a line is drawn; `notes` are shown below the table. `give_way` names
    columns that a narrow terminal leaves out, the first one first.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    stub: int = 1
    rules: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    give_way: tuple[str, ...] = ()


def text_sheet(
    title: str,
    header: Sequence[str],
    rows: Iterable[Iterable[object]],
    stub: int | None = None,
    *,
    rules: Iterable[int] = (),
    notes: Iterable[str] = (),
    give_way: Iterable[str] = (),
) -> Sheet:
    """A table of cells, or of values that become unmarked cells; all columns are text unless `stub` says how many."""
    cells = tuple(tuple(value if isinstance(value, Cell) else Cell(str(value)) for value in row) for row in rows)
    stub = len(header) if stub is None else stub
    return Sheet(title, tuple(header), cells, stub, tuple(rules), tuple(notes), tuple(give_way))


def fact_sheet(title: str, facts: Iterable[tuple[str, object]]) -> Sheet:
    """Names and values in two columns without a header; a fact without a value is left out."""
    return text_sheet(title, ("", ""), (fact for fact in facts if fact[1] not in (None, "")))
