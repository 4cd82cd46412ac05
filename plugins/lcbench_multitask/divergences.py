"""Bregman divergences, and the centroids that minimise them when a coupling pulls those of several tasks together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import wrightomega, xlogy

from lcbench import FloatArray, IntArray, Matrix, Task
from lcbench_spectral.scaling import check_not_negative, scaled, squared_norms
from lcbench_spectral.scaling import unit_rows as scaled_to_unit_rows

ROUNDING = 1e-12
KL_FLOOR = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The samples of a task as a divergence sees them; `constant` is what in d(x, m) depends on x alone."""

    X: Matrix
    k: int
    constant: FloatArray

    @property
    def n(self) -> int:
        """The number of samples."""
        return int(self.X.shape[0])

    def masses(self, labels: IntArray) -> FloatArray:
        """pi_k, the share of the samples in each cluster."""
        masses: FloatArray = np.bincount(labels, minlength=self.k) / self.n
        return masses

    def sums(self, labels: IntArray) -> FloatArray:
        """(1/n) times the sum of the samples of each cluster (k x d)."""
        sums: FloatArray = (self.X.T @ np.eye(self.k)[labels]).T / self.n
        return sums

    def means(self, labels: IntArray, otherwise: FloatArray | None = None) -> FloatArray:
        """The mean of each cluster; an empty one has that of all samples, or its row of `otherwise`."""
        masses, sums = self.masses(labels), self.sums(labels)
        spare = np.tile(sums.sum(axis=0), (self.k, 1)) if otherwise is None else otherwise
        return np.divide(sums, masses[:, None], out=spare.copy(), where=masses[:, None] > 0)


@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """The coupling between the centroids of all tasks.

    R holds the plans of all ordered pairs of tasks (blocks; zero on the diagonal), `weight` = lam / (T - 1) is that of
    one ordered pair.
    """

    R: FloatArray
    blocks: tuple[slice, ...]
    weight: float


class SquaredEuclidean:
    """d(x, m) = ||x - m||²."""

    symmetric = True

    def points(self, task: Task, unit_rows: bool) -> Points:
        """The samples, scaled to length 1 if `unit_rows`."""
        X = scaled_to_unit_rows(task.X) if unit_rows else task.X
        return Points(X, task.n_clusters, squared_norms(X))

    def features(self, points: Points) -> Matrix:
        """The samples as the k-means run of the start takes them: as they are."""
        return points.X

    def distances(self, points: Points, M: FloatArray) -> FloatArray:
        """d(x_i, m_k) = ||x_i||² - 2 x_i m_k + ||m_k||² for all samples and centroids; 0 if no more than rounding."""
        total = points.constant[:, None] + squared_norms(M)[None, :]
        squared: FloatArray = total - 2.0 * (points.X @ M.T)
        squared[squared < ROUNDING * total] = 0.0
        return squared

    def between(self, M: FloatArray) -> FloatArray:
        """||m_k - m_l||²."""
        return self.distances(Points(M, len(M), squared_norms(M)), M)

    def seed(self, x: FloatArray, m: FloatArray) -> FloatArray:
        """A new centroid for a sample `x` that lies far from its own centroid `m`: the sample itself."""
        return x

    def centroids(self, masses: FloatArray, sums: FloatArray, M: FloatArray, coupling: Coupling) -> FloatArray:
        """All centroids at once, by one linear system with as many unknowns as there are clusters.

        (pi_k + w sum_l R_kl) m_k - w sum_l R_kl m_l = (1/n) sum of the samples of cluster k, with w twice the weight of
        an ordered pair, because R is symmetric. An empty cluster keeps its centroid.
        """
        w = 2.0 * coupling.weight
        system = np.diag(masses + w * coupling.R.sum(axis=1)) - w * coupling.R
        empty = masses == 0
        system[empty, empty] = 1.0
        return np.linalg.solve(system, np.where(empty[:, None], M, sums)).astype(np.float64, copy=False)


