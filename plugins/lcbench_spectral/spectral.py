"""What all spectral methods share: the options of the graph, and the checks of a task."""

from __future__ import annotations

from typing import Any

from lcbench.clusterer import Clusterer
from lcbench.errors import UnsuitableTaskError
from lcbench.seeds import derive_seed
from lcbench.task import FloatArray, IntArray, Matrix, Task
from lcbench_spectral.affinity import normalised_affinity
from lcbench_spectral.embedding import embed_labels


class SpectralClusterer(Clusterer):
    """Base of the spectral methods. Its parameters are those of the affinity graph and of the final k-means."""

    affinity: str
    metric: str
    n_neighbors: int
    sigma: float | str
    normalize_rows: bool
    random_state: int

    def _graph(self, X: Matrix) -> Any:
        return normalised_affinity(
            X, affinity=self.affinity, metric=self.metric, n_neighbors=self.n_neighbors, sigma=self.sigma
        )

    def _partition(self, F: FloatArray, k: int, name: str) -> IntArray:
        """The labels of the rows of `F`; the seed depends on the method's seed and the task's name alone."""
        return embed_labels(F, k, seed=derive_seed(self.random_state, name), normalize_rows=self.normalize_rows)

    def _check_width(self, task: Task, width: int) -> None:
        if width > task.n_samples:
            raise UnsuitableTaskError(
                f"Task '{task.name}' has {task.n_samples} samples, too few for an embedding of {width} dimensions: "
                "lower k."
            )
