"""Writes tables as Markdown or CSV, and in the formats of `latex` and `layout`.

A further format is a function that writes a sheet, and its entry in FORMATS.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from lcbench.printable import printable
from lcbench.report.sheets.latex import Typesetting, latex, latex_document
from lcbench.report.sheets.sheet import Cell, Sheet

TABLE, LATEX, CSV = "table", "latex", "csv"

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#$&])")


def table(sheet: Sheet) -> str:
    """As plain text."""
    from lcbench.report.sheets.layout import plain_text  # brings rich along, which the help of commands does without

    return plain_text(sheet)


def markdown(sheet: Sheet) -> str:
    """In GitHub's syntax: a heading, the table, and the notes as a list; the best is bold. No table without rows."""

    def row(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    lines = [f"### {in_markdown(sheet.title)}", ""] if sheet.title else []
    if sheet.rows:
        lines.append(row(map(in_markdown, sheet.header)))
        lines.append(row(":---" if i < sheet.stub else "---:" for i in range(len(sheet.header))))
        lines += [*(row(_marked(cell, in_markdown, "**{}**") for cell in cells) for cells in sheet.rows), ""]
    lines += [f"- {in_markdown(note)}" for note in sheet.notes]
    return "\n".join(lines).rstrip() + "\n"


def in_markdown(text: str) -> str:
    """Text on one line with every special character of Markdown and HTML escaped."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _marked(cell: Cell, escaped: Callable[[str], str], bold: str) -> str:
    text = escaped(cell.text)
    return bold.format(text) if cell.bold and text else text


class RawRows(NamedTuple):
    """The unrounded numbers behind some tables in long format; if `quoted`, every text is in quotes."""

    columns: Sequence[str]
    rows: Iterable[Mapping[str, Any]]
    quoted: bool = True


def csv_lines(raw: RawRows) -> Iterator[str]:
    """A line of column names, then a line per row; what a row does not have is empty."""
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if raw.quoted else csv.QUOTE_MINIMAL
    lines = SimpleNamespace(write=str)  # a csv writer returns what the file it writes to returns: here the line itself
    writer: Any = csv.DictWriter(lines, raw.columns, lineterminator="\n", quoting=quoting, extrasaction="ignore")
    yield writer.writeheader()
    yield from map(writer.writerow, raw.rows)


class Format(NamedTuple):
    """The function that writes a sheet, None for the raw numbers, and the endings of files in this format."""

    write: Callable[[Sheet], str] | None
    endings: tuple[str, ...]


FORMATS = {
    TABLE: Format(table, (".txt",)),
    "markdown": Format(markdown, (".md", ".markdown")),
    LATEX: Format(latex, (".tex",)),
    CSV: Format(None, (".csv",)),
}


def write(sheets: Iterable[Sheet], raw: RawRows, format: str, setting: Typesetting | None = None) -> str:
    """Tables as text in one of FORMATS, one after the other; or the raw numbers behind them.

    `setting` is the width of LaTeX tables, and their caption and label.
    """
    writer = FORMATS[format].write
    if writer is None:
        return "".join(csv_lines(raw))
    if format == LATEX:
        return latex_document(list(sheets), setting or Typesetting())
    return "\n".join(f"{writer(sheet).rstrip()}\n" for sheet in sheets)
