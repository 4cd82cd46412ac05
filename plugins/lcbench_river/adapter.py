"""Any river clusterer as a lifelong method: one clusterer that learns sample by sample, from task to task."""

from __future__ import annotations

import importlib
import inspect
import pickle
from collections import defaultdict
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from lcbench import FloatArray, LcbenchError, Matrix, Task, derive_seed
from lcbench_baselines.carrier import Carrier
from lcbench_baselines.seeding import spread_rows
from lcbench_river.rows import Scale, as_dicts

CLUSTERS = ("n_clusters", "n_macro_clusters", "num_macro")  # names that river has for the number of clusters


@dataclass(eq=False, repr=False)
class River(Carrier):
    """Carries one river clusterer from task to task by its `learn_one`; it never sees an old task again.

    Samples come in an order that the seed and the task's name decide. Labels come from `predict_one` of a copy, as some
    of river's clusterers change when they predict; where there are more groups in a task than it asks for clusters,
    their means, weighted by their numbers of samples, are merged by k-means. A task may get fewer.

    Features are scaled by the mean and the deviation of the first task, whatever comes later. A task with more than
    `directions` features, dense or sparse, is first projected on as many random directions: river works on dicts, one
    entry per feature, and is slow with long rows.

    The clusterer gets the largest number of clusters so far, and the seed, where it has parameters for them. KMeans,
    and the k-means inside STREAMKMeans, get `width` centres per cluster from samples of the task by k-means++, and
    more when a task has more clusters: river starts them with Gaussian noise, and the first centre that a sample
    pulls away from there soon wins all others. TextClust fades by samples, as tasks carry no time.

    Only what the clusterer bounds is bounded: DBSTREAM, DenStream and TextClust need fading for that.

    Parameters
    ----------
    clusterer : a river clusterer
        KMeans, STREAMKMeans, CluStream, DenStream, DBSTREAM or TextClust, or one of your own.
    width : int, default=8
        Centres of KMeans per cluster.
    passes : int, default=1
        Passes over the samples of the task that has just arrived.
    unit_rows : bool, default=False
        Whether samples are scaled to length 1 first, as text needs.
    scale : {"features", "common", "none"}, default="features"
        The deviation that features are divided by: each its own, one for all, or none. With "none" rows stay as they
        are, and only their features that are not zero are handed over: that is for TextClust, which counts words.
    directions : int, default=64
        Most features that the clusterer sees, unless scale is "none".
    random_state : int, default=0
        The seed.

    Attributes
    ----------
    model_ : the clusterer as it is carried on
    scale_ : Scale
        The mean and the deviation of the first task.

    Examples
    --------
    >>> import lcbench
    >>> from lcbench_river import River
    >>> from river import cluster
    >>> dbstream = River(cluster.DBSTREAM(clustering_threshold=8, fading_factor=0.001))
    >>> lcbench.run({"dbstream": dbstream}, "digits")[0].status
    'ok'
    """

    advice: ClassVar[str] = (
        "scale features (scale=features), or give the clusterer a resolution, a number of samples to start with and a "
        "gap between its updates that fit tasks of this size"
    )
    called: ClassVar[str] = "river's {}"
    clusterer: Any = None
    _: KW_ONLY
    width: int = 8
    passes: int = 1
    unit_rows: bool = False
    scale: str = "features"
    directions: int = 64
    random_state: int = 0

    def _learn(self, task: Task) -> tuple[Any, Matrix]:
        seed = derive_seed(self.random_state, task.name)
        model = self.model_ if hasattr(self, "model_") else self._fresh(task.n_clusters, seed)
        if self.scale != "none" and not hasattr(self, "scale_"):
            self.scale_: Scale = Scale.of(
                self._raw_rows(task), common=self.scale == "common", directions=self.directions, seed=self.random_state
            )
        X = self._rows(task)
        _widen(model, X, task.n_clusters, self.width, seed, first=not hasattr(self, "model_"))
        samples, generator = list(as_dicts(X)), np.random.default_rng(seed)
        for _ in range(self.passes):
            for i in generator.permutation(task.n_samples):
                model.learn_one(samples[i].copy())
        return model, X

    def _groups(self, X: Matrix) -> list[int]:
        copy = pickle.loads(pickle.dumps(self.model_))
        found = [copy.predict_one(sample) for sample in as_dicts(X)]
        return [-1 if label is None else label for label in found]  # TextClust has none for a sample without words

    def _raw_rows(self, task: Task) -> Matrix:
        return normalize(task.X) if self.unit_rows else task.X

    def _rows(self, task: Task) -> Matrix:
        """The rows that the clusterer sees: scaled and dense, or sparse and as they are."""
        X = self._raw_rows(task)
        return sparse.csr_array(X) if self.scale == "none" else self.scale_.of_rows(X)

    def _adapted(self) -> Any:
        """The clusterer that is copied."""
        return self.clusterer

    def _fresh(self, k: int, seed: int) -> Any:
        """A copy of the clusterer that has learned nothing, for `k` clusters and with the seed set."""
        adapted = self._adapted()
        if not (hasattr(adapted, "learn_one") and hasattr(adapted, "clone")):
            raise TypeError(f"{adapted!r} is no clusterer of river: it has no learn_one and clone")
        known = inspect.signature(type(adapted)).parameters
        wanted = {**dict.fromkeys(CLUSTERS, k), "seed": seed, "real_time_fading": False}
        settings = {name: value for name, value in wanted.items() if name in known}
        if "kwargs" in known:  # those of the k-means inside STREAMKMeans
            settings["seed"] = seed
        return adapted.clone(settings)


def river_method(clusterer: str, **params: Any) -> River:
    """A River of the clusterer at 'module:Class'; `params` are those of River, all others the clusterer's."""
    made = load_clusterer(clusterer)
    own = {key: params.pop(key) for key in River().get_params(deep=False) if key in params}
    return River(made(**params), **own)


def load_clusterer(path: str) -> Any:
    """The class at 'module:Class', or an LcbenchError that says how to install river."""
    module, _, name = path.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "river":
            raise
        raise LcbenchError(f"{path.replace(':', '.')} needs river: pip install 'lcbench[river]'.") from None


def _widen(model: Any, X: Matrix, k: int, width: int, seed: int, *, first: bool) -> None:
    """Raises the number of clusters of the model to `k`; centres of k-means become samples, `width` per cluster."""
    for name in CLUSTERS[1:]:
        if hasattr(model, name):
            setattr(model, name, max(k, getattr(model, name)))
    inner = getattr(model, "_kmeans", model)
    if type(inner).__name__ != "KMeans":
        return
    if first:
        inner.centers.clear()  # of Gaussian noise
    have = len(inner.centers)
    centres = _array(inner.centers, X.shape[1]) if have else None
    rows = X[spread_rows(X, width * k - have, seed, centres)]
    for number, row in enumerate(as_dicts(rows), start=have):
        inner.centers[number] = defaultdict(float, row)
    inner.n_clusters = len(inner.centers)


def _array(centres: dict[int, dict[int, float]], d: int) -> FloatArray:
    found = np.zeros((len(centres), d))
    for number, centre in enumerate(centres.values()):
        found[number, list(centre)] = list(centre.values())
    return found
