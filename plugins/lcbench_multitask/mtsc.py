"""MTSC: Multitask Spectral Clustering by exploring intertask correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lcbench import (
    FloatArray,
    IntArray,
    Matrix,
    MultiTaskClusterer,
    Task,
    UnknownTaskError,
    UnsuitableTaskError,
    derive_seed,
    did_you_mean,
)
from lcbench_multitask.dual import Part, embed, room_needed, scatter_of
from lcbench_spectral.embedding import leading_eigenvectors, rotation_labels
from lcbench_spectral.memory import check_pairs_fit
from lcbench_spectral.projections import polar
from lcbench_spectral.scaling import squared_norms, unit_rows
from lcbench_spectral.spectral import SpectralClusterer

SMOOTHING = 1e-8  # of the squared norm of a row of W
RIDGE_FLOOR = 1e-8  # of beta / alpha
DENSE_UP_TO = 350  # below, all eigenvalues cost less than a few by iteration
BYTES_PER_PAIR, BYTES_PER_PAIR_FULL = 16, 40  # G and what it is made from; a full graph takes more


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The embeddings F_t (n_t x k_t), the maps W_t (d x k_t) with intercepts b_t, and the objective per iteration."""

    F: list[FloatArray]
    W: list[FloatArray]
    b: list[FloatArray]
    trace: list[float]


@dataclass(frozen=True, slots=True, eq=False)
class LinearMap:
    """The rows of X W + 1 bᵀ, scaled to length 1 if `unit`, go to the cluster of largest (row · axis) - offset.

    `features` are those whose rows of the d x k map are not zero, and `W` holds these rows.
    """

    features: IntArray
    W: FloatArray
    b: FloatArray
    unit: bool
    axes: FloatArray
    offsets: FloatArray
    clusters: IntArray

    @classmethod
    def learned(
        cls, W: FloatArray, b: FloatArray, F: FloatArray, labels: IntArray, *, rotate: bool, unit: bool
    ) -> LinearMap:
        """To the nearest of the centres that the clusters have in the embedding F, whose rows are scaled if `unit`.

        With `rotate`, to the largest coordinate after the rotation that brings the unit rows of F nearest to the
        indicators of `labels`. An empty cluster gets no sample.
        """
        features = np.flatnonzero(W.any(axis=1))
        clusters, codes = np.unique(labels, return_inverse=True)
        Y = np.eye(len(clusters))[codes]
        if rotate:
            axes = polar(unit_rows(F).T @ Y)
            return cls(features, W[features], b, False, axes, np.zeros(len(clusters)), clusters)
        centres = (Y / Y.sum(axis=0)).T @ (unit_rows(F) if unit else F)
        return cls(features, W[features], b, unit, centres.T, 0.5 * squared_norms(centres), clusters)

    def labels(self, X: Matrix) -> IntArray:
        """The clusters of the rows of X."""
        rows = np.asarray(X[:, self.features] @ self.W) + self.b
        if self.unit:
            rows = unit_rows(rows)
        labels: IntArray = self.clusters[(rows @ self.axes - self.offsets).argmax(axis=1)]
        return labels


