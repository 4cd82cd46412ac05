"""Spectral clustering of each task alone (stSC) and of all tasks pooled (uSC), and the base of all spectral methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lcbench import (
    Clusterer,
    FloatArray,
    IntArray,
    Matrix,
    MultiTaskClusterer,
    SingleTaskClusterer,
    Task,
    derive_seed,
    split_labels,
    stack_tasks,
)
from lcbench_spectral.affinity import normalised_affinity
from lcbench_spectral.embedding import embed_labels, leading_eigenvectors


@dataclass(kw_only=True, eq=False, repr=False)
class SpectralClusterer(Clusterer):
    """Base of the spectral methods: the affinity graph and the final k-means.

    Parameters
    ----------
    affinity : {"knn", "binary", "full"}, default="knn"
        The graph: nearest neighbours with Gaussian weights or with weights 1, or all pairs (quadratic in n).
    metric : {"cosine", "euclidean"}, default="cosine"
        The distance of the graph.
    n_neighbors : int, default=10
        Neighbours of a sample, at most n - 1.
    sigma : float or "median", default="median"
        Width of the Gaussian weights.
    neighbors : {"auto", "exact", "approximate"}, default="auto"
        The search for neighbours; "auto" is approximate from 20,000 samples on, if the extra `large` is installed.
    normalize_rows : bool, default=True
        Whether the rows of the embedding are scaled to length 1 before k-means.
    random_state : int, default=0
        The seed of k-means.
    """

    affinity: str = "knn"
    metric: str = "cosine"
    n_neighbors: int = 10
    sigma: float | str = "median"
    normalize_rows: bool = True
    random_state: int = 0
    neighbors: str = "auto"

    def _graph(self, X: Matrix) -> Any:
        return normalised_affinity(
            X,
            affinity=self.affinity,
            metric=self.metric,
            n_neighbors=self.n_neighbors,
            sigma=self.sigma,
            neighbors=self.neighbors,
        )

    def _partition(self, F: FloatArray, k: int, name: str) -> IntArray:
        """The labels of the rows of `F`; the seed depends on the method's seed and the task's name alone."""
        return embed_labels(F, k, seed=derive_seed(self.random_state, name), normalize_rows=self.normalize_rows)


class StSC(SpectralClusterer, SingleTaskClusterer):
    """Single-task spectral clustering.

    The k leading eigenvectors F of the normalised affinity K maximise tr(Fᵀ K F) over FᵀF = I; k-means on their rows,
    scaled to length 1, gives the labels. Nothing is kept from one task to the next.

    The parameters are those of `SpectralClusterer`.

    References
    ----------
    Ng, Jordan, Weiss: On Spectral Clustering: Analysis and an Algorithm. NIPS 2001.

    Examples
    --------
    >>> import lcbench
    >>> task = lcbench.load_stream("digits").tasks()[0].task
    >>> lcbench.load_method("stsc").partial_fit(task).labels_.shape
    (80,)
    """

    def predict(self, task: Task) -> IntArray:
        """The partition of any task."""
        F = leading_eigenvectors(self._graph(task.X), task.n_clusters)
        return self._partition(F, task.n_clusters, task.name)


class USC(SpectralClusterer, MultiTaskClusterer):
    """Spectral clustering of the union of all tasks seen so far.

    One graph over all samples and one clustering with as many clusters as the richest task has; each task gets its
    part of the labels. Every task is kept and all are clustered anew when one arrives.

    The parameters are those of `SpectralClusterer`.

    References
    ----------
    Ng, Jordan, Weiss: On Spectral Clustering: Analysis and an Algorithm. NIPS 2001.
    Sun, Cong, Wang, Li, Fu: Lifelong Spectral Clustering. AAAI 2020 (there called uSC).
    """

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """One clustering of all samples, cut apart by task."""
        X, k = stack_tasks(tasks)
        F = leading_eigenvectors(self._graph(X), k)
        return split_labels(self._partition(F, k, tasks[0].name), tasks)
