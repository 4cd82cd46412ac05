"""Base class of the spectral methods: the options of the graph and of the final k-means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lcbench import Clusterer, FloatArray, IntArray, Matrix, derive_seed
from lcbench_spectral.affinity import normalised_affinity
from lcbench_spectral.embedding import embed_labels


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
