"""The bipartite normalisation of a task's samples and features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lcbench.errors import UnsuitableTaskError
from lcbench.task import Task


def bipartite(task: Task, method: str) -> Any:
    """Â = D1^-1/2 X D2^-1/2, D1 and D2 the sums of the rows and columns of X; zero where a sum is zero.

    X must not be negative. Zero columns are ordinary: a word that is absent from a task.
    """
    X = task.X
    lowest = float(X.data.min(initial=0.0)) if sparse.issparse(X) else float(X.min())
    if lowest < 0:
        raise UnsuitableTaskError(
            f"{method} needs features that are not negative, but task '{task.name}' has {lowest:g} among them: shift "
            "or rescale them to [0, 1] for all tasks alike, or use a method without a feature library such as stsc."
        )
    rows, columns = np.asarray(X.sum(axis=1)).ravel(), np.asarray(X.sum(axis=0)).ravel()
    left, right = _inverse_root(rows), _inverse_root(columns)
    if sparse.issparse(X):
        data = X.data * np.repeat(left, np.diff(X.indptr)) * right[X.indices]
        return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
    return X * left[:, None] * right[None, :]


def _inverse_root(sums: Any) -> Any:
    root = np.sqrt(sums)
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
