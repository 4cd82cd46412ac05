"""Shows tables in a notebook."""

from __future__ import annotations

from collections.abc import Iterable

from lcbench.notebook_html import block, paragraph
from lcbench.report.sheets.formats import html
from lcbench.report.sheets.sheet import Sheet


def in_notebook(sheets: Iterable[Sheet]) -> str:
    """Tables one after the other, as HTML; one without rows is its notes."""
    return block(*(html(each) if each.rows else "".join(map(paragraph, _texts(each))) for each in sheets))


def _texts(sheet: Sheet) -> list[str]:
    return [text for text in (sheet.title, *sheet.notes) if text]
