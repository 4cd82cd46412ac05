"""Any scikit-learn clusterer with `partial_fit` as a lifelong method: one estimator that goes on from task to task."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import Birch, MiniBatchKMeans
from sklearn.preprocessing import normalize
from sklearn.utils import get_tags

from lcbench import IntArray, Matrix, Task, derive_seed
from lcbench_baselines.carrier import Carrier
from lcbench_baselines.seeding import spread_rows


@dataclass(eq=False, repr=False)
class Partial(Carrier):
    """Carries one scikit-learn clusterer from task to task by its `partial_fit`; it never sees an old task again.

    A task's samples are handed over in mini-batches, in an order that the seed and the task's name decide. Labels come
    from `predict` of the estimator as it is now; where it finds more groups in a task than the task asks for clusters,
    their means, weighted by their numbers of samples, are merged by k-means. A task may get fewer.

    - MiniBatchKMeans starts with `width` centres per cluster of the first task, drawn from it by k-means++. A task with
      more clusters than any before it adds centres, drawn in the same way from its samples far from those there are.
      With `unit_rows` centres are kept at length 1 too: a mean of many samples of length 1 is short, and so nearer to
      all of them than a mean of a few, which it would starve.
    - Another estimator whose `n_clusters` is a number gets the largest number of clusters so far. None stays None,
      which suits Birch: its sub-clusters are then merged for each task.
    - Birch is kept bounded: where it has more than `most_groups` sub-clusters after a task, its threshold is doubled
      and their centres are inserted anew.

    A sparse task is made dense for an estimator that takes no sparse input.

    Parameters
    ----------
    estimator : a scikit-learn clusterer
        Anything with `partial_fit` and `predict`.
    width : int, default=1
        Centres of MiniBatchKMeans per cluster. With more than one, a new task finds centres for groups that the tasks
        before it did not have.
    passes : int, default=1
        Passes over the samples of the task that has just arrived.
    batch_size : int, default=256
        Fewest samples of a mini-batch; a task that has fewer is one batch.
    unit_rows : bool, default=False
        Whether samples are scaled to length 1 first, as text needs.
    most_groups : int, default=500
        Most sub-clusters of Birch that are carried on.
    random_state : int, default=0
        The seed.

    Attributes
    ----------
    model_ : the estimator as it is carried on

    Examples
    --------
    >>> import lcbench
    >>> from lcbench_baselines import Partial
    >>> from sklearn.cluster import Birch
    >>> results = lcbench.run({"birch": Partial(Birch(threshold=10, n_clusters=None))}, "digits")
    >>> results[0].status
    'ok'
    """

    advice: ClassVar[str] = "raise width, scale the features, or give the estimator a finer resolution"
    estimator: Any = None
    _: KW_ONLY
    width: int = 1
    passes: int = 1
    batch_size: int = 256
    unit_rows: bool = False
    most_groups: int = 500
    random_state: int = 0

    def _learn(self, task: Task) -> tuple[Any, Matrix]:
        X, seed = self._rows(task), derive_seed(self.random_state, task.name)
        model = self.model_ if hasattr(self, "model_") else self._fresh(seed)
        least = self.batch_size
        if isinstance(model, MiniBatchKMeans):
            least = max(least, _widen(model, X, self.width * task.n_clusters, seed))
        elif model.get_params().get("n_clusters") is not None:
            model.set_params(n_clusters=max(task.n_clusters, getattr(self, "most_clusters_", 0)))
        for batch in self._batches(X.shape[0], least, seed):
            model.partial_fit(X[batch])
            if self.unit_rows and isinstance(model, MiniBatchKMeans):
                normalize(model.cluster_centers_, copy=False)
        self.most_clusters_ = max(task.n_clusters, getattr(self, "most_clusters_", 0))
        return _bounded(model, self.most_groups), X

    def _groups(self, X: Matrix) -> Any:
        return self.model_.predict(X)

    def _rows(self, task: Task) -> Matrix:
        """A copy of the samples, as some estimators write to their input."""
        X = normalize(task.X) if self.unit_rows else task.X.copy()
        return X.toarray() if sparse.issparse(X) and not get_tags(self.estimator).input_tags.sparse else X

    def _fresh(self, seed: int) -> Any:
        """A copy of the estimator that has learned nothing, with the seed set."""
        if not (hasattr(self.estimator, "partial_fit") and hasattr(self.estimator, "predict")):
            raise TypeError(f"{self.estimator!r} cannot go on from task to task: it has no partial_fit and predict")
        model = clone(self.estimator)
        # Labels of the last mini-batch are no part of what is carried on.
        wanted = {"random_state": seed, "compute_labels": False}
        return model.set_params(**{name: value for name, value in wanted.items() if name in model.get_params()})

    def _batches(self, n: int, least: int, seed: int) -> Iterator[IntArray]:
        generator = np.random.default_rng(seed)
        for _ in range(self.passes):
            yield from np.array_split(generator.permutation(n), max(1, n // least))


@dataclass(kw_only=True, eq=False, repr=False)
class LifelongKMeans(Partial):
    """Mini-batch k-means whose centres go on from task to task: a Partial of MiniBatchKMeans.

    Parameters
    ----------
    width : int, default=8
        Centres per cluster.
    passes : int, default=10
        Passes over the samples of the task that has just arrived.
    batch_size : int, default=64
        Fewest samples of a mini-batch.
    unit_rows : bool, default=True
        Whether samples and centres are scaled to length 1, as text needs.
    random_state : int, default=0
        The seed.

    References
    ----------
    Sculley: Web-scale k-means clustering, WWW 2010.
    """

    estimator: Any = field(default=MiniBatchKMeans(), init=False)
    most_groups: int = field(default=0, init=False)  # it concerns Birch alone
    width: int = 8
    passes: int = 10
    batch_size: int = 64
    unit_rows: bool = True


def partial_method(estimator: str, **params: Any) -> Partial:
    """A Partial of the estimator at 'module:Class'; `params` are those of Partial, all others the estimator's."""
    module, _, name = estimator.partition(":")
    own = {key: params.pop(key) for key in Partial().get_params(deep=False) if key in params}
    return Partial(getattr(importlib.import_module(module), name)(**params), **own)


def _widen(model: MiniBatchKMeans, X: Matrix, wanted: int, seed: int) -> int:
    """Gives the model as many centres as are wanted, as far as rows of `X` differ; returns how many it has."""
    centres = getattr(model, "cluster_centers_", None)
    have = 0 if centres is None else len(centres)
    new = X[spread_rows(X, wanted - have, seed, centres)]
    new = new.toarray() if sparse.issparse(new) else new
    model.set_params(n_clusters=have + len(new))
    if centres is None:
        # The first centres become its own at the first mini-batch, which must have as many samples.
        model.set_params(init=new, n_init=1)
    elif len(new):
        model.cluster_centers_ = np.vstack([centres, new])
        model._counts = np.concatenate([model._counts, np.zeros(len(new))])
    return have + len(new)


def _bounded(model: Any, most_groups: int) -> Any:
    """The model without what the next task does not need: the start of k-means, the finest sub-clusters of Birch."""
    if isinstance(model, MiniBatchKMeans):
        return model.set_params(init="k-means++")
    while isinstance(model, Birch) and len(model.subcluster_centers_) > most_groups:
        centres = model.subcluster_centers_
        model = clone(model).set_params(threshold=2 * model.threshold).partial_fit(centres)
    return model
