"""MTSC: Multitask Spectral Clustering by exploring intertask correlation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh

from lcbench.errors import UnsuitableTaskError
from lcbench.multitask import MultiTaskClusterer
from lcbench.seeds import derive_seed
from lcbench.task import FloatArray, IntArray, Matrix, Task
from lcbench_multitask.discretise import rotation_labels
from lcbench_spectral.affinity import CHUNK_BYTES, unit_rows
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.memory import check_pairs_fit
from lcbench_spectral.scaling import scaled
from lcbench_spectral.spectral import SpectralClusterer

SMOOTHING = 1e-8  # of the squared norm of a row of W
RIDGE_FLOOR = 1e-8  # of beta / alpha
DENSE_UP_TO = 600  # below, all eigenvalues cost less than a few by iteration
EXTRA, DEPTH, RESTARTS, RESIDUAL = 4, 8, 100, 1e-6  # of the block Krylov iteration
BYTES_PER_PAIR = {"knn": 16, "full": 40}  # G and what it is made from; a full graph takes more


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A task as the solver sees it: samples, normalised affinity, number of clusters."""

    X: Matrix
    K: Any
    k: int


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The embeddings F_t (n_t x k_t), the maps W_t (d x k_t) with intercepts b_t, and the objective per iteration."""

    F: list[FloatArray]
    W: list[FloatArray]
    b: list[FloatArray]
    trace: list[float]


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

    An iteration takes the time of a Cholesky factorisation of n_t x n_t for every task, and memory for a few dense
    matrices of that size: a task for which there is no room is refused.

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
    objective_trace_ : list of float
        The smoothed objective after each iteration of the last refit.

    References
    ----------
    Yang, Ma, Yang, Nie, Shen: Multitask Spectral Clustering by Exploring Intertask Correlation. IEEE T-Cyb 2015.
    Yu, Shi: Multiclass Spectral Clustering. ICCV 2003 (the rotation).
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        beta: float = 0.03,
        p: float = 1.0,
        discretize: str = "kmeans",
        unit_rows: bool = True,
        max_iter: int = 50,
        tol: float = 1e-5,
        affinity: str = "knn",
        metric: str = "cosine",
        n_neighbors: int = 10,
        sigma: float | str = "median",
        normalize_rows: bool = True,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            affinity=affinity,
            metric=metric,
            n_neighbors=n_neighbors,
            sigma=sigma,
            normalize_rows=normalize_rows,
            random_state=random_state,
        )
        self.alpha = alpha
        self.beta = beta
        self.p = p
        self.discretize = discretize
        self.unit_rows = unit_rows
        self.max_iter = max_iter
        self.tol = tol

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """Embed all tasks together, and partition each embedding."""
        if self.alpha > 0:
            for task in tasks:
                check_pairs_fit(task, "mtsc", BYTES_PER_PAIR[self.affinity])
        solution = self.solve(tasks)
        self.objective_trace_ = solution.trace
        self.feature_norms_: FloatArray = np.sqrt(_squared_row_norms(solution.W))
        return [self._labels(F, task) for F, task in zip(solution.F, tasks, strict=True)]

    def solve(self, tasks: Sequence[Task]) -> Solution:
        """The minimiser found for these tasks."""
        parts = [
            Part(unit_rows(task.X)[0] if self.unit_rows else task.X, self._graph(task.X), task.n_clusters)
            for task in tasks
        ]
        F = [leading_eigenvectors(part.K, part.k) for part in parts]
        if self.alpha == 0:
            return self._without_maps(parts, F)
        c = max(self.beta / self.alpha, RIDGE_FLOOR)
        spread = np.ones(tasks[0].n_features)  # the diagonal of D^-1
        trace: list[float] = []
        for _ in range(self.max_iter):
            steps = [_embed(part, spread, self.alpha, c, start) for part, start in zip(parts, F, strict=True)]
            F, W, b = [step[0] for step in steps], [step[1] for step in steps], [step[2] for step in steps]
            squares = _squared_row_norms(W) + SMOOTHING
            trace.append(sum(step[3] for step in steps) + c * self.alpha * float(np.sum(squares ** (self.p / 2))))
            if len(trace) > 1 and abs(trace[-2] - trace[-1]) <= self.tol * abs(trace[-2]):
                break
            spread = 2.0 / self.p * squares ** (1.0 - self.p / 2)
        return Solution(F, W, b, trace)

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
    total: FloatArray = np.sum([np.einsum("ij,ij->i", w, w) for w in W], axis=0)
    return total


def _embed(
    part: Part, spread: FloatArray, alpha: float, c: float, start: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """F, W and b of a task for fixed D, and its part of the objective without the norm of W.

    With Z = (G + c I)^-1 F the regression leaves X W + 1 bᵀ - F = 1 mean(F) - c Z.
    """
    n = part.X.shape[0]
    G = centred_gram(part.X, spread)
    G.flat[:: n + 1] += c
    try:
        factor = cho_factor(G, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise UnsuitableTaskError(
            "mtsc cannot solve its regressions on features as large as these: set unit_rows, or raise beta."
        ) from None

    def solve(V: FloatArray) -> FloatArray:
        solved: FloatArray = cho_solve(factor, V, check_finite=False)
        return solved

    def apply(V: FloatArray) -> FloatArray:
        applied: FloatArray = part.K @ V + alpha * (V.mean(axis=0) - c * solve(V))
        return applied

    dense = n <= max(DENSE_UP_TO, 2 * DEPTH * (part.k + EXTRA))
    F = _dense_leading(apply, part.k, n) if dense else _krylov_leading(apply, start)
    Z = solve(F)
    W = spread[:, None] * (part.X.T @ (Z - Z.mean(axis=0)))
    b = F.mean(axis=0) - np.asarray(part.X.T @ np.full(n, 1.0 / n)) @ W
    left = F.mean(axis=0) - c * Z
    return F, W, b, part.k - float(np.sum(F * (part.K @ F))) + alpha * float(np.sum(left * left))


def centred_gram(X: Matrix, spread: FloatArray) -> FloatArray:
    """The lower triangle of H X diag(spread) Xᵀ H; above it there may be anything. Fortran order, for LAPACK."""
    n = X.shape[0]
    root = np.sqrt(spread)
    if not sparse.issparse(X):
        Y = (X - X.mean(axis=0)) * root
        return np.asfortranarray(Y @ Y.T)
    Y = scaled(X, np.ones(n), root)
    G = np.zeros((n, n), order="F")
    step = max(1, min(CHUNK_BYTES // (8 * n), 500))
    for first in range(0, n, step):
        last = min(first + step, n)
        G[first:last, :last] = (Y[first:last] @ Y[:last].T).toarray()
    mean = np.asarray(Y.T @ np.full(n, 1.0 / n))
    along = np.asarray(Y @ mean) - 0.5 * float(mean @ mean)
    G -= along[:, None]
    G -= along[None, :]
    return G


def _dense_leading(apply: Callable[[FloatArray], FloatArray], k: int, n: int) -> FloatArray:
    M = apply(np.eye(n))
    vectors: FloatArray = eigh((M + M.T) / 2.0, subset_by_index=(n - k, n - 1))[1][:, ::-1]
    return vectors


def _krylov_leading(apply: Callable[[FloatArray], FloatArray], start: FloatArray) -> FloatArray:
    """The leading eigenvectors of a symmetric operator, by falling eigenvalue, from the columns of `start` on.

    Rayleigh-Ritz on the block Krylov spaces of `start` and a few random columns, restarted with the Ritz vectors. The
    trace never falls below that of `start`, and a block finds multiple eigenvalues, which single vectors may miss.
    """
    n, k = start.shape
    block = np.linalg.qr(np.hstack([start, np.random.default_rng(0).standard_normal((n, EXTRA))]))[0]
    for _ in range(RESTARTS):
        basis, image = block, apply(block)
        last = image
        for _ in range(DEPTH - 1):
            fresh = last
            for _ in range(2):  # once is not enough where little is left over
                fresh = np.linalg.qr(fresh - basis @ (basis.T @ fresh))[0]
            last = apply(fresh)
            basis, image = np.hstack([basis, fresh]), np.hstack([image, last])
        T = basis.T @ image
        values, vectors = np.linalg.eigh((T + T.T) / 2.0)
        values, vectors = values[: -k - EXTRA - 1 : -1], vectors[:, : -k - EXTRA - 1 : -1]
        block = basis @ vectors
        residual = image @ vectors[:, :k] - block[:, :k] * values[:k]
        if np.abs(residual).max() <= RESIDUAL:
            break
    return block[:, :k]
