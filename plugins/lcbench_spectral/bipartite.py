"""The bipartite normalisation of a task's samples and features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lcbench import Matrix, Task, UnsuitableTaskError
from lcbench_spectral.scaling import inverse_root, scaled


def bipartite(task: Task, method: str) -> Matrix:
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
    return scaled(X, inverse_root(rows), inverse_root(columns))
