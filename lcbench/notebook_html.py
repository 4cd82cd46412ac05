"""Writes small tables as HTML, as notebooks show runs, tasks and streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from lcbench.printable import printable

STYLE = """<style>
.lcbench { font-size: 0.93em; max-width: 100%; overflow-x: auto }
.lcbench h3 { font-size: 1em; font-weight: bold; margin: 0.9em 0 0.3em }
.lcbench p { margin: 0.2em 0 }
.lcbench table { border-collapse: collapse; margin: 0 0 0.4em !important }
.lcbench tr { background: none !important }
.lcbench th, .lcbench td { padding: 0.2em 0.7em; text-align: left !important; vertical-align: top; border: none }
.lcbench thead th { border-bottom: 1px solid currentColor; vertical-align: bottom }
.lcbench tr.rule > * { border-top: 1px solid rgba(128, 128, 128, 0.5) }
.lcbench .number { text-align: right !important; font-variant-numeric: tabular-nums; white-space: nowrap }
.lcbench .good { color: #1a7f37 }
.lcbench .bad { color: #cf222e }
.lcbench .dim, .lcbench .notes { opacity: 0.75 }
.lcbench .notes { margin: 0.4em 0 0; padding-left: 1.2em }
</style>"""


def block(*parts: str) -> str:
    """Parts of HTML in one element, with the style that all of them share."""
    return f'<div class="lcbench">{STYLE}{"".join(parts)}</div>'


def heading(text: str) -> str:
    """A heading."""
    return f"<h3>{_text(text)}</h3>"


def paragraph(text: str) -> str:
    """A paragraph."""
    return f"<p>{_text(text)}</p>"


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Names and values in two columns; a fact without a value is left out."""
    rows = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td>{_text(value)}</td></tr>'
        for name, value in pairs
        if value not in (None, "")
    )
    return f"<table><tbody>{rows}</tbody></table>"


def table(header: Sequence[str], rows: Iterable[Sequence[object]], texts: Sequence[int] = (0,)) -> str:
    """A table whose first column names the rows; columns other than those of `texts` hold numbers."""

    def mark(i: int) -> str:
        return "" if i in texts else ' class="number"'

    head = "".join(f'<th scope="col"{mark(i)}>{_text(name)}</th>' for i, name in enumerate(header))
    body = "".join(
        "<tr>" + "".join(f"<td{mark(i)}>{_text(value)}</td>" for i, value in enumerate(row)) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def folded(title: str, inside: str) -> str:
    """A part that shows its title until it is opened."""
    return f"<details><summary>{_text(title)}</summary>{inside}</details>"


def _text(value: object) -> str:
    return escape(printable(value))
