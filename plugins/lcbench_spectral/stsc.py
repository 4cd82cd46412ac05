"""stSC: spectral clustering of each task alone."""

from __future__ import annotations

from typing import ClassVar, Self

from lcbench.specs import Setting
from lcbench.task import IntArray, Task
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.spectral import SpectralClusterer


class StSC(SpectralClusterer):
    """Single-task spectral clustering.

    The k leading eigenvectors F of the normalised affinity K maximise tr(Fᵀ K F) over FᵀF = I; k-means on their rows,
    scaled to length 1, gives the labels. Nothing is kept from one task to the next.

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

    Examples
    --------
    >>> import lcbench
    >>> task = lcbench.load_stream("digits").tasks()[0].task
    >>> lcbench.load_method("stsc").partial_fit(task).labels_.shape
    (80,)
    """

    setting: ClassVar[Setting] = Setting.SINGLE_TASK
    predicts_unseen: ClassVar[bool] = True

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

    def partial_fit(self, task: Task) -> Self:
        """Cluster the task; remember nothing."""
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: Task) -> IntArray:
        """The partition of any task."""
        F = leading_eigenvectors(self._graph(task.X), task.n_clusters)
        return self._partition(F, task.n_clusters, task.name)
