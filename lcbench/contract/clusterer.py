"""The interface of a clustering method: `partial_fit` learns, `predict` labels a task.

`SingleTaskClusterer` and `MultiTaskClusterer` have what methods of these settings share. It imports scikit-learn, so it
is loaded only when a method is built.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from lcbench.contract.specs import Setting
from lcbench.contract.task import FloatArray, IntArray, Matrix, Task
from lcbench.errors import UnknownTaskError

logger = logging.getLogger(__name__)
# Results for the task just learned. The next task does not need them: they are left out of the pickled state.
OUTPUTS = ("labels_", "objective_trace_")


class Clusterer(BaseEstimator, ABC):
    """A method that meets clustering tasks one by one.

    A subclass has a keyword-only constructor that only stores its parameters. If one of them is `random_state`,
    the harness puts the run's seed there. A pickle holds what the method carries to the next task, without its
    results for the last one (`labels_`, `objective_trace_`): its length is the method's memory.

    Attributes
    ----------
    setting : Setting
        What the method may remember: SINGLE_TASK nothing, MULTI_TASK every task, LIFELONG a library whose size
        does not grow with the number of tasks.
    predicts_unseen : bool
        True if `predict` works for a task that was never learned.
    labels_ : array of int, one per sample
        The partition of the task just learned; set by `partial_fit`.
    objective_trace_ : sequence of float, optional
        The objective per iteration of the task just learned.
    """

    setting: ClassVar[Setting]
    predicts_unseen: ClassVar[bool] = False
    labels_: IntArray
    objective_trace_: list[float] | FloatArray

    @abstractmethod
    def partial_fit(self, task: Task) -> Self:
        """Learn a task that has just arrived, and set `labels_` to its partition."""

    @abstractmethod
    def predict(self, task: Task) -> IntArray:
        """The partition of `task` under what is known now. Changes nothing; deterministic.

        Raises UnknownTaskError for a task that was never learned, unless `predicts_unseen`.
        """

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in OUTPUTS:
            state.pop(name, None)
        return state


class SingleTaskClusterer(Clusterer):
    """A method that clusters each task alone. A subclass writes only `predict`, which works for any task."""

    setting: ClassVar[Setting] = Setting.SINGLE_TASK
    predicts_unseen: ClassVar[bool] = True

    def partial_fit(self, task: Task) -> Self:
        """Cluster the task; remember nothing."""
        self.labels_ = self.predict(task)
        return self


class MultiTaskClusterer(Clusterer):
    """Keeps the tasks it has met and calls `fit_tasks` on all of them at each arrival.

    The cost of the refits is logged at every arrival, and shows in the run's record: `learn_seconds` and `state_bytes`
    grow with the tasks.
    """

    setting: ClassVar[Setting] = Setting.MULTI_TASK
    predicts_unseen: ClassVar[bool] = False

    @abstractmethod
    def fit_tasks(self, tasks: Sequence[Task]) -> Sequence[IntArray]:
        """The partitions of all tasks met so far, in the same order."""

    def partial_fit(self, task: Task) -> Self:
        """Add the task to those kept (it replaces one of the same name) and refit on all."""
        kept: dict[str, Task] = {**getattr(self, "tasks_", {}), task.name: task}
        start = time.perf_counter()
        partitions = dict(zip(kept, self.fit_tasks(tuple(kept.values())), strict=True))
        logger.info(
            "%s refitted %d task%s (%d samples) when '%s' arrived: %.2f s",
            type(self).__name__,
            len(kept),
            "" if len(kept) == 1 else "s",
            sum(one.n_samples for one in kept.values()),
            task.name,
            time.perf_counter() - start,
        )
        self.tasks_: dict[str, Task] = kept
        self.partitions_: dict[str, IntArray] = partitions
        self.labels_ = partitions[task.name]
        return self

    def predict(self, task: Task) -> IntArray:
        """The partition of a task that was learned, as of the last refit."""
        partitions: dict[str, IntArray] = getattr(self, "partitions_", {})
        if task.name not in partitions:
            raise UnknownTaskError(
                f"{type(self).__name__} never learned task '{task.name}': it clusters only tasks it was fitted on."
            )
        return partitions[task.name]


def stack_tasks(tasks: Sequence[Task]) -> tuple[Matrix, int]:
    """The samples of all tasks one under the other, and the largest of their numbers of clusters."""
    k = max(task.n_clusters for task in tasks)
    if len(tasks) == 1:
        return tasks[0].X, k
    parts = [task.X for task in tasks]
    if any(sparse.issparse(part) for part in parts):
        return sparse.csr_array(sparse.vstack(parts, format="csr")), k
    return np.vstack(parts), k


def split_labels(labels: Any, tasks: Sequence[Task]) -> list[IntArray]:
    """The labels of stacked tasks, cut apart again."""
    return list(np.split(np.asarray(labels), np.cumsum([task.n_samples for task in tasks])[:-1]))
