"""Reads Deterding's vowels from the comma-separated file of KEEL.

A row has whether it is for training, the speaker, the speaker's sex, ten measures, and the vowel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lcbench import DataRefusedError, Member, RawData, unify_line_ends

_ROW = re.compile(r"[01],(\d{1,2}),[01],((?:-?\d+\.\d+,){9}-?\d+\.\d+),(\d{1,2})", re.ASCII)


def read_vowels(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """Key 'speaker/vowel' and the measures, with commas between them, of every row."""
    for member in members:
        if member.parts[-1] not in raw.files:
            continue
        where = f"'{'/'.join(member.parts)}'"
        text = unify_line_ends(member.read().decode("ascii", "replace"))
        for number, line in enumerate(text.split("\n"), start=1):
            row = _ROW.fullmatch(line)
            if row is not None:
                yield f"{row[1]}/{row[3]}", row[2]
            elif line:
                raise DataRefusedError(
                    f"{where} was refused: line {number} is not three numbers, ten measures and a vowel."
                )
