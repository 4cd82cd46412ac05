"""The leading singular vectors of a matrix, dense or sparse, as it is or centred."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds

from lcbench import FloatArray, Matrix

DENSE_BELOW = 100


def right_singular(X: Matrix, k: int, mean: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """The k largest singular values of `X`, or of `X - 1 meanᵀ`, and their right singular vectors as columns.

    There are fewer where `X` is smaller. A sparse `X` is not made dense to be centred, unless one side of it is short.
    """
    smaller = min(X.shape)
    if smaller < DENSE_BELOW or 2 * k + 1 >= smaller:
        dense = X.toarray() if sparse.issparse(X) else X
        _, values, right = np.linalg.svd(dense if mean is None else dense - mean, full_matrices=False)
    else:
        start = np.random.default_rng(0).uniform(-1.0, 1.0, smaller)
        operator = X if mean is None else centred(X, mean)
        _, values, right = svds(operator, k, v0=start, rng=np.random.default_rng(0))
    order = np.argsort(-values, kind="stable")[:k]
    return values[order], right[order].T


def centred(X: Matrix, mean: FloatArray) -> Any:
    """`X - 1 meanᵀ` as a linear operator."""

    def apply(U: FloatArray) -> FloatArray:
        product: FloatArray = X @ U - mean @ U
        return product

    def apply_transposed(V: FloatArray) -> FloatArray:
        product: FloatArray = X.T @ V - (np.outer(mean, V.sum(axis=0)) if V.ndim == 2 else mean * V.sum())
        return product

    return LinearOperator(
        X.shape, dtype=np.float64, matvec=apply, rmatvec=apply_transposed, matmat=apply, rmatmat=apply_transposed
    )
