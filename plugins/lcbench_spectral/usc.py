"""uSC: spectral clustering of all tasks seen, pooled into one."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench import IntArray, MultiTaskClusterer, Task, split_labels, stack_tasks
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.spectral import SpectralClusterer


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
