"""Controls: what a score is worth shows beside what chance and idleness score."""

from __future__ import annotations

import numpy as np

from lcbench import IntArray, SingleTaskClusterer, Task, derive_seed


class RandomLabels(SingleTaskClusterer):
    """A random cluster for every sample, each equally likely."""

    def __init__(self, *, random_state: int = 0) -> None:
        self.random_state = random_state

    def predict(self, task: Task) -> IntArray:
        """The same labels for the same task whenever it is asked."""
        generator = np.random.default_rng(derive_seed(self.random_state, task.name))
        return generator.integers(task.n_clusters, size=task.n_samples)


class OneCluster(SingleTaskClusterer):
    """One cluster for everything."""

    def predict(self, task: Task) -> IntArray:
        """All samples together."""
        return np.zeros(task.n_samples, dtype=np.int64)