@dataclass(kw_only=True, eq=False, repr=False)
class MTSC(SpectralClusterer, MultiTaskClusterer):
    """Spectral clustering of all tasks seen, with linear maps from features to clusters that choose features together.

    Task t has the samples X_t (n_t x d), the normalised affinity K_t, L_t = I - K_t, the embedding F_t (n_t x k_t) and
    a map W_t with intercept b_t that predicts it. All maps are coupled through the rows w^i of W = [W_1, ..., W_T], one
    row per feature:

        min  sum_t tr(F_tᵀ L_t F_t) + alpha ||X_t W_t + 1 b_tᵀ - F_t||² + beta sum_i ||w^i||^p,    F_tᵀ F_t = I

    With p < 2 a feature is used by all tasks or by none. ||w^i||^p is smoothed to (||w^i||² + 1e-8)^(p/2), which the
    weights D_ii = (p/2) (||w^i||² + 1e-8)^(p/2 - 1) majorise. For fixed D everything else is minimised at once: with
    c = beta / alpha (at least 1e-8), H = I - 11ᵀ/n and the dual matrix G = H X_t D^-1 X_tᵀ H (n_t x n_t; no d x d
    matrix is formed),

    - F_t holds the k_t smallest eigenvectors of L_t + alpha (H - G (G + c I)^-1), where H - G (G + c I)^-1 is
      c (G + c I)^-1 - 11ᵀ/n;
    - W_t = D^-1 X_tᵀ H (G + c I)^-1 F_t and b_t = (F_t - X_t W_t)ᵀ 1 / n_t;
    - then D is renewed. The start is D = I. No iteration raises the objective.

    k-means on the rows of F_t gives the labels. alpha = 0 is stSC, p = 2 decouples the tasks. Every task is kept and
    all are learned anew when one arrives.

    New samples of a learned task are clustered through its map: `predict_samples(X, name)` puts each where its row of
    X W_t + 1 b_tᵀ belongs: to the nearest centre that k-means left in F_t, under the same scaling of rows, or with the
    rotation Q to argmax_j ((X W_t + 1 b_tᵀ) Q)_ij. With alpha = 0 there are no maps.

    The first iterations take the time of a Cholesky factorisation of n_t x n_t for every task, and memory for a few
    dense matrices of that size: a task for which there is no room is refused. When few features are left in use,
    products with X_t and a system of the n_t / 10 most used features replace it; the result is the same.

    The structure of the objective (spectral term, linear map, L2,p norm over all tasks) is that of the abstract; the
    formula is recalled, not verified against the paper, and the weights are ours.

    Parameters
    ----------
    alpha : float, default=1
        Weight of the linear maps.
    beta : float, default=0.03
        Weight of the L2,p norm.
    p : float, default=1
        Its exponent, above 0 and at most 2.
    discretize : {"kmeans", "rotation"}, default="kmeans"
        How labels are taken from F: k-means, or the nearest rotation of Yu and Shi.
    unit_rows : bool, default=True
        Whether the samples are scaled to length 1 for the linear maps, as text needs.
    max_iter : int, default=50
        Most iterations.
    tol : float, default=1e-5
        Relative change of the objective that ends the iterations.
    affinity, metric, n_neighbors, sigma, normalize_rows
        The graph and the final k-means, as for stSC. On the full graph few features survive and purity falls.
    random_state : int, default=0
        The seed of k-means, or of the rotations.

    Attributes
    ----------
    feature_norms_ : array, one per feature
        ||w^i||: how much the tasks of the last refit use a feature.
    maps_ : dict of LinearMap
        By the names of the tasks: what `predict_samples` needs.
    objective_trace_ : list of float
        The smoothed objective after each iteration of the last refit.

    References
    ----------
    Yang, Ma, Yang, Nie, Shen: Multitask Spectral Clustering by Exploring Intertask Correlation. IEEE T-Cyb 2015.
    Yu, Shi: Multiclass Spectral Clustering. ICCV 2003 (the rotation).
    """

    alpha: float = 1.0
    beta: float = 0.03
    p: float = 1.0
    discretize: str = "kmeans"
    unit_rows: bool = True
    max_iter: int = 50
    tol: float = 1e-5

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """Embed all tasks together, and partition each embedding."""
        if self.alpha > 0:
            for task in tasks:
                check_pairs_fit([task], "mtsc", BYTES_PER_PAIR_FULL if self.affinity == "full" else BYTES_PER_PAIR)
        solution = self.solve(tasks)
        self.objective_trace_ = solution.trace
        self.feature_norms_: FloatArray = np.sqrt(_squared_row_norms(solution.W))
        partitions = [self._labels(F, task) for F, task in zip(solution.F, tasks, strict=True)]
        self.maps_: dict[str, LinearMap] = {}
        if self.alpha > 0:
            for task, W, b, F, labels in zip(tasks, solution.W, solution.b, solution.F, partitions, strict=True):
                self.maps_[task.name] = LinearMap.learned(
                    W, b, F, labels, rotate=self.discretize == "rotation", unit=self.normalize_rows
                )
        return partitions

    def predict_samples(self, X: Matrix, name: str) -> IntArray:
        """The clusters of samples, new or not, of the learned task `name`, from X W_t + 1 b_tᵀ in place of F_t."""
        learned: dict[str, LinearMap] = getattr(self, "maps_", {})
        if name not in learned:
            hint = did_you_mean(name, learned) if self.alpha > 0 else " With alpha=0 it learns none."
            raise UnknownTaskError(f"{type(self).__name__} has no linear map of task '{name}'.{hint}")
        samples = Task(name, X, 1)
        if samples.n_features != len(self.feature_norms_):
            raise UnsuitableTaskError(
                f"The samples have {samples.n_features} features, and those of task '{name}' have "
                f"{len(self.feature_norms_)}."
            )
        return learned[name].labels(self._samples(samples))

    def solve(self, tasks: Sequence[Task]) -> Solution:
        """The minimiser found for these tasks."""
        parts = [self._part(task) for task in tasks]
        F = [leading_eigenvectors(part.K, part.k) for part in parts]
        if self.alpha == 0:
            return self._without_maps(parts, F)
        c = max(self.beta / self.alpha, RIDGE_FLOOR)
        spread = np.ones(tasks[0].n_features)  # the diagonal of D^-1
        trace: list[float] = []
        for _ in range(self.max_iter):
            steps = [embed(part, spread, self.alpha, c, start) for part, start in zip(parts, F, strict=True)]
            F, W, b = [step[0] for step in steps], [step[1] for step in steps], [step[2] for step in steps]
            squares = _squared_row_norms(W) + SMOOTHING
            trace.append(sum(step[3] for step in steps) + c * self.alpha * float(np.sum(squares ** (self.p / 2))))
            if len(trace) > 1 and abs(trace[-2] - trace[-1]) <= self.tol * abs(trace[-2]):
                break
            spread = 2.0 / self.p * squares ** (1.0 - self.p / 2)
        return Solution(F, W, b, trace)

    def _part(self, task: Task) -> Part:
        X = self._samples(task)
        iterated = task.n_samples > max(DENSE_UP_TO, room_needed(task.n_clusters))
        return Part(X, self._graph(task.X), task.n_clusters, scatter_of(X) if iterated else None)

    def _samples(self, task: Task) -> Matrix:
        return unit_rows(task.X) if self.unit_rows else task.X

    def _without_maps(self, parts: list[Part], F: list[FloatArray]) -> Solution:
        d = parts[0].X.shape[1]
        W = [np.zeros((d, part.k)) for part in parts]
        b = [f.mean(axis=0) for f in F]
        cuts = sum(part.k - float(np.sum(f * (part.K @ f))) for part, f in zip(parts, F, strict=True))
        return Solution(F, W, b, [cuts + self.beta * d * SMOOTHING ** (self.p / 2)])

    def _labels(self, F: FloatArray, task: Task) -> IntArray:
        if self.discretize == "rotation":
            return rotation_labels(F, task.n_clusters, seed=derive_seed(self.random_state, task.name))
        return self._partition(F, task.n_clusters, task.name)


def _squared_row_norms(W: list[FloatArray]) -> FloatArray:
    total: FloatArray = np.sum([squared_norms(w) for w in W], axis=0)
    return total
