"""TSC: Transfer Spectral Clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix, MultiTaskClusterer, Task, UnsuitableTaskError
from lcbench_spectral.embedding import leading_eigenvectors, right_singular
from lcbench_spectral.projections import polar
from lcbench_spectral.scaling import bipartite, check_not_negative, unit_rows
from lcbench_spectral.spectral import SpectralClusterer


@dataclass(kw_only=True, eq=False, repr=False)
class TSC(SpectralClusterer, MultiTaskClusterer):
    """Transfer Spectral Clustering of all tasks seen so far.

    Task t has the normalised affinity K_t, the bipartite matrix Â_t = D1^-1/2 X_t D2^-1/2 and the embedding F_t
    (n_t x k). All tasks share the embedding G of the features (d x k; the paper's F3), and TSC maximises

        f = sum_t [tr(F_tᵀ K_t F_t) + r tr(F_tᵀ Â_t G)],   F_tᵀ F_t = I, GᵀG = I

    by turns:

    - F_t = polar(F_t + ½ (2 K_t F_t + r Â_t G)): ascent for every K with eigenvalues in [-1, 1].
    - G = polar(sum_t Â_tᵀ F_t), the maximiser.

    It starts from the k leading eigenvectors of every K_t and the k leading right singular vectors of the Â_t one under
    the other, normalised once more; F_t is then rotated onto Â_t G, of which the authors' flip of signs is a special
    case. k-means on the rows of F_t, scaled to length 1, gives the labels: the best of ten starts, where the authors
    take the most frequent of a hundred partitions. The paper has two tasks, this any number; with r = 0 every task
    with k clusters is clustered by stSC on the same graph.

    k is the largest number of clusters of a task; the final k-means of each task has its own number.

    Pre-processing: the authors drop the words that occur nowhere (here they have no weight anyway), weight the pooled
    counts by (1 + ln tf) ln(N/df) and scale rows to length 1 before Â is formed. Here the weighting is the stream's
    (`webkb4:weighting=sublinear-tfidf` is theirs) and the rows are scaled by this method; `unit_rows=False` moves
    purity on WebKB4 by half a point and the Rand index by one (counts) to three (tf-idf). The authors shift negative
    features by their minimum; here they are refused, as by l2sc, because a shift of its own for every task would make
    the features mean different things.

    Objective, graph, r and stopping rule are those of the authors' code, beside which it was not run. On WebKB4
    (tf-idf) purity / NMI / RI are 76.5 / 42.7 / 72.8; the L2SC paper does not compare with it.

    Parameters
    ----------
    r : float, default=3
        Weight of the shared features.
    solver : {"polar", "author"}, default="polar"
        The step of F_t: ½ as above, or the authors' step of length 1 along the normalised gradient, which needs about
        twice the iterations to the same optimum and so meets `max_iter` more often.
    unit_rows : bool, default=True
        Whether samples are scaled to length 1 before Â is formed.
    max_iter : int, default=500
        Most iterations.
    tol : float, default=1e-6
        Relative change of f that ends the iterations.
    affinity : {"binary", "knn", "full"}, default="binary"
        The graph: nearest neighbours with weights 1, with Gaussian weights, or all pairs (quadratic in n).
    n_neighbors : int, default=27
        Neighbours of a sample, at most n - 1.
    metric, sigma, normalize_rows
        The graph and the final k-means, as for stSC; `sigma` is of no use to the binary graph.
    random_state : int, default=0
        The seed of k-means.

    Attributes
    ----------
    features_ : array, d x k
        G.
    objective_trace_ : list of float
        f before the first and after each iteration of the last refit.

    References
    ----------
    Jiang, Chung: Transfer Spectral Clustering. ECML-PKDD 2012.
    """

    r: float = 3.0
    solver: str = "polar"
    unit_rows: bool = True
    max_iter: int = 500
    tol: float = 1e-6
    affinity: str = "binary"
    n_neighbors: int = 27

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """Embed all tasks together and cluster each by its own embedding."""
        width = max(task.n_clusters for task in tasks)
        for task in tasks:
            _check_shape(task, width)
            check_not_negative(task, "tsc", "a method without a feature library such as stsc")
        Ks = [self._graph(task.X) for task in tasks]
        As = [bipartite(unit_rows(task.X) if self.unit_rows else task.X) for task in tasks]
        Fs = [leading_eigenvectors(K, width) for K in Ks]
        G = _feature_start(As, width)
        Fs = [F @ polar(F.T @ (A @ G), np.eye(width)) for A, F in zip(As, Fs, strict=True)]

        Fs, G, trace = self._maximise(Ks, As, Fs, G)
        self.features_ = G
        self.objective_trace_ = trace
        return [self._partition(F, task.n_clusters, task.name) for F, task in zip(Fs, tasks, strict=True)]

    def _maximise(
        self, Ks: list[Matrix], As: list[Matrix], Fs: list[FloatArray], G: FloatArray
    ) -> tuple[list[FloatArray], FloatArray, list[float]]:
        """Turn about over the F_t and G until f settles."""
        transposed = [A.T.tocsr() if sparse.issparse(A) else A.T for A in As]
        KFs = [K @ F for K, F in zip(Ks, Fs, strict=True)]
        pull = np.sum([At @ F for At, F in zip(transposed, Fs, strict=True)], axis=0)
        trace = [self._objective(Fs, KFs, G, pull)]
        for _ in range(self.max_iter):
            for t, (K, A) in enumerate(zip(Ks, As, strict=True)):
                gradient = 2.0 * KFs[t] + self.r * (A @ G)
                Fs[t] = polar(Fs[t] + self._step(gradient) * gradient, Fs[t])
                KFs[t] = K @ Fs[t]
            pull = np.sum([At @ F for At, F in zip(transposed, Fs, strict=True)], axis=0)
            G = polar(pull, G)
            trace.append(self._objective(Fs, KFs, G, pull))
            if abs(trace[-1] - trace[-2]) <= self.tol * abs(trace[-2]):
                break
        return Fs, G, trace

    def _step(self, gradient: FloatArray) -> float:
        """Up to ½ every step is ascent; the authors' is shorter than that as soon as the gradient is longer than 2."""
        if self.solver == "polar":
            return 0.5
        return 1.0 / max(float(np.linalg.norm(gradient)), 2.0)

    def _objective(self, Fs: list[FloatArray], KFs: list[FloatArray], G: FloatArray, pull: FloatArray) -> float:
        within = sum(float(np.sum(F * KF)) for F, KF in zip(Fs, KFs, strict=True))
        return within + self.r * float(np.sum(G * pull))


def _check_shape(task: Task, width: int) -> None:
    least, what = min((task.n_samples, "samples"), (task.n_features, "features"))
    if least < width:
        raise UnsuitableTaskError(
            f"tsc embeds all tasks in {width} dimensions, the largest number of clusters, but task '{task.name}' has "
            f"{least} {what}: leave it out, or use stsc."
        )


def _feature_start(As: list[Matrix], k: int) -> FloatArray:
    """The k leading right singular vectors of the pooled and once more normalised bipartite matrices."""
    pooled = sparse.vstack(As, format="csr") if any(sparse.issparse(A) for A in As) else np.vstack(As)
    return right_singular(bipartite(pooled), k)[1]
