"""uSC: spectral clustering of all tasks seen, pooled into one."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.multitask import MultiTaskClusterer, split_labels, stack_tasks
from lcbench.task import IntArray, Task
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.spectral import SpectralClusterer


class USC(SpectralClusterer, MultiTaskClusterer):
    """Spectral clustering of the union of all tasks seen so far.

    One graph over all samples and one clustering with as many clusters as the richest task has; each task gets its
    part of the labels. Every task is kept and all are clustered anew when one arrives.

    Parameters
    ----------
    affinity : {"knn", "full"}, default="knn"
        The graph: nearest neighbours, or all pairs (quadratic in n).
    metric : {"cosine", "euclidean"}, default="cosine"
        The distance of the graph.
    n_neighbors : int, default=10
        Neighbours of a sample, at most n - 1.
    sigma : float or "median", default="median"
        Width of the Gaussian weights.
    normalize_rows : bool, default=True
        Whether the rows of the embedding are scaled to length 1 before k-means.
    random_state : int, default=0
        The seed of k-means.

    References
    ----------
    Ng, Jordan, Weiss: On Spectral Clustering: Analysis and an Algorithm. NIPS 2001.
    Sun, Cong, Wang, Li, Fu: Lifelong Spectral Clustering. AAAI 2020 (there called uSC).
    """

    def __init__(
        self,
        *,
        affinity: str = "knn",
        metric: str = "cosine",
        n_neighbors: int = 10,
        sigma: float | str = "median",
        normalize_rows: bool = True,
        random_state: int = 0,
    ) -> None:
        self.affinity = affinity
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.normalize_rows = normalize_rows
        self.random_state = random_state

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """One clustering of all samples, cut apart by task."""
        X, k = stack_tasks(tasks)
        F = leading_eigenvectors(self._graph(X), k)
        return split_labels(self._partition(F, k, tasks[0].name), tasks)
