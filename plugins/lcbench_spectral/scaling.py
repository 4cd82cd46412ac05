"""Scales the rows and columns of matrices: to length 1, by degrees, and by both sides of a bipartite graph."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lcbench import FloatArray, Matrix, Task, UnsuitableTaskError

BLOCK = 50_000  # entries that are scaled at a time


def inverse_root(sums: FloatArray) -> FloatArray:
    """1 / sqrt(sums), 0 where a sum is 0."""
    root: FloatArray = np.sqrt(sums)
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)


def scaled(X: Matrix, rows: FloatArray, columns: FloatArray | None = None) -> Matrix:
    """diag(rows) X diag(columns); a CSR array stays one."""
    if not sparse.issparse(X):
        product = X * rows[:, None]
        if columns is not None:
            product *= columns  # in its place: of large matrices to get memory takes longer than to multiply
        return product
    data = X.data * np.repeat(rows, np.diff(X.indptr))
    if columns is not None:
        data = data * columns[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def squared_norms(X: Matrix) -> FloatArray:
    """The squared length of every row."""
    if sparse.issparse(X):
        return _row_sums(X, X.data * X.data)
    norms: FloatArray = np.einsum("ij,ij->i", X, X)
    return norms


def _row_sums(X: Matrix, values: FloatArray) -> FloatArray:
    """The sums of the rows of a CSR array with other values; SciPy's to the bit, without its checks."""
    sums, filled = np.zeros(X.shape[0]), np.flatnonzero(np.diff(X.indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(values, X.indptr[filled])
    return sums


def unit_rows(X: Matrix) -> Matrix:
    """The rows of `X` scaled to length 1; zero rows stay."""
    return scaled(X, inverse_root(squared_norms(X)))


def normalise(W: Matrix) -> Matrix:
    """D^-1/2 W D^-1/2, D the sums of the rows of a symmetric W; a row that sums to zero stays zero."""
    scale = inverse_root(np.asarray(W.sum(axis=1)).ravel())
    return scaled(W, scale, scale)


def bipartite(X: Matrix, *, single_from: float = np.inf) -> Matrix:
    """Â = D1^-1/2 X D2^-1/2, D1 and D2 the sums of the rows and columns of X >= 0; zero where a sum is zero.

    Zero columns are ordinary: a word that is absent from a task. A dense Â of so many entries as `single_from` is in
    single precision.
    """
    if not sparse.issparse(X):
        rows, columns = inverse_root(X.sum(axis=1)), inverse_root(X.sum(axis=0))
        if X.size < single_from:
            return scaled(X, rows, columns)
        narrow = np.empty(X.shape, dtype=np.float32)
        step = max(1, BLOCK // X.shape[1])
        for start in range(0, len(X), step):  # in double precision: of sums near 0 the roots are too large for single
            here = slice(start, start + step)
            narrow[here] = scaled(X[here], rows[here], columns)
        return narrow
    sums: FloatArray = np.bincount(X.indices, X.data, minlength=X.shape[1]).astype(np.float64, copy=False)
    return scaled(X, inverse_root(_row_sums(X, X.data)), inverse_root(sums))


def check_not_negative(task: Task, method: str, otherwise: str) -> None:
    """Refuse a task with negative features; `otherwise` says what else than a shift the user can do."""
    lowest = float((task.X.data if sparse.issparse(task.X) else task.X).min(initial=0.0))
    if lowest < 0:
        raise UnsuitableTaskError(
            f"{method} needs features that are not negative, but task '{task.name}' has {lowest:g} among them: "
            f"let the stream scale them (transform=minmax), shift them for all tasks alike, or use {otherwise}."
        )
