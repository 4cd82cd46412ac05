"""A base for single-task methods: every task is clustered alone, and nothing is remembered."""

from __future__ import annotations

from typing import ClassVar, Self

from lcbench.clusterer import Clusterer
from lcbench.specs import Setting
from lcbench.task import Task


class SingleTaskClusterer(Clusterer):
    """A method that is all in its `predict`, which works for any task."""

    setting: ClassVar[Setting] = Setting.SINGLE_TASK
    predicts_unseen: ClassVar[bool] = True

    def partial_fit(self, task: Task) -> Self:
        """Cluster the task; remember nothing."""
        self.labels_ = self.predict(task)
        return self
