"""Controls: what a score is worth shows beside what chance and idleness score."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from lcbench.clusterer import Clusterer
from lcbench.seeds import derive_seed
from lcbench.specs import Setting
from lcbench.task import IntArray, Task


class RandomLabels(Clusterer):
    """A random cluster for every sample, each equally likely."""

    setting: ClassVar[Setting] = Setting.SINGLE_TASK
    predicts_unseen: ClassVar[bool] = True

    def __init__(self, *, random_state: int = 0) -> None:
        self.random_state = random_state

    def partial_fit(self, task: Task) -> Self:
        """Draw the labels of the task."""
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: Task) -> IntArray:
        """The same labels for the same task whenever it is asked."""
        generator = np.random.default_rng(derive_seed(self.random_state, task.name))
        return generator.integers(task.n_clusters, size=task.n_samples)


class OneCluster(Clusterer):
    """One cluster for everything."""

    setting: ClassVar[Setting] = Setting.SINGLE_TASK
    predicts_unseen: ClassVar[bool] = True

    def partial_fit(self, task: Task) -> Self:
        """Put all samples together."""
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: Task) -> IntArray:
        """All samples together."""
        return np.zeros(task.n_samples, dtype=np.int64)
