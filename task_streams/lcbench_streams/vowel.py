"""The stream `vowel`: a task for each speaker."""

from __future__ import annotations

import numpy as np

from lcbench import LabelledTask, TaskStream, deal, raw_documents
from lcbench_streams.scaling import min_max
from lcbench_streams.vowel_spec import RAW, SPEAKERS, VOWEL, sizes, vowel_shapes


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
