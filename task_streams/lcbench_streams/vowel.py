"""The stream `vowel`: a task for each speaker.

KEEL has Deterding's vowels as comma-separated rows: whether it is for training, the speaker, the speaker's sex, ten
measures, and the vowel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from lcbench import LabelledTask, Member, RawData, TaskStream, deal, raw_documents
from lcbench_streams.lines import matched_lines
from lcbench_streams.scaling import min_max
from lcbench_streams.vowel_spec import RAW, SPEAKERS, VOWEL, sizes, vowel_shapes

_ROW = re.compile(r"[01],(\d{1,2}),[01],((?:-?\d+\.\d+,){9}-?\d+\.\d+),(\d{1,2})", re.ASCII)


class Vowel(TaskStream):
    """The first `tasks` speakers; features are x and 1 - x of ten measures, scaled within each task."""

    name = VOWEL.name
    card = VOWEL.card

    def __init__(self, *, tasks: int = SPEAKERS) -> None:
        self.n_tasks = tasks

    def tasks(self) -> tuple[LabelledTask, ...]:
        """A task for each speaker, its rows in the order of a hash."""
        dealt = deal(self.name, raw_documents(self.name, RAW), sizes(self.n_tasks))
        found = []
        for shape, rows in zip(vowel_shapes({"tasks": self.n_tasks}), dealt, strict=True):
            X = min_max(np.array([[float(value) for value in row.text.split(",")] for row in rows]))
            y = [int(row.key.partition("/")[2]) for row in rows]
            found.append(LabelledTask.from_arrays(shape.name, np.hstack([X, 1 - X]), y))
        return tuple(found)


def read_vowels(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """Key 'speaker/vowel' and the measures, with commas between them, of every row."""
    for row in matched_lines(members, raw, _text, _ROW, "three numbers, ten measures and a vowel"):
        yield f"{row[1]}/{row[3]}", row[2]


def _text(content: bytes, where: str) -> str:
    return content.decode("ascii", "replace")
