"""Scaling the rows and columns of a matrix, dense or sparse."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lcbench import FloatArray, Matrix


def inverse_root(sums: FloatArray) -> FloatArray:
    """1 / sqrt(sums), 0 where a sum is 0."""
    root: FloatArray = np.sqrt(sums)
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)


def scaled(X: Matrix, rows: FloatArray, columns: FloatArray | None = None) -> Matrix:
    """diag(rows) X diag(columns); a CSR array stays one."""
    if not sparse.issparse(X):
        product = X * rows[:, None]
        return product if columns is None else product * columns[None, :]
    data = X.data * np.repeat(rows, np.diff(X.indptr))
    if columns is not None:
        data = data * columns[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def squared_norms(X: Matrix) -> FloatArray:
    """The squared length of every row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    norms: FloatArray = np.einsum("ij,ij->i", X, X)
    return norms
