"""Any scikit-learn clusterer as a single-task or a pooled baseline, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from lcbench import (
    IntArray,
    Matrix,
    MultiTaskClusterer,
    SingleTaskClusterer,
    Task,
    derive_seed,
    split_labels,
    stack_tasks,
)


class SingleTask(SingleTaskClusterer):
    """Clusters each task alone with a scikit-learn clusterer.

    The estimator gets the task's number of clusters (`n_clusters`, or `n_components` of a mixture) and the run's seed
    where it has parameters for them, also inside a pipeline. A sparse task is made dense for an estimator that takes
    no sparse input.

    Parameters
    ----------
    estimator : a scikit-learn clusterer
        Anything with `fit_predict`.
    random_state : int, default=0
        The seed.

    Examples
    --------
    >>> import lcbench
    >>> from lcbench_baselines import SingleTask
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> results = lcbench.run({"ward": SingleTask(estimator=AgglomerativeClustering())}, "digits")
    >>> results[0].status
    'ok'
    """

    def __init__(self, estimator: Any = None, *, random_state: int = 0) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def predict(self, task: Task) -> IntArray:
        """The partition of any task."""
        return cluster_with(self.estimator, task.X, task.n_clusters, derive_seed(self.random_state, task.name))


class Pooled(MultiTaskClusterer):
    """Clusters the union of all tasks seen with a scikit-learn clusterer; the rest is as for SingleTask.

    Examples
    --------
    >>> import lcbench
    >>> from lcbench_baselines import Pooled
    >>> from sklearn.cluster import Birch
    >>> results = lcbench.run({"pooled birch": Pooled(estimator=Birch(threshold=10))}, "digits")
    >>> results[0].status
    'ok'
    """

    def __init__(self, estimator: Any = None, *, random_state: int = 0) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """One clustering of all samples, cut apart by task."""
        X, k = stack_tasks(tasks)
        return split_labels(cluster_with(self.estimator, X, k, derive_seed(self.random_state, tasks[0].name)), tasks)


def cluster_with(estimator: Any, X: Matrix, k: int, seed: int) -> IntArray:
    """The labels a copy of a scikit-learn clusterer gives to `X`."""
    if not hasattr(estimator, "fit_predict"):
        raise TypeError(f"{estimator!r} is no clusterer: it has no fit_predict")
    copy = clone(estimator)
    copy.set_params(**_settings(copy, k, seed))
    # A copy that may be written to, because some estimators do.
    X = X.toarray() if sparse.issparse(X) and not get_tags(copy).input_tags.sparse else X.copy()
    labels: IntArray = np.asarray(copy.fit_predict(X)).astype(np.int64)
    return labels


def _settings(estimator: Any, k: int, seed: int) -> dict[str, Any]:
    """The parameters to set: every seed, and the number of clusters of the last step, under its own name."""
    known = estimator.get_params(deep=True)
    settings: dict[str, Any] = {name: seed for name in known if name.split("__")[-1] == "random_state"}
    clusters = [name for name in known if name.split("__")[-1] == "n_clusters"]
    if not clusters:
        last = f"{estimator.steps[-1][0]}__" if hasattr(estimator, "steps") else ""
        clusters = [name for name in known if name == f"{last}n_components"]
    return {**settings, **dict.fromkeys(clusters, k)}
