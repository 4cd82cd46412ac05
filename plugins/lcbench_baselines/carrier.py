"""Base of the methods that carry one clusterer of another library from task to task, and merge the groups it finds."""

from __future__ import annotations

import logging
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from lcbench import Clusterer, IntArray, Matrix, Setting, Task, UnknownTaskError, UnsuitableTaskError, derive_seed

logger = logging.getLogger(__name__)
STARTS = 10  # of the k-means that merges


class Carrier(Clusterer):
    """Carries one clusterer, `model_`, from task to task; where it finds too many groups in a task, they are merged."""

    setting: ClassVar[Setting] = Setting.LIFELONG
    predicts_unseen: ClassVar[bool] = True
    advice: ClassVar[str]  # where all samples end in one cluster
    called: ClassVar[str] = "{}"  # with the name of the clusterer's class in it, where users are told of it
    random_state: int
    model_: Any
    n_features_: int

    @abstractmethod
    def _learn(self, task: Task) -> tuple[Any, Matrix]:
        """The clusterer after it has learned the task, and the rows of the task that it took."""

    @abstractmethod
    def _rows(self, task: Task) -> Matrix:
        """The samples as the clusterer takes them."""

    @abstractmethod
    def _groups(self, X: Matrix) -> Any:
        """The group that the clusterer has for each row, as it is now."""

    def partial_fit(self, task: Task) -> Self:
        """Hand the samples of the task to the clusterer, then label them."""
        self._check_features(task)
        self.model_, X = self._learn(task)
        self.n_features_ = task.n_features
        self.labels_ = self._labels(X, task)
        warn_of_collapse(self.labels_, task, self.called.format(type(self.model_).__name__), self.advice)
        return self

    def predict(self, task: Task) -> IntArray:
        """Label the samples by the clusterer as it is now."""
        if not hasattr(self, "model_"):
            raise UnknownTaskError(f"{type(self).__name__} has learned nothing yet: let it learn a task first.")
        self._check_features(task)
        return self._labels(self._rows(task), task)

    def _labels(self, X: Matrix, task: Task) -> IntArray:
        return merge_groups(self._groups(X), X, task.n_clusters, derive_seed(self.random_state, task.name))

    def _check_features(self, task: Task) -> None:
        known = getattr(self, "n_features_", task.n_features)
        if task.n_features != known:
            raise UnsuitableTaskError(
                f"Task '{task.name}' has {task.n_features} features, but the tasks before it had {known}: a clusterer "
                "that goes on from task to task takes tasks with the same features."
            )


def merge_groups(labels: Any, X: Matrix, k: int, seed: int) -> IntArray:
    """The groups of `labels` as clusters 0, 1, ...; where there are more than `k`, their means are clustered into `k`.

    A mean counts as often as its group has samples, so that the merged clusters are those of k-means that may not
    part a group.
    """
    codes = _by_first_sample(labels)
    if k == 1:
        return np.zeros_like(codes)
    if codes.max() < k:
        return codes
    sizes = np.bincount(codes).astype(np.float64)
    member = sparse.csr_array((1.0 / sizes[codes], (codes, np.arange(len(codes)))))
    means = member @ X
    means = means.toarray() if sparse.issparse(means) else means
    merged = KMeans(k, n_init=STARTS, random_state=seed).fit_predict(means, sample_weight=sizes)
    return _by_first_sample(merged[codes])


def warn_of_collapse(labels: IntArray, task: Task, method: str, advice: str) -> None:
    """Logs a warning if a task that asks for several clusters, and has samples that differ, got a single one."""
    if task.n_clusters > 1 and not labels.any() and _differ(task.X):
        logger.warning(
            "%s put all %d samples of task '%s' into one cluster, where %d were asked for: %s.",
            method, task.n_samples, task.name, task.n_clusters, advice,
        )  # fmt: skip


def _by_first_sample(labels: Any) -> IntArray:
    """Numbers clusters in the order of their first samples, so that the names they had do not matter."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    ranks: IntArray = np.argsort(np.argsort(first)).astype(np.int64)
    return ranks[codes]


def _differ(X: Matrix) -> bool:
    """True if not all rows are equal."""
    extent = X.max(axis=0) - X.min(axis=0)
    return bool(extent.nnz if sparse.issparse(extent) else np.any(extent))
