"""k-means as a baseline: each task alone, and all tasks pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from lcbench import (
    Clusterer,
    IntArray,
    Matrix,
    MultiTaskClusterer,
    SingleTaskClusterer,
    Task,
    derive_seed,
    split_labels,
    stack_tasks,
)
from lcbench_baselines.adapter import cluster_with


@dataclass(kw_only=True, eq=False, repr=False)
class _KMeansParameters(Clusterer):
    """The parameters that both forms share.

    Parameters
    ----------
    n_init : int, default=10
        Starts, of which the best is kept.
    max_iter : int, default=300
        Most iterations of a start.
    unit_rows : bool, default=True
        Whether samples are scaled to length 1 first, as text needs.
    random_state : int, default=0
        The seed.
    """

    n_init: int = 10
    max_iter: int = 300
    unit_rows: bool = True
    random_state: int = 0

    def _cluster(self, X: Matrix, k: int, name: str) -> IntArray:
        estimator = KMeans(n_init=self.n_init, max_iter=self.max_iter)
        return cluster_with(estimator, normalize(X) if self.unit_rows else X, k, derive_seed(self.random_state, name))


class SingleTaskKMeans(_KMeansParameters, SingleTaskClusterer):
    """k-means of each task alone."""

    def predict(self, task: Task) -> IntArray:
        """The partition of any task."""
        return self._cluster(task.X, task.n_clusters, task.name)


class PooledKMeans(_KMeansParameters, MultiTaskClusterer):
    """k-means of the union of all tasks seen, with as many clusters as the richest task has."""

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """One clustering of all samples, cut apart by task."""
        X, k = stack_tasks(tasks)
        return split_labels(self._cluster(X, k, tasks[0].name), tasks)
