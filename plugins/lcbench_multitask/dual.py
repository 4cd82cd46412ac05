"""The regressions of MTSC in their dual form, for which no matrix of features by features is needed."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from lcbench import FloatArray, IntArray, Matrix, UnsuitableTaskError
from lcbench_spectral.affinity import CHUNK_BYTES
from lcbench_spectral.scaling import scaled

FEATURES_PER_SAMPLE = 0.1  # of ApproximateDual
ROUGHNESS = 50.0  # c times this is the most that the features it leaves out may add
POWER_STEPS = 20


class Dual(Protocol):
    """The matrix A = G + c I, where G = H X D^-1 Xᵀ H and H = I - 11ᵀ/n."""

    def near(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """U and Z with U = A Z, and U near V."""
        ...


def dual_system(X: Matrix, spread: FloatArray, c: float, scatter: float) -> Dual:
    """The cheaper way that serves; `spread` is the diagonal of D^-1.

    Features left out add no more to A than the largest of their spreads times `scatter`, that of X.
    """
    order, count = np.argsort(-spread, kind="stable"), int(FEATURES_PER_SAMPLE * X.shape[0])
    left_out = spread[order[count]] if count < len(order) else 0.0
    if left_out * scatter > ROUGHNESS * c:
        return ExactDual(X, spread, c)
    return ApproximateDual(X, spread, c, np.sort(order[:count]))


class ExactDual:
    """U = V, by a Cholesky factorisation of A: memory quadratic and time cubic in the samples."""

    def __init__(self, X: Matrix, spread: FloatArray, c: float) -> None:
        self.factor = _factor(centred_gram(X, spread), c)

    def near(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V itself, and A^-1 V."""
        return V, cho_solve(self.factor, V, check_finite=False)


class ApproximateDual:
    """Z from the features of large spread alone, and U = A Z from products with all features.

    With Y the columns of X D^-1/2 that belong to the chosen features,

        (H Y Yᵀ H + c I)^-1 = (I - H Y (Yᵀ H Y + c I)^-1 Yᵀ H) / c
    """

    def __init__(self, X: Matrix, spread: FloatArray, c: float, features: IntArray) -> None:
        n = X.shape[0]
        self.X = scaled(X if sparse.issparse(X) else _centred(X), np.ones(n), np.sqrt(spread))
        self.Y = self.X[:, features]
        self.c = c
        B, mean = self.Y.T @ self.Y, np.asarray(self.Y.T @ np.full(n, 1.0 / n))
        self.factor = _factor((B.toarray() if sparse.issparse(B) else B) - n * np.outer(mean, mean), c)

    def near(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A Z, and Z = (H Y Yᵀ H + c I)^-1 V."""
        solved = cho_solve(self.factor, self.Y.T @ _centred(V), check_finite=False)
        Z = (V - _centred(self.Y @ solved)) / self.c
        return _centred(self.X @ (self.X.T @ _centred(Z))) + self.c * Z, Z


def _centred(V: FloatArray) -> FloatArray:
    centred: FloatArray = V - V.mean(axis=0)
    return centred


def _factor(G: FloatArray, c: float) -> Any:
    G.flat[:: len(G) + 1] += c
    try:
        return cho_factor(G, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise UnsuitableTaskError(
            "mtsc cannot solve its regressions on features as large as these: set unit_rows, or raise beta."
        ) from None


def scatter_of(X: Matrix) -> float:
    """The largest eigenvalue of H X Xᵀ H, roughly."""
    v = np.random.default_rng(0).standard_normal(X.shape[0])
    size = 1.0
    for _ in range(POWER_STEPS):
        v = _centred(X @ (X.T @ _centred(v / size)))
        size = float(np.linalg.norm(v))
        if size == 0.0:
            break
    return size


def centred_gram(X: Matrix, spread: FloatArray) -> FloatArray:
    """The lower triangle of H X diag(spread) Xᵀ H; above it there may be anything. Fortran order, for LAPACK."""
    n = X.shape[0]
    root = np.sqrt(spread)
    if not sparse.issparse(X):
        Y = _centred(X) * root
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
