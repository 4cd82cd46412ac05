"""Groups that a carried clusterer finds in a task: merged if there are too many, warned about if there is one."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from lcbench import IntArray, Matrix, Task

logger = logging.getLogger(__name__)
STARTS = 10  # of the k-means that merges


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