class GeneralisedKL:
    """d(x, m) = sum_j x_j log(x_j / m_j) - x_j + m_j, for features that are not negative.

    Centroids are kept above KL_FLOOR, and no single sample serves as one: a word it lacks would be infinitely far.
    """

    symmetric = False

    def points(self, task: Task, unit_rows: bool) -> Points:
        """The samples, scaled to the sum 1 if `unit_rows`."""
        X = task.X
        check_not_negative(task, "divergence=kl", "divergence=euclidean")
        if unit_rows:
            sums = np.asarray(X.sum(axis=1)).ravel()
            X = scaled(X, np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0))
        entropy = X.copy()
        if sparse.issparse(X):
            entropy.data = xlogy(X.data, X.data) - X.data
        else:
            entropy = xlogy(X, X) - X
        return Points(X, task.n_clusters, np.asarray(entropy.sum(axis=1)).ravel())

    def features(self, points: Points) -> Matrix:
        """The samples as the k-means run of the start takes them: their square roots, scaled to length 1."""
        return scaled_to_unit_rows(np.sqrt(points.X))

    def distances(self, points: Points, M: FloatArray) -> FloatArray:
        """sum_j (x_j log x_j - x_j) - sum_j x_j log m_j + sum_j m_j."""
        M = np.maximum(M, KL_FLOOR)
        totals = M.sum(axis=1)[None, :]
        divergence: FloatArray = points.constant[:, None] - points.X @ np.log(M).T + totals
        divergence[divergence < ROUNDING * (np.abs(points.constant)[:, None] + totals)] = 0.0
        return divergence

    def between(self, M: FloatArray) -> FloatArray:
        """The divergence of every row of M from every row."""
        return self.distances(Points(M, len(M), (xlogy(M, M) - M).sum(axis=1)), M)

    def seed(self, x: FloatArray, m: FloatArray) -> FloatArray:
        """A new centroid half way between a far sample and its centroid: nearer to x than m is, as d is convex in m."""
        half: FloatArray = np.maximum((x + m) / 2.0, KL_FLOOR)
        return half

    def centroids(self, masses: FloatArray, sums: FloatArray, M: FloatArray, coupling: Coupling) -> FloatArray:
        """Task after task, each exactly for fixed centroids of the others.

        Per coordinate the minimiser solves a log m - b + c - e / m = 0 with a = v sum_l R_kl, b = v sum_l R_kl log m_l,
        c = pi_k + v sum_l R_lk, e = (1/n) sum x + v sum_l R_lk m_l and v the weight. With a > 0 that is
        m = e / (a y), y the Wright omega function of log(e / a) + (c - b) / a, that is y + log y = that. An empty
        cluster keeps its centroid.
        """
        v, R, M = coupling.weight, coupling.R, np.maximum(M, KL_FLOOR)
        alive = masses > 0
        for block in coupling.blocks:
            forth, back = v * R[block], v * R[:, block].T
            c = masses[block] + back.sum(axis=1)
            e = sums[block] + back @ M
            m = _stationary(forth.sum(axis=1), forth @ np.log(M), c, e)
            M[block] = np.where(alive[block, None], np.maximum(m, KL_FLOOR), M[block])
        return M


Divergence: TypeAlias = SquaredEuclidean | GeneralisedKL


def _stationary(a: FloatArray, b: FloatArray, c: FloatArray, e: FloatArray) -> FloatArray:
    """The m with a log m - b + c - e / m = 0; a and c belong to rows. Rows with a = c = 0 are meaningless."""
    m = np.zeros_like(e)
    plain = (a <= 0) & (c > 0)
    m[plain] = e[plain] / c[plain, None]
    pulled = a > 0
    a, b, c, e = a[pulled, None], b[pulled], c[pulled, None], e[pulled]
    with np.errstate(divide="ignore", invalid="ignore"):
        argument = np.log(e / a) + (c - b) / a
        with_samples = e / (a * wrightomega(argument))
    m[pulled] = np.where(argument > -30.0, with_samples, np.exp(np.minimum((b - c) / a, 700.0)))
    return m
