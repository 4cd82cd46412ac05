r"""Writes tables as LaTeX that fits a column or a page.

The document needs \usepackage{booktabs} and nothing else.
What is too wide is left out, broken into lines or cut, as on a terminal, by the widths of letters in Computer Modern,
which is wider than most. What is too high goes on in a further table of the same number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from lcbench.errors import ParameterError
from lcbench.printable import printable
from lcbench.report.sheets.fitting import Ruler, broken, fit
from lcbench.report.sheets.sheet import Cell, Sheet
from lcbench.report.widths import width_in_mm

POINTS_PER_MM = 72.27 / 25.4
WIDE = 110  # mm, from which a table spans both columns
COLUMN_SEPARATION = 4  # points on each side
MOST_LINES = 42  # of a table; with its caption and a few notes that is most of a page
MOST_WAITING = 12  # tables until LaTeX must place them: it holds back 18 at most
MOST_NOTE_LINES = 12  # longer notes follow after the table

_ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "[": "{[}", "*": "{*}", "-": "-{}", "±": r"$\pm$", "–": "--", "−": "$-$",
    "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "×": r"$\times$", "·": r"$\cdot$", "…": r"\dots{}",
    "→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$",
}  # fmt: skip
_MINUS = re.compile(r"(?<![\w-])-(?=\d)")
_SPECIAL = re.compile(rf"-(?=-)|[{re.escape(''.join(set(_ESCAPED) - {'-'}))}]")  # -- would become a dash
# the widths of letters in Computer Modern of 8 points, by the size of the font; that of 9 points is a little narrower
_PLAIN = {
    "',.:;[]`il|!·": 0.296, "fj": 0.326, "- ": 0.355, "I_": 0.384, "()rst": 0.42, "cez": 0.473, "?²³": 0.522,
    '$*/0123456789\\^aog{}~"–': 0.532, "Jkqvxy": 0.562, "Sbdhnpu": 0.591, "LZ": 0.665, "EFP": 0.724, "BCTw": 0.768,
    "AHNRUVXY": 0.797, "&+<=>@±−×≤≥DKOQ": 0.827, "#%Gm": 0.886, "M": 0.974, "→W": 1.092, "…": 1.418,
}  # fmt: skip
_BOLD = {
    "',.:;[]`il|·": 0.341, "!j": 0.375, "- ": 0.409, "I_": 0.46, "()st": 0.484, "fr": 0.507, "cez": 0.562, "?²³": 0.584,
    "$*/0123456789\\^ao{}~": 0.614, "Jg": 0.632, '"kqvxy–': 0.665, "Sbdhnpu": 0.682, "LZ": 0.75, "EF": 0.804,
    "±−×≤≥": 0.827, "BPT": 0.87, "CORQw": 0.921, "&+<=>@ADHKNUVXY": 0.957, "#%Gm": 1.022, "M": 1.16, "→W": 1.281,
    "…": 1.634,
}  # fmt: skip
_WIDTH_OF = [{letter: width for letters, width in table.items() for letter in letters} for table in (_PLAIN, _BOLD)]
_OTHER = 1.1  # letters that are not in these tables


@dataclass(frozen=True, slots=True)
class Typesetting:
    """The width of a table, `column`, `page` or a number of millimetres; and its caption and label, if not the usual.

    Several tables with one label get numbers behind it. `comments` are for whoever opens the file: no paper shows them.
    """

    width: str = "column"
    caption: str = ""
    label: str = ""
    comments: tuple[str, ...] = ()

    @property
    def millimetres(self) -> float:
        """The width as a number."""
        return width_in_mm(self.width)


def latex(sheet: Sheet, setting: Typesetting | None = None) -> str:
    """Table environments, with the notes below in small type; a paragraph if there are no rows."""
    setting = setting or Typesetting()
    notes = " ".join(map(in_latex, sheet.notes))
    if not sheet.rows:
        return rf"\paragraph{{{in_latex(sheet.title)}}} {notes}" + "\n"
    wide = setting.millimetres >= WIDE
    points, size, environment = (9, r"\small", "table*") if wide else (8, r"\footnotesize", "table")
    width = int(setting.millimetres * POINTS_PER_MM)
    ruler = _ruler(points)
    floats = _floats(fit(_one_line(sheet), width, ruler), ruler)
    below = ruler.length(notes, False) <= MOST_NOTE_LINES * width
    lines: list[str] = []
    for i, tabulars in enumerate(floats):
        lines += [
            rf"\begin{{{environment}}}[tbp]",
            r"\centering",
            size,
            rf"\setlength{{\tabcolsep}}{{{COLUMN_SEPARATION}pt}}",
        ]
        lines += _caption(sheet, setting, continued=i > 0)
        lines += [line for j, tabular in enumerate(tabulars) for line in ([r"\par\medskip"] * (j > 0) + tabular)]
        if notes and below and i == len(floats) - 1:
            lines.append(rf"\par\smallskip{{\scriptsize\raggedright {notes}\par}}")
        lines.append(rf"\end{{{environment}}}")
    if notes and not below:
        lines += [rf"\begin{{{environment}}}[htbp]", rf"\scriptsize\raggedright {notes}\par", rf"\end{{{environment}}}"]
    return "\n".join(lines) + "\n"


def latex_document(sheets: Sequence[Sheet], setting: Typesetting) -> str:
    """Several tables one after the other; each label has a number if there are more than one."""
    tables = sum(bool(sheet.rows) for sheet in sheets)
    if setting.caption and tables > 1:
        raise ParameterError(
            f"These are {tables} tables, and --caption is for one: choose it with --table, --stream and --metric."
        )
    _check_caption(setting.caption)
    written = ["".join(f"% {_spaced(comment)}\n" for comment in setting.comments)] if setting.comments else []
    number, waiting = 0, 0
    for sheet in sheets:
        number += bool(sheet.rows)
        label = f"{setting.label}-{number}" if setting.label and tables > 1 else setting.label
        text = latex(sheet, replace(setting, label=label))
        waiting += text.count(r"\begin{table")
        if waiting > MOST_WAITING:
            written.append("\\clearpage\n")
            waiting = text.count(r"\begin{table")
        written.append(text)
    return "\n".join(written)


def _check_caption(text: str) -> None:
    """Refuses a caption that would keep the file from being typeset: a comment sign, or braces without their match."""
    bare = re.sub(r"\\.", "", text)
    if "%" in bare:
        raise ParameterError(r"--caption is LaTeX, where a % begins a comment: write \%.")
    depth = list(accumulate((c == "{") - (c == "}") for c in bare))
    if depth and (min(depth) < 0 or depth[-1]):
        raise ParameterError(r"--caption is LaTeX, and its braces do not match: write \{ and \} for plain ones.")


def in_latex(text: str) -> str:
    """Text on one line with every special character of LaTeX escaped."""
    return _SPECIAL.sub(lambda found: _ESCAPED[found[0]], _MINUS.sub("−", _spaced(text)))


@lru_cache
def _ruler(points: int) -> Ruler:
    """Measures texts in points."""
    em = points * (1 if points < 9 else 0.973)
    return Ruler(
        lambda text, bold: math.ceil(sum(_WIDTH_OF[bold].get(c, _OTHER) for c in _MINUS.sub("−", text)) * em),
        gap=2 * COLUMN_SEPARATION,
        longest_word=int(6 * em),
        least_text=int(6 * em),
    )


def _one_line(sheet: Sheet) -> Sheet:
    rows = tuple(tuple(replace(cell, text=_spaced(cell.text)) for cell in row) for row in sheet.rows)
    return replace(sheet, header=tuple(map(_spaced, sheet.header)), rows=rows)


def _spaced(text: str) -> str:
    return printable(" ".join(text.split()))


def _caption(sheet: Sheet, setting: Typesetting, *, continued: bool) -> list[str]:
    text = in_latex(sheet.title)
    if text and any(cell.bold for row in sheet.rows for cell in row):
        text += ". Bold: the best"
    text = setting.caption or (f"{text}." if text else "")
    if not text and not setting.label:
        return []
    if continued:
        return [r"\addtocounter{table}{-1}", rf"\caption{{{text} (Continued.)}}", r"\smallskip"]
    return [rf"\caption{{{text}}}", *([rf"\label{{{setting.label}}}"] if setting.label else []), r"\smallskip"]


def _floats(parts: Iterable[tuple[Sheet, Sequence[int]]], ruler: Ruler) -> list[list[list[str]]]:
    """The tabulars of all parts, grouped so that each group has room on a page."""
    floats: list[list[list[str]]] = []
    height = MOST_LINES
    parts = list(parts)
    for whole, widths in parts:
        part = _without_empty_rows(whole) if len(parts) > 1 else whole
        header = [_lines(name, wide, ruler) for name, wide in zip(part.header, widths, strict=True)]
        above = max(map(len, header)) + 1
        rows = [[_lines(cell.text, wide, ruler) for cell, wide in zip(row, widths, strict=True)] for row in part.rows]
        for first, last in _cut([max(map(len, row)) for row in rows], part.rules, MOST_LINES - above):
            lines = above + sum(max(map(len, row)) for row in rows[first:last])
            if height + lines > MOST_LINES:
                floats.append([])
                height = 0
            height += lines
            floats[-1].append(_tabular(part, header, rows, range(first, last)))
    return floats


def _without_empty_rows(sheet: Sheet) -> Sheet:
    """The part of a table without the rows that have no number in it; a name they had goes to the next row."""
    kept: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    name: Cell | None = None
    for i, row in enumerate(sheet.rows):
        if i in sheet.rules and len(kept) not in rules:
            rules.append(len(kept))
        name = row[0] if row[0].text else name
        if sheet.stub == len(row) or any(cell.text for cell in row[sheet.stub :]):
            kept.append(row if row[0].text or name is None else (name, *row[1:]))
            name = None
    if len(rules) == len(kept) - 1:  # a line for every row tells nothing apart
        rules = []
    return replace(sheet, rows=tuple(kept), rules=tuple(rules)) if len(kept) < len(sheet.rows) else sheet


def _cut(heights: Sequence[int], rules: Sequence[int], most: int) -> list[tuple[int, int]]:
    """The first row and the one after the last of each piece of a table; it is cut at a rule if there is one."""
    pieces, first = [], 0
    while first < len(heights):
        last, lines = first, 0
        while last < len(heights) and (last == first or lines + heights[last] <= most):
            lines += heights[last]
            last += 1
        if last < len(heights):
            last = max((rule for rule in rules if first < rule <= last), default=last)
        pieces.append((first, last))
        first = last
    return pieces


def _lines(text: str, wide: int, ruler: Ruler) -> list[str]:
    return broken(text, wide, ruler) if ruler.length(text, False) > wide else [text]


def _tabular(sheet: Sheet, header: list[list[str]], rows: list[list[list[str]]], shown: range) -> list[str]:
    columns = "l" * sheet.stub + "r" * (len(header) - sheet.stub)
    lines = [rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", r"\toprule"]
    if any(sheet.header):
        lines += [_row(_stacked(name, side, "b") for name, side in zip(header, columns, strict=True)), r"\midrule"]
    for i in shown:
        if i in sheet.rules and i > shown.start:
            lines.append(r"\midrule")
        cells = zip(rows[i], sheet.rows[i], columns, strict=True)
        lines.append(_row(_marked(_stacked(text, side, "t"), cell) for text, cell, side in cells))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _stacked(lines: Sequence[str], side: str, place: str) -> str:
    """The lines of a cell below each other; `place` is t or b for the one that stands beside those of other cells."""
    if len(lines) == 1:
        return in_latex(lines[0])
    stack = r"\\".join(map(in_latex, lines))
    return rf"\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{stack}\end{{tabular}}"


def _marked(text: str, cell: Cell) -> str:
    return rf"\textbf{{{text}}}" if cell.bold and text else text
