"""Writes tables as Markdown, CSV or HTML, and in the formats of `latex` and `layout`.

A further format is a function that writes a sheet, and its entry in FORMATS.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from lcbench.printable import printable
from lcbench.report.sheets.latex import Typesetting, latex, latex_document
from lcbench.report.sheets.sheet import Cell, Sheet
from lcbench.report.sheets.sort_keys import sort_keys

TABLE, LATEX, CSV = "table", "latex", "csv"

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#$&])")

LONG = 40  # characters of a text that may be broken
_PLACES_TO_BREAK = re.compile(r"[:,](?=\S)|[^\s:,]{24}(?=\S)")


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


def html(sheet: Sheet, *, folded: bool = False) -> str:
    """A heading, the table in a box of its own to scroll in, and the notes; or all but the heading folded.

    Numbers carry the key that a script sorts them by, and a name that holds for several rows stands in each of them.
    """
    title = escape(printable(sheet.title))
    table = f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">{_html_table(sheet, title)}</div>\n'
    notes = "".join(f"<li>{escape(printable(note))}</li>" for note in sheet.notes)
    inside = (table if sheet.rows else "") + (f'<ul class="notes">{notes}</ul>\n' if notes else "")
    if folded:
        return f'<details class="sheet folded">\n<summary><h3>{title}</h3></summary>\n{inside}</details>\n'
    return f'<div class="sheet">\n<h3>{title}</h3>\n{inside}</div>\n'


def breakable(text: str) -> str:
    """Text escaped for HTML that a browser may break after a colon or a comma, and within a very long word."""
    return "<wbr>".join(map(escape, _PLACES_TO_BREAK.sub("\\g<0>\0", printable(text)).split("\0")))


def _html_table(sheet: Sheet, title: str) -> str:
    head = "".join(
        f'<th scope="col"{_classes("number" if i >= sheet.stub else "")}>{breakable(name)}</th>'
        for i, name in enumerate(sheet.header)
    )
    keys = [sort_keys([row[i].text for row in sheet.rows]) for i in range(len(sheet.header))]
    body = "".join(
        f"<tr{_classes('rule' if i in sheet.rules else '')}>"
        + "".join(
            _html_cell(sheet, column, cell, keys[column][i], again=column < repeated) for column, cell in enumerate(row)
        )
        + "</tr>\n"
        for i, (row, repeated) in enumerate(_named_rows(sheet))
    )
    return f'<table aria-label="{title}">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>'


def _named_rows(sheet: Sheet) -> Iterator[tuple[tuple[Cell, ...], int]]:
    """Each row with the names that it leaves to the row above, so that it can be moved, and the number of these."""
    above: tuple[Cell, ...] = ()
    for row in sheet.rows:
        empty = next((i for i, cell in enumerate(row[: sheet.stub]) if cell.text), 0)
        repeated = min(empty, len(above))
        above = (*above[:repeated], *row[repeated:])
        yield above, repeated


def _html_cell(sheet: Sheet, column: int, cell: Cell, key: str | None, *, again: bool) -> str:
    """A cell; those that name the row are headers: the first one, or all before the numbers."""
    named = column < sheet.stub
    heads = bool(cell.text) and named and (column == 0 or sheet.stub < len(sheet.header))
    start, end = ('<th scope="row"', "</th>") if heads else ("<td", "</td>")
    classes = _classes(
        "" if named else "number",
        cell.tone,
        "long" if named and len(cell.text) > LONG else "",
        "again" if again else "",
    )
    order = "" if key is None else f' data-order="{key}"'
    text = breakable(cell.text) if named else escape(printable(cell.text))
    return f"{start}{classes}{order}>{f'<strong>{text}</strong>' if cell.bold else text}{end}"


def _classes(*names: str) -> str:
    shown = " ".join(filter(None, names))
    return f' class="{shown}"' if shown else ""


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
