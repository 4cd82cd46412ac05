"""Writes tables as HTML: for pages, whose scripts sort them by numbers, and for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from lcbench.notebook_html import block, paragraph
from lcbench.printable import printable
from lcbench.report.numbers import MISSING
from lcbench.report.sheets.sheet import Cell, Sheet

LONG = 40  # characters of a text that may be broken
_PLACES_TO_BREAK = re.compile(r"[:,](?=\S)|[^\s:,]{24}(?=\S)")
_UNITS = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_NUMBER = re.compile(
    r"[<[]?(?P<number>[+-]?\d[\d,]*(?:\.\d+)?)(?: ?(?P<unit>B|kB|MB|GB|s|%|x))?(?: (?:±|\+|of|to|\[|†) ?.*|±.*|, .*\])?"
)


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


def sort_keys(texts: Sequence[str]) -> list[str | None]:
    """The number by which each text is sorted: `56.7 ±2.7`, `1.2 kB`, `<0.001`; "" for what is missing.

    None for all where a text of the column is no number.
    """
    found = [None if text in ("", MISSING) else _NUMBER.fullmatch(text) for text in texts]
    numbers = [match for match in found if match is not None]
    if not numbers or any(
        match is None and text not in ("", MISSING) for match, text in zip(found, texts, strict=True)
    ):
        return [None] * len(texts)
    return ["" if match is None else _key(match) for match in found]


def _key(match: re.Match[str]) -> str:
    return repr(float(match["number"].replace(",", "")) * _UNITS.get(match["unit"] or "", 1.0))


def in_notebook(sheets: Iterable[Sheet]) -> str:
    """Tables one after the other, as HTML; one without rows is its notes."""
    return block(*(html(each) if each.rows else "".join(map(paragraph, _texts(each))) for each in sheets))


def _texts(sheet: Sheet) -> list[str]:
    return [text for text in (sheet.title, *sheet.notes) if text]
