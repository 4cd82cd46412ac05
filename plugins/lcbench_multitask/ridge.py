"""Ridge regressions on one matrix with many strengths, without a matrix of features by features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lcbench import FloatArray, Matrix

EXACT_UP_TO = 1000  # samples: up to here all eigenvectors of X Xᵀ are cheap
RANK, PASSES = 100, 3  # of the preconditioner above that
TOLERANCE = 1e-10
MAX_ITER = 500


class Ridge:
    """Solves (lam XᵀX + b_j I) w_j = y_j for all columns j at once.

    With all eigenvectors Q of X Xᵀ (n x n) and its eigenvalues S the inverse is

        (1/b) (I - lam Xᵀ Q (b I + lam S)^-1 Qᵀ X)

    and that is used up to 1,000 samples. For more, Q holds the hundred leading ones, approximately: the formula
    preconditions conjugate gradients, and a sparse X is only ever multiplied. From any start no step raises
    ½ wᵀ (lam XᵀX + b I) w - yᵀ w.
    """

    def __init__(self, X: Matrix, lam: float) -> None:
        self.X = X
        self.lam = lam
        self.Q, self.S = _leading_pairs(X)

    def solve(self, Y: FloatArray, b: FloatArray, start: FloatArray) -> FloatArray:
        """The solutions as columns; iterations begin at `start`."""
        if self.Q.shape[1] == len(self.Q):
            return self._precondition(Y, b)
        W = start.copy()
        left = Y - self._apply(W, b)
        goal = TOLERANCE * np.linalg.norm(Y, axis=0)
        direction, before = np.zeros_like(W), np.ones(len(b))
        for _ in range(MAX_ITER):
            if (np.linalg.norm(left, axis=0) <= goal).all():
                break
            Z = self._precondition(left, b)
            product = np.einsum("ij,ij->j", left, Z)
            direction = Z + _ratio(product, before) * direction
            image = self._apply(direction, b)
            step = _ratio(product, np.einsum("ij,ij->j", direction, image))
            W += step * direction
            left -= step * image
            before = product
        return W

    def _apply(self, W: FloatArray, b: FloatArray) -> FloatArray:
        applied: FloatArray = self.lam * (self.X.T @ (self.X @ W)) + b * W
        return applied

    def _precondition(self, V: FloatArray, b: FloatArray) -> FloatArray:
        shrunk = (self.Q.T @ (self.X @ V)) * (self.lam / (b + self.lam * self.S[:, None]))
        preconditioned: FloatArray = (V - self.X.T @ (self.Q @ shrunk)) / b
        return preconditioned


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, 0 where b is 0: a column that is solved stays."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _leading_pairs(X: Any) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of X Xᵀ and their eigenvalues: all, or good enough approximations to the leading ones."""
    n, d = X.shape
    if n <= EXACT_UP_TO:
        gram = X @ X.T
        S, Q = np.linalg.eigh(gram.toarray() if sparse.issparse(gram) else gram)
        return Q, np.maximum(S, 0.0)
    basis = np.random.default_rng(0).standard_normal((n, min(RANK, d)))
    for _ in range(PASSES):
        basis = np.linalg.qr(X @ (X.T @ basis))[0]
    half = X.T @ basis
    S, rotation = np.linalg.eigh(half.T @ half)
    return basis @ rotation, np.maximum(S, 0.0)
