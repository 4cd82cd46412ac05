"""Embeds a task for MTSC: its regressions in dual form, and eigenvectors by iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh, solve_triangular

from lcbench import FloatArray, IntArray, Matrix, UnsuitableTaskError
from lcbench_spectral.neighbours import CHUNK_BYTES
from lcbench_spectral.scaling import scaled

FEATURES_PER_SAMPLE = 0.1  # of ApproximateDual
ROUGHNESS = 50.0  # c times this is the most that the features it leaves out may add
POWER_STEPS = 20

# of the eigenvectors by iteration
EXTRA = 4  # random columns beside the start
DEPTH = 12  # blocks in the basis before it is made small again
STEPS = 800
RESIDUAL = 1e-7
NOISE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A task as the solver sees it: samples, normalised affinity, number of clusters.

    `scatter` is that of X where the embedding is found by iteration, and None for a small task.
    """

    X: Matrix
    K: Any
    k: int
    scatter: float | None


def embed(
    part: Part, spread: FloatArray, alpha: float, c: float, start: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """F, W and b of a task for fixed D, and its part of the objective without the norm of W.

    With Z = (G + c I)^-1 F the regression leaves X W + 1 bᵀ - F = 1 mean(F) - c Z.
    """
    n = part.X.shape[0]

    def apply(F: FloatArray, Z: FloatArray) -> FloatArray:
        applied: FloatArray = part.K @ F + alpha * (F.mean(axis=0) - c * Z)
        return applied

    if part.scatter is None:
        system = ExactDual(part.X, spread, c)
        M = apply(*system.near(np.eye(n)))
        F = eigh((M + M.T) / 2.0, subset_by_index=(n - part.k, n - 1))[1][:, ::-1]
        Z = system.near(F)[1]
    else:
        F, Z = leading_ritz(dual_system(part.X, spread, c, part.scatter).near, apply, start)
    W = spread[:, None] * (part.X.T @ (Z - Z.mean(axis=0)))
    b = F.mean(axis=0) - np.asarray(part.X.T @ np.full(n, 1.0 / n)) @ W
    left = F.mean(axis=0) - c * Z
    return F, W, b, part.k - float(np.sum(F * (part.K @ F))) + alpha * float(np.sum(left * left))


class ExactDual:
    """Solves with A = G + c I, where G = H X D^-1 Xᵀ H and H = I - 11ᵀ/n, by a Cholesky factorisation.

    Memory is quadratic and time cubic in the samples.
    """

    def __init__(self, X: Matrix, spread: FloatArray, c: float) -> None:
        self.factor = _factor(centred_gram(X, spread), c)

    def near(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """U near V, here V itself, and Z with U = A Z."""
        return V, cho_solve(self.factor, V, check_finite=False)


class ApproximateDual:
    """As `ExactDual`, with Z from the features of large spread alone, and U = A Z from products with all features.

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


def dual_system(X: Matrix, spread: FloatArray, c: float, scatter: float) -> ExactDual | ApproximateDual:
    """The cheaper way that serves; `spread` is the diagonal of D^-1.

    Features left out add no more to A than the largest of their spreads times `scatter`, that of X.
    """
    order, count = np.argsort(-spread, kind="stable"), int(FEATURES_PER_SAMPLE * X.shape[0])
    left_out = spread[order[count]] if count < len(order) else 0.0
    if left_out * scatter > ROUGHNESS * c:
        return ExactDual(X, spread, c)
    return ApproximateDual(X, spread, c, np.sort(order[:count]))


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


def room_needed(k: int) -> int:
    """Samples from which on k eigenvectors can be found by iteration."""
    return 2 * DEPTH * (k + EXTRA)


def leading_ritz(
    near: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    apply: Callable[[FloatArray, FloatArray], FloatArray],
    start: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The leading eigenvectors F of a symmetric operator, by falling eigenvalue, and the Z that belongs to them.

    `near(V)` gives U near V and a Z from which U follows linearly; `apply(U, Z)` is the operator on U. The space of
    `start` and a few random columns grows by the residuals of its Ritz vectors (Davidson's method; block Lanczos where
    U = V), and shrinks to these vectors when it gets large. How near U is to V matters to the number of steps alone. A
    block finds multiple eigenvalues, which single vectors may miss.
    """
    n, k = start.shape
    generator = np.random.default_rng(0)
    U = Z = image = np.empty((n, 0))
    fresh = np.hstack([start, generator.standard_normal((n, EXTRA))])
    width = fresh.shape[1]
    for _ in range(STEPS):
        u, z = near(np.linalg.qr(fresh)[0])
        overlap = U.T @ u
        u, R = np.linalg.qr(u - U @ overlap)
        z = solve_triangular(R, (z - Z @ overlap).T, trans="T", check_finite=False).T
        U, Z, image = np.hstack([U, u]), np.hstack([Z, z]), np.hstack([image, apply(u, z)])
        T = U.T @ image
        values, vectors = np.linalg.eigh((T + T.T) / 2.0)
        values, vectors = values[: -width - 1 : -1], vectors[:, : -width - 1 : -1]
        F, ZF, image_F = U @ vectors, Z @ vectors, image @ vectors
        fresh = image_F - F * values
        if np.abs(fresh[:, :k]).max() <= RESIDUAL:
            break
        fresh += NOISE * generator.standard_normal((n, width))  # a solved column starts anew
        if U.shape[1] >= DEPTH * width:
            U, Z, image = F, ZF, image_F
    return F[:, :k], ZF[:, :k]
