"""Products with narrow dense matrices: of sparse ones, and of large dense ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import _sparsetools
from scipy.sparse.linalg import LinearOperator

from lcbench import FloatArray, Matrix

LARGE = 1_000_000  # entries of a dense matrix: of fewer, one product is as quick as many
SMALL = 500_000  # multiplications in each
FEWEST = 8  # rows or columns in each, or the calls cost too much
READ_ONCE = 400_000  # bytes of rows that stay in the cache from one product to the next
CACHED = 1_000_000  # bytes of a result that stay in the cache while its rows are added to in any order


def transposed(A: Matrix) -> Matrix:
    """Aᵀ, in rows if A is sparse."""
    return A.T.tocsr() if sparse.issparse(A) else A.T


def product(A: Matrix, X: FloatArray) -> FloatArray:
    """A X in double precision, of narrow X; A may be dense and in single precision."""
    found: FloatArray = A @ X if sparse.issparse(A) else _dense_product(A, X).astype(np.float64, copy=False)
    return found


def adder(A: Matrix, At: Matrix) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """The function that adds A X to a matrix, which it returns; X is narrow, `At` the transpose of A.

    SciPy's product of sparse A makes one row of the result after the other. Where the result is small, or smaller than
    X, it is quicker to take one row of X after the other and add it to all rows that it belongs to.
    """
    rows, columns = A.shape
    is_sparse = sparse.issparse(A)
    start, place, values = (At.indptr, At.indices, At.data) if is_sparse else (None, None, None)

    def add(X: FloatArray, to: FloatArray) -> FloatArray:
        k = X.shape[1]
        if not is_sparse:
            to += _dense_product(A, X)
        elif 8 * rows * k > CACHED and rows >= columns:
            to += A @ X
        else:
            _sparsetools.csc_matvecs(rows, columns, k, start, place, values, X.ravel(), to.ravel())
        return to

    return add


def is_large(A: Matrix) -> bool:
    """True for dense A with so many entries that to read them takes as long as to multiply them."""
    return not sparse.issparse(A) and A.size >= LARGE


def product_and_back(A: Any, X: FloatArray, more: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A X and Aᵀ (A X + more) of a large dense A, which is read once: some of its rows at a time, for both."""
    (rows, columns), kind = A.shape, A.dtype
    X, more = X.astype(kind, copy=False), more.astype(kind, copy=False)
    there, back = np.empty((rows, X.shape[1]), dtype=kind), np.zeros(X.shape, dtype=kind)
    step = max(FEWEST, READ_ONCE // (columns * A.itemsize))
    for start in range(0, rows, step):
        here = slice(start, start + step)
        np.matmul(A[here], X, out=there[here])
        back += A[here].T @ (there[here] + more[here])
    return there.astype(np.float64, copy=False), back.astype(np.float64, copy=False)


def add_scaled(factors: FloatArray, X: FloatArray, to: FloatArray) -> FloatArray:
    """Adds diag(factors) X to a matrix, which is returned; of narrow ones quicker than NumPy, which goes row by row."""
    n, k = X.shape
    numbers = np.arange(n + 1, dtype=np.intc)
    _sparsetools.csc_matvecs(n, n, k, numbers, numbers, factors, X.ravel(), to.ravel())
    return to


def _dense_product(A: Any, X: FloatArray) -> Any:
    """A X, of a large and narrow X in parts that are small enough for BLAS to take them as they lie in memory.

    It is as precise as A.
    """
    (rows, columns), k = A.shape, X.shape[1]
    X = X.astype(A.dtype, copy=False)
    is_tall = A.flags.c_contiguous  # or the transpose of a matrix that is
    step = SMALL // (k * (columns if is_tall else rows))
    if not is_large(A) or step < FEWEST:
        return A @ X
    found = np.zeros((rows, k), dtype=A.dtype)
    for start in range(0, rows if is_tall else columns, step):
        part = slice(start, start + step)
        if is_tall:
            np.matmul(A[part], X, out=found[part])
        else:
            A[:, part].sum()  # brings it into the cache in order of memory: half the time of BLAS going across
            found += A[:, part] @ X[part]
    return found


class SquareOperator(LinearOperator):  # type: ignore[misc]
    """A square sparse matrix in rows, as eigsh takes it: without checks, which take longer than short products."""

    def __init__(self, A: Any) -> None:
        self.A = A
        self.dtype, self.shape = A.dtype, A.shape

    def _matvec(self, x: FloatArray) -> FloatArray:
        """A x."""
        n = len(x)
        found = np.zeros(n)
        _sparsetools.csr_matvec(n, n, self.A.indptr, self.A.indices, self.A.data, x, found)
        return found

    matvec = _matvec
