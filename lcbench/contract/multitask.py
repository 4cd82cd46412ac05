"""Base class of multi-task methods: keeps every task, refits on all at each arrival."""

from __future__ import annotations

import logging
import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from lcbench.contract.clusterer import Clusterer
from lcbench.contract.specs import Setting
from lcbench.contract.task import IntArray, Matrix, Task
from lcbench.errors import UnknownTaskError

logger = logging.getLogger(__name__)


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
