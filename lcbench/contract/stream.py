"""A task stream: named clustering tasks that share one set of features."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from lcbench import notebook_html
from lcbench.contract.specs import SIZES, StreamCard, TaskShape
from lcbench.contract.task import LabelledTask, Task, parts_of
from lcbench.errors import InvalidTaskError, did_you_mean

MOST_SHOWN = 20  # tasks in a notebook


class TaskStream(ABC):
    """Tasks that arrive one by one. A subclass stores its parameters and makes the tasks in `tasks()`."""

    name: str
    card: StreamCard = StreamCard()
    declared: tuple[TaskShape, ...] = ()  # the sizes of tasks, where these are known without making them

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _repr_html_(self) -> str:
        """The card of the stream, as a notebook shows it. Nothing is fetched or made for it."""
        card = self.card
        told = [("what", card.what), ("source", card.source), ("licence", card.licence)]
        parts = [notebook_html.heading(f"stream {self.name}"), notebook_html.facts(told)]
        if self.declared:
            rows = (shape.texts for shape in self.declared[:MOST_SHOWN])
            parts.append(notebook_html.table(SIZES, rows, texts=(0, len(SIZES) - 1)))
        if len(self.declared) > MOST_SHOWN:
            parts.append(notebook_html.paragraph(f"and {len(self.declared) - MOST_SHOWN:,} tasks more"))
        return notebook_html.block(*parts, *map(notebook_html.paragraph, card.notes))

    @abstractmethod
    def tasks(self) -> tuple[LabelledTask, ...]:
        """Every task, in the stream's own order. The same parameters always give the same tasks."""

    @staticmethod
    def from_arrays(
        name: str,
        tasks: Mapping[str, tuple[Any, ArrayLike | None]],
        *,
        clusters: int | Mapping[str, int] | None = None,
    ) -> ArrayStream:
        """A stream of your own arrays: `{"task name": (X, y), ...}`.

        A task has as many clusters as y has classes, or as many as `clusters` says, for all tasks or by name; where
        there are no labels y is None and `clusters` is needed.
        """
        if not isinstance(tasks, Mapping) or not all(isinstance(t, tuple) and len(t) == 2 for t in tasks.values()):
            raise InvalidTaskError(f"Stream '{name}' needs a mapping from the names of tasks to pairs (X, y).")
        wanted = clusters if isinstance(clusters, Mapping) else dict.fromkeys(tasks, clusters)
        for task in wanted:
            if task not in tasks:
                raise InvalidTaskError(f"Stream '{name}' has no task '{task}'.{did_you_mean(task, tasks)}")
        return ArrayStream(
            name,
            [LabelledTask.from_arrays(task, X, y, clusters=wanted.get(task)) for task, (X, y) in tasks.items()],
        )


class ArrayStream(TaskStream):
    """A stream that is already in memory."""

    def __init__(self, name: str, tasks: Sequence[LabelledTask], card: StreamCard | None = None) -> None:
        self.name = name
        self.card = card or StreamCard(what="arrays given from Python")
        self._tasks = check_tasks(name, tasks)
        self.declared = tuple(labelled.shape for labelled in self._tasks)

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The tasks as they were given."""
        return self._tasks


def check_tasks(stream: str, tasks: Sequence[LabelledTask]) -> tuple[LabelledTask, ...]:
    """Returns `tasks` if they can be one stream: at least one, names unique, features the same."""
    several = isinstance(tasks, Sequence)
    wrong = next((each for each in tasks if not isinstance(each, LabelledTask)), None) if several else tasks
    if wrong is not None or not several:
        found = "nothing" if wrong is None else f"a {type(wrong).__name__}"
        raise InvalidTaskError(
            f"Stream '{stream}': what tasks() returns {'holds' if several else 'is'} {found}: it must be a tuple of "
            "LabelledTask."
        )
    if not tasks:
        raise InvalidTaskError(f"Stream '{stream}' has no tasks.")
    seen: set[str] = set()
    first = tasks[0].task
    named = next((labelled.task for labelled in tasks if labelled.task.feature_names is not None), first)
    for labelled in tasks:
        if labelled.name in seen:
            raise InvalidTaskError(f"Stream '{stream}' has two tasks named '{labelled.name}': names must differ.")
        seen.add(labelled.name)
        task = labelled.task
        if task.n_features != first.n_features:
            raise InvalidTaskError(
                f"Stream '{stream}': task '{task.name}' has {task.n_features} features but '{first.name}' has "
                f"{first.n_features}; all tasks of a stream share one set of features.{_difference(first, task)}"
            )
        if _difference(named, task):
            raise InvalidTaskError(
                f"Stream '{stream}': the features of task '{task.name}' are not those of '{named.name}'."
                f"{_difference(named, task)}"
            )
    return tuple(tasks)


def _difference(first: Task, other: Task) -> str:
    """Describes how the feature names of two tasks differ; empty if they are equal, or if a task has no names."""
    mine, theirs = first.feature_names, other.feature_names
    if mine is None or theirs is None or mine == theirs:
        return ""
    missing, extra = _some(set(mine) - set(theirs)), _some(set(theirs) - set(mine))
    parts = [f"'{other.name}' lacks {missing}"] if missing else []
    parts += [f"'{first.name}' lacks {extra}"] if extra else []
    if parts:
        return f" {'; '.join(parts)}."
    at = next(i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b)
    return f" They come in another order: number {at + 1} is '{mine[at]}' in one and '{theirs[at]}' in the other."


def _some(names: set[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in sorted(names)[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def content_digest(tasks: Sequence[LabelledTask]) -> str:
    """A SHA-256 of the tasks' names, data and, where there are any, classes."""
    digest = hashlib.sha256()
    for labelled in tasks:
        X = labelled.task.X
        kind = "sparse" if sparse.issparse(X) else "dense"
        digest.update(repr((labelled.name, kind, X.shape, labelled.task.n_clusters)).encode())
        for array in (*parts_of(X), *(() if labelled.y is None else (labelled.y,))):
            digest.update(repr((str(array.dtype), array.shape)).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
