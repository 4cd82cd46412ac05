"""Products of all pairs of rows of a sparse matrix, each pair once, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import _sparsetools  # SciPy's product goes through everything twice, to learn first how long it gets

from lcbench import FloatArray, Matrix

OFTEN = 0.1  # a feature of more than this share of the rows costs less in a dense product
TOGETHER = 16  # rows whose partners are gathered at a time: few enough to stay in the cache
BAND = 150  # about as many rows of all products are computed at a time, and their half below the diagonal in vain


def rough_products(X: Matrix, rows: int) -> Iterator[tuple[int, Any]]:
    """Blocks of `rows` rows of X Xᵀ in single precision, each with the number t of its first row and columns from t on.

    A block is overwritten by the next.
    """
    n = X.shape[0]
    dense, others = _split(X.astype(np.float32))
    sums = _HalfProducts(others)
    room = np.empty(n + min(rows, n) * n, dtype=np.float32)
    for top in range(0, n, rows):
        end, width = min(n, top + rows), n - top
        block = room[top : top + (end - top) * width].reshape(-1, width)
        np.matmul(dense[top:end], dense[top:].T, out=block)
        sums.add(top, end, room, width)
        yield top, block


def all_products(X: Matrix) -> FloatArray:
    """X Xᵀ as a dense matrix: the sums go along the features of a row, and are those of SciPy's product to the bit."""
    n, kind = X.shape[0], X.indices.dtype
    found = np.zeros((n, n))
    rows = -(-n // max(1, round(n / BAND)))
    for top in range(0, n, rows):
        end = min(n, top + rows)
        later, height = X[top:].T.tocsr(), end - top
        start, room = np.empty(height + 1, dtype=kind), height * (n - top)
        columns, values = np.empty(room, dtype=kind), np.empty(room)
        _sparsetools.csr_matmat(
            height, n - top, X.indptr[top : end + 1], X.indices, X.data, later.indptr, later.indices, later.data,
            start, columns, values,
        )  # fmt: skip
        columns[: start[-1]] += top
        _sparsetools.csr_todense(height, n, start, columns, values, found[top:end])
        found[end:, top:end] = found[top:end, end:].T
    return found


class _HalfProducts:
    """Adds up the products of some rows of a sparse X with all later ones."""

    def __init__(self, X: Matrix) -> None:
        having = X.T.tocsr()  # for each feature the rows that have it
        kind = having.indices.dtype
        self.values, self.begin, self.features = X.data, X.indptr.tolist(), X.indices.astype(kind, copy=False)
        self.having = having
        self.bounds = np.repeat(having.indptr, 2)[1:-1]  # where the rows of each feature that count begin and end
        self.lengths = np.diff(having.indptr)

    def add(self, top: int, end: int, to: Any, width: int) -> None:
        """Add the product of row top + r with row j, for all j >= top, to the entry r * width + j."""
        n, kind = len(self.begin) - 1, self.lengths.dtype
        for low in range(top, end, TOGETHER):
            high = min(end, low + TOGETHER)
            first = self.begin[low]
            wanted = self.features[first : self.begin[high]]
            start = np.zeros(len(wanted) + 1, dtype=kind)
            np.cumsum(self.lengths[wanted], out=start[1:])
            partners, values = np.empty(start[-1], dtype=kind), np.empty(start[-1], dtype=to.dtype)
            _sparsetools.csr_row_index(
                len(wanted), 2 * wanted, self.bounds, self.having.indices, self.having.data, partners, values
            )
            for row in range(low, high):
                a, b = self.begin[row], self.begin[row + 1]
                at = (row - top) * width
                _sparsetools.csc_matvec(
                    n, b - a, start[a - first : b - first + 1], partners, values, self.values[a:b], to[at : at + n]
                )
        passed = np.bincount(self.features[self.begin[top] : self.begin[end]], minlength=len(self.lengths))
        self.bounds[::2] += passed.astype(kind)
        self.lengths -= passed.astype(kind)


def _split(X: Matrix) -> tuple[FloatArray, Matrix]:
    """The frequent features of X as a dense matrix, and X without them."""
    often = np.bincount(X.indices, minlength=X.shape[1]) > OFTEN * X.shape[0]
    rare = ~often[X.indices]
    start = np.concatenate([[0], np.cumsum(rare)])[X.indptr].astype(X.indptr.dtype)
    others = sparse.csr_array((X.data[rare], X.indices[rare], start), shape=X.shape)
    return np.ascontiguousarray(X[:, np.flatnonzero(often)].toarray()), others
