"""Mercer kernels, known by their products with matrices, and kernel k-means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from lcbench import FloatArray, IntArray, Matrix
from lcbench_spectral.affinity import typical
from lcbench_spectral.neighbours import squared_distances
from lcbench_spectral.scaling import squared_norms

KMEANS_ITERATIONS = 300
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class LinearKernel:
    """K = X Xᵀ, never formed: memory and time are linear in the number of samples."""

    X: Matrix
    diagonal: FloatArray = field(init=False)  # k(x, x) of every sample

    def __post_init__(self) -> None:
        object.__setattr__(self, "diagonal", squared_norms(self.X))

    def times(self, P: FloatArray, rows: slice = slice(None)) -> FloatArray:
        """K[:, rows] P = X (X[rows]ᵀ P)."""
        product: FloatArray = self.X @ (self.X[rows].T @ P)
        return product

    def block(self, rows: slice) -> LinearKernel:
        """The kernel of some of the samples alone."""
        return LinearKernel(self.X[rows])


@dataclass(frozen=True, slots=True, eq=False)
class DenseKernel:
    """K as a matrix: quadratic in the number of samples."""

    K: FloatArray

    @classmethod
    def gaussian(cls, X: Matrix) -> DenseKernel:
        """K_ij = exp(-d_ij² / (2 sigma²)), 2 sigma² the median of d² over all pairs of samples."""
        K = squared_distances(X)
        K /= -typical(K[np.tri(len(K), k=-1, dtype=bool)], overwrite=True)
        return cls(np.exp(K, out=K))

    @property
    def diagonal(self) -> FloatArray:
        """The diagonal of K."""
        return np.diagonal(self.K)

    def times(self, P: FloatArray, rows: slice = slice(None)) -> FloatArray:
        """K[:, rows] P."""
        product: FloatArray = self.K[:, rows] @ P
        return product

    def block(self, rows: slice) -> DenseKernel:
        """A view of the block."""
        return DenseKernel(self.K[rows, rows])


Kernel: TypeAlias = LinearKernel | DenseKernel


def kernel_distances(kernel: Kernel, labels: IntArray, k: int) -> FloatArray:
    """||phi(x_i) - mean of cluster k||² for all samples and clusters; infinite for an empty cluster."""
    H = np.eye(k)[labels]
    sizes = H.sum(axis=0)
    shares = np.divide(H, sizes, out=np.zeros_like(H), where=sizes > 0)
    inner = kernel.times(shares)
    squares = np.einsum("ik,ik->k", shares, inner)
    total = kernel.diagonal[:, None] + squares[None, :]
    D: FloatArray = total - 2.0 * inner
    D[ROUNDING * total > D] = 0.0
    D[:, sizes == 0] = np.inf
    return D


def kernel_loss(kernel: Kernel, labels: IntArray, k: int) -> float:
    """The mean squared distance of the samples from the mean of their cluster in feature space."""
    return float(kernel_distances(kernel, labels, k)[np.arange(len(labels)), labels].mean())


def kernel_lloyd(kernel: Kernel, labels: IntArray, k: int) -> IntArray:
    """Kernel k-means from a partition, until it stays. An empty cluster takes the sample that is farthest off."""
    everyone = np.arange(len(labels))
    for _ in range(KMEANS_ITERATIONS):
        D = kernel_distances(kernel, labels, k)
        new = np.argmin(D, axis=1).astype(np.int64)
        own = D[everyone, new]
        for cluster in np.flatnonzero(np.bincount(new, minlength=k) == 0):
            far = np.argmax(own)
            if own[far] > 0:
                new[far], own[far] = cluster, 0.0
        if (new == labels).all():
            break
        labels = new
    return labels


def kernel_kmeans(kernel: Kernel, k: int, *, n_init: int, seed: int) -> IntArray:
    """The best of `n_init` runs of kernel k-means from greedy k-means++ starts."""
    generator = np.random.default_rng(seed)
    runs = [kernel_lloyd(kernel, _plus_plus(kernel, k, generator), k) for _ in range(n_init)]
    return min(runs, key=lambda labels: kernel_loss(kernel, labels, k)) if n_init > 1 else runs[0]


def _plus_plus(kernel: Kernel, k: int, generator: np.random.Generator) -> IntArray:
    """The samples by the nearest of k of them, each drawn as the best of 2 + log k draws by squared distance.

    References
    ----------
    Arthur, Vassilvitskii: k-means++: The Advantages of Careful Seeding. SODA 2007.
    """
    diagonal = kernel.diagonal
    n = len(diagonal)
    labels = np.zeros(n, dtype=np.int64)
    nearest = _distances_to(kernel, generator.integers(n, size=1))[:, 0]
    for cluster in range(1, k):
        total = nearest.sum()
        chances = nearest / total if total > 0 else None
        candidates = _distances_to(kernel, generator.choice(n, size=2 + int(np.log(k)), p=chances))
        chosen = candidates[:, np.argmin(np.minimum(candidates, nearest[:, None]).sum(axis=0))]
        labels[chosen < nearest] = cluster
        nearest = np.minimum(chosen, nearest)
    return labels


def _distances_to(kernel: Kernel, samples: IntArray) -> FloatArray:
    """||phi(x_i) - phi(x_j)||² for all i, and the samples j."""
    diagonal = kernel.diagonal
    P = np.zeros((len(diagonal), len(samples)))
    P[samples, np.arange(len(samples))] = 1.0
    total = diagonal[:, None] + diagonal[samples][None, :]
    squared: FloatArray = total - 2.0 * kernel.times(P)
    squared[squared < ROUNDING * total] = 0.0
    return squared
