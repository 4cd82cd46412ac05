"""Documents from Orange's tab-separated files: three header lines, then `label<TAB>text`, with blank rows to skip."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lcbench import DataRefusedError, Member, RawData, unify_line_ends

HEADER_LINES = 3


def read_rows(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """The rows of the files that the recipe names, by their label."""
    for member in members:
        if member.parts[-1] not in raw.files:
            continue
        try:
            lines = unify_line_ends(member.read().decode("utf-8")).split(
                "\n"
            )  # splitlines would tear a text at a form feed
        except UnicodeDecodeError as error:
            raise DataRefusedError(f"'{'/'.join(member.parts)}' is not UTF-8 and was refused: {error}.") from error
        for line in lines[HEADER_LINES:]:
            label, found, text = line.partition("\t")
            if found and label in raw.counts:
                yield label, text
