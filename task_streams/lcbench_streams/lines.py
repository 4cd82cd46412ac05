"""Reads files whose every line has the form of a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lcbench import DataRefusedError, Member, RawData, unify_line_ends


def matched_lines(
    members: Iterable[Member], raw: RawData, decoded: Callable[[bytes, str], str], row: re.Pattern[str], what: str
) -> Iterator[re.Match[str]]:
    """Every line of the files that `raw` names, matched with `row`; a line that is not `what` is refused.

    `decoded` turns the content of a file into text, and is told its name.
    """
    for member in members:
        if member.parts[-1] not in raw.files:
            continue
        where = f"'{'/'.join(member.parts)}'"
        text = unify_line_ends(decoded(member.read(), where))
        for number, line in enumerate(text.split("\n"), start=1):
            found = row.fullmatch(line)
            if found is not None:
                yield found
            elif line:
                raise DataRefusedError(f"{where} was refused: line {number} is not {what}.")
