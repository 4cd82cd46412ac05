"""Fits a table into a width, in characters or points: columns, widths, parts to cut into.

Where a table is too wide, columns that may give way are left out, long texts are broken into lines, and the rest is
cut between columns into several tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lcbench.report.sheets.sheet import Sheet

_WORDS = re.compile(r"\S+\s*|\s+")
_PIECES = re.compile(r".+?(?:[ :,=/-]+|$)")


@dataclass(frozen=True, slots=True)
class Ruler:
    """Measures texts by `length`, which is told if they are bold. All else is in the same unit.

    `gap` lies between two columns. In a header, words longer than `longest_word` may be broken; a column of text does
    not become narrower than `least_text` before the table is cut.
    """

    length: Callable[[str, bool], int]
    gap: int
    longest_word: int
    least_text: int

    def longest(self, text: str) -> int:
        """The length of the longest word of a text, or of `longest_word` if that is less."""
        lengths = (self.length(piece.rstrip(), False) for piece in _PIECES.findall(text))
        return max((min(length, self.longest_word) for length in lengths), default=0)


def fit(sheet: Sheet, width: int, ruler: Ruler) -> list[tuple[Sheet, list[int]]]:
    """The parts into which a sheet with rows is cut so that they fit, each with the widths of its columns."""
    fitted = _without_give_way(sheet, width, ruler)
    return [(part, _widths(part, width, ruler)) for part in _parts(fitted, width, ruler)]


def broken(text: str, limit: int, ruler: Ruler) -> list[str]:
    """Text in lines of at most `limit`: broken between words, else after a sign such as a comma, else anywhere."""
    lines = [""]
    for word in _WORDS.findall(text):
        for piece in [word] if ruler.length(word.rstrip(), False) <= limit else _PIECES.findall(word):
            if lines[-1] and ruler.length(lines[-1] + piece.rstrip(), False) > limit:
                lines.append("")
            while ruler.length(piece.rstrip(), False) > limit and len(piece.rstrip()) > 1:
                size = max((n for n in range(1, len(piece)) if ruler.length(piece[:n], False) <= limit), default=1)
                lines[-1:] = [piece[:size], ""]
                piece = piece[size:]
            lines[-1] += piece
    return [line.rstrip() for line in lines if line.strip()]


def _without_give_way(sheet: Sheet, width: int, ruler: Ruler) -> Sheet:
    """The sheet without the columns that have to give way."""
    for name in sheet.give_way:
        if _fits(sheet, width, ruler):
            break
        left = sheet.header.index(name)
        kept = _columns(sheet, [i for i in range(len(sheet.header)) if i != left])
        sheet = replace(kept, stub=sheet.stub - (left < sheet.stub))
    return sheet


def _parts(sheet: Sheet, width: int, ruler: Ruler) -> list[Sheet]:
    """The sheet cut into as few parts as fit, of about equal size, each with the columns of text."""
    numbers = range(sheet.stub, len(sheet.header))
    parts = [sheet]
    for size in sorted({-(-len(numbers) // count) for count in range(2, len(numbers) + 1)}, reverse=True):
        if all(_fits(part, width, ruler) for part in parts):
            break
        groups = (numbers[start : start + size] for start in range(0, len(numbers), size))
        parts = [_columns(sheet, [*range(sheet.stub), *group]) for group in groups]
    return parts


def _columns(sheet: Sheet, kept: Sequence[int]) -> Sheet:
    rows = tuple(tuple(row[i] for i in kept) for row in sheet.rows)
    return replace(sheet, header=tuple(sheet.header[i] for i in kept), rows=rows)


def _fits(sheet: Sheet, width: int, ruler: Ruler) -> bool:
    widths = _widths(sheet, width, ruler)
    return sum(widths) + ruler.gap * (len(widths) - 1) <= width


def _widths(sheet: Sheet, width: int, ruler: Ruler) -> list[int]:
    """The width of each column; if the table is too wide, the widest columns of text get less."""
    widths = []
    for i, name in enumerate(sheet.header):
        widths.append(max(ruler.longest(name), *(ruler.length(row[i].text, row[i].bold) for row in sheet.rows)))
    texts, numbers = widths[: sheet.stub], widths[sheet.stub :]
    room = width - sum(numbers) - ruler.gap * (len(widths) - 1)
    words = [max(ruler.longest(row[i].text) for row in sheet.rows) for i in range(sheet.stub)]
    least = ruler.least_text if numbers else 1
    for floors in (words, [0] * sheet.stub):  # words are broken only if there is no other way
        for most in range(max(texts, default=0), least - 1, -1):
            fitted = [max(min(wide, most), floor) for wide, floor in zip(texts, floors, strict=True)]
            if sum(fitted) <= room:
                return fitted + numbers
    return [min(wide, least) for wide in texts] + numbers
