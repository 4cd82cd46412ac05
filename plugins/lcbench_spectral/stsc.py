"""stSC: spectral clustering of each task alone."""

from __future__ import annotations

from lcbench import IntArray, SingleTaskClusterer, Task
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.spectral import SpectralClusterer


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
