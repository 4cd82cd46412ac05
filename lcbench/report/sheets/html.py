"""Writes a table in HTML, for the page."""

from __future__ import annotations

import re
from html import escape

from lcbench.printable import printable
from lcbench.report.sheets.sheet import Sheet

LONG = 40  # characters of a text that may be broken
_PLACES_TO_BREAK = re.compile(r"[:,](?=\S)|[^\s:,]{24}(?=\S)")


def html(sheet: Sheet, *, folded: bool = False) -> str:
    """A heading, the table in a box of its own to scroll in, and the notes; or all but the heading folded."""
    title = escape(printable(sheet.title))
    table = f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">{_table(sheet, title)}</div>\n'
    notes = "".join(f"<li>{escape(printable(note))}</li>" for note in sheet.notes)
    inside = (table if sheet.rows else "") + (f'<ul class="notes">{notes}</ul>\n' if notes else "")
    if folded:
        return f'<details class="sheet folded">\n<summary><h3>{title}</h3></summary>\n{inside}</details>\n'
    return f'<div class="sheet">\n<h3>{title}</h3>\n{inside}</div>\n'


def breakable(text: str) -> str:
    """Escaped text that a browser may break after a colon or a comma, and within a very long word."""
    return "<wbr>".join(map(escape, _PLACES_TO_BREAK.sub("\\g<0>\0", printable(text)).split("\0")))


def _table(sheet: Sheet, title: str) -> str:
    head = "".join(
        f'<th scope="col"{_classes("number" if i >= sheet.stub else "")}>{breakable(name)}</th>'
        for i, name in enumerate(sheet.header)
    )
    body = "".join(
        f"<tr{_classes('rule' if i in sheet.rules else '')}>"
        + "".join(_cell(sheet, i, column) for column in range(len(sheet.header)))
        + "</tr>\n"
        for i in range(len(sheet.rows))
    )
    return f'<table aria-label="{title}">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>'


def _cell(sheet: Sheet, row: int, column: int) -> str:
    """A cell; those that name the row are headers: the first one, or all before the numbers."""
    cell, named = sheet.rows[row][column], column < sheet.stub
    heads = bool(cell.text) and named and (column == 0 or sheet.stub < len(sheet.header))
    start = '<th scope="row"' if heads else "<td"
    classes = _classes("" if named else "number", cell.tone, "long" if named and len(cell.text) > LONG else "")
    text = breakable(cell.text) if named else escape(printable(cell.text))
    return f"{start}{classes}>{f'<strong>{text}</strong>' if cell.bold else text}</{'th' if heads else 'td'}>"


def _classes(*names: str) -> str:
    shown = " ".join(filter(None, names))
    return f' class="{shown}"' if shown else ""
