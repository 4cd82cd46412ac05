"""Reads documents from Orange's tab-separated files.

They have three header lines, then rows of `label<TAB>text`; blank rows are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lcbench import DataRefusedError, Member, RawData, unify_line_ends

HEADER_LINES = 3


def read_rows(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """Label and text of every row, in the files that the recipe names, whose label the recipe uses."""
    for member in members:
        if member.parts[-1] not in raw.files:
            continue
        try:
            content = unify_line_ends(member.read().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise DataRefusedError(f"'{'/'.join(member.parts)}' is not UTF-8 and was refused: {error}.") from error
        for line in content.split("\n")[HEADER_LINES:]:  # splitlines would tear a text at a form feed
            label, found, text = line.partition("\t")
            if found and label in raw.counts:
                yield label, text
