"""Writes a table in Markdown, in GitHub's syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lcbench.printable import printable
from lcbench.report.sheets.sheet import Cell, Sheet

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#$&])")


def markdown(sheet: Sheet) -> str:
    """A heading, the table, and the notes as a list; the best is bold. Without rows there is no table."""
    lines = [f"### {escape(sheet.title)}", ""] if sheet.title else []
    if sheet.rows:
        lines.append(_row(escape(name) for name in sheet.header))
        lines.append(_row(":---" if i < sheet.stub else "---:" for i in range(len(sheet.header))))
        lines += [*(_row(map(_cell, row)) for row in sheet.rows), ""]
    if sheet.notes:
        lines += [*(f"- {escape(note)}" for note in sheet.notes)]
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """Text on one line with every special character of Markdown and HTML escaped."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return f"**{text}**" if cell.bold and text else text


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
