"""Writes a table in LaTeX, with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lcbench.printable import printable
from lcbench.report.sheets.sheet import Cell, Sheet

_ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "[": "{[}", "*": "{*}", "-": "-{}", "±": r"$\pm$", "–": "--", "−": "$-$",
}  # fmt: skip
_MINUS = re.compile(r"(?<![\w-])-(?=\d)")
_SPECIAL = re.compile(rf"-(?=-)|[{re.escape(''.join(set(_ESCAPED) - {'-'}))}]")  # two hyphens would become a dash


def latex(sheet: Sheet) -> str:
    r"""A table environment for any document with \usepackage{booktabs}; the notes are below in small type.

    Without rows it is a paragraph.
    """
    notes = " ".join(map(escape, sheet.notes))
    if not sheet.rows:
        return rf"\paragraph{{{escape(sheet.title)}}} {notes}" + "\n"
    lines = [r"\begin{table}[htbp]", r"\centering"]
    if sheet.title:
        lines.append(rf"\caption{{{escape(sheet.title)}}}")
    lines += _tabular(sheet)
    if notes:
        lines.append(rf"\par\smallskip{{\footnotesize {notes}\par}}")
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _tabular(sheet: Sheet) -> list[str]:
    columns = "l" * sheet.stub + "r" * (len(sheet.header) - sheet.stub)
    lines = [rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", r"\toprule"]
    lines += [_row(map(escape, sheet.header)), r"\midrule"]
    for i, row in enumerate(sheet.rows):
        if i in sheet.rules and i:
            lines.append(r"\midrule")
        lines.append(_row(map(_cell, row)))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def escape(text: str) -> str:
    """Text on one line with every special character of LaTeX escaped."""
    return _SPECIAL.sub(lambda found: _ESCAPED[found[0]], _MINUS.sub("−", printable(" ".join(text.split()))))


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return rf"\textbf{{{text}}}" if cell.bold and text else text


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"
