"""The nearest neighbours of every row of a matrix, exact: all rows compared, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix
from lcbench_spectral.gram import all_products, rough_products
from lcbench_spectral.scaling import squared_norms

Edges: TypeAlias = tuple[IntArray, IntArray, FloatArray]  # i, j and d² of pairs of rows, each i with its neighbours j

CHUNK_BYTES = 4_000_000  # a block that fits into the cache is three times as quick as one of 32 MB
SMALL_BLOCK = 32_768  # entries of a block where all products are there
ROUNDING = 1e-12
ROUGH_FROM = 2000  # rows: of fewer, all exact cosines take no longer than rough ones and a second look
BLOCK = 512  # rows whose rough cosines are computed at a time
GROUPS = 64  # of a row of cosines: the tenth largest of their maxima is hardly less than the tenth largest entry
MANY_SUMS = 50  # over those of the products of a matrix: if dense ones have more, most cosines are 0, and many alike


def nearest_pairs(X: Matrix, count: int, *, unit: bool) -> Edges:
    """The `count` nearest other rows of every row with their squared Euclidean distances.

    `unit` says that all rows have length 1: of many sparse ones rough cosines then decide which are looked at.
    """
    if unit and sparse.issparse(X) and X.shape[0] >= ROUGH_FROM and _extra_sums(X) < MANY_SUMS:
        return _by_rough_cosines(X, count)
    parts = []
    for start, block in _blocks(X):
        rows = np.arange(len(block))
        block[rows, start + rows] = np.inf
        nearest = _smallest(block, count)
        squared = np.take_along_axis(block, nearest, axis=1)
        parts.append((np.repeat(start + rows, count), nearest.ravel(), squared.ravel()))
    i, j, squared = (np.concatenate(column) for column in zip(*parts, strict=True))
    return i, j, squared


def _smallest(block: FloatArray, count: int) -> IntArray:
    """The places of the `count` smallest entries of each row, in any order.

    They are those of `argpartition`, which takes two or three times as long where it has no AVX-512: it alone says
    which of several equal entries at the last place are taken.
    """
    last = np.partition(block, count - 1, axis=1)[:, count - 1, None]
    found = block <= last
    tied = np.flatnonzero(np.count_nonzero(found, axis=1) > count)
    if len(tied):
        found[tied] = False
        found[tied[:, None], np.argpartition(block[tied], count - 1, axis=1)[:, :count]] = True
    places: IntArray = np.flatnonzero(found).reshape(-1, count) % block.shape[1]
    return places


def _blocks(X: Matrix) -> Iterator[tuple[int, FloatArray]]:
    n = X.shape[0]
    if not sparse.issparse(X) or n >= ROUGH_FROM:
        yield from squared_distance_chunks(X)
        return
    squares, products = squared_norms(X), all_products(X)
    rows = max(1, SMALL_BLOCK // n)
    for start in range(0, n, rows):
        here = slice(start, start + rows)
        yield start, _from_products(products[here], squares[here], squares)


def squared_distance_chunks(X: Matrix) -> Iterator[tuple[int, FloatArray]]:
    """Blocks of rows of the matrix of squared Euclidean distances, each with the number of its first row.

    Rows that differ by no more than rounding have distance 0 exactly.
    """
    if not sparse.issparse(X):
        X = X - X.mean(axis=0)  # a large common offset would cancel away the digits that count
    n = X.shape[0]
    squares = squared_norms(X)
    rows = max(1, CHUNK_BYTES // (8 * n))
    transposed = X.T.tocsr() if sparse.issparse(X) else X.T
    for start in range(0, n, rows):
        product = X[start : start + rows] @ transposed
        block = product.toarray() if sparse.issparse(product) else product
        yield start, _from_products(block, squares[start : start + rows], squares)


def squared_distances(X: Matrix) -> FloatArray:
    """The matrix of all squared Euclidean distances."""
    if sparse.issparse(X):
        squares = squared_norms(X)
        return _from_products(all_products(X), squares, squares)
    n = X.shape[0]
    squared = np.empty((n, n))
    for start, block in squared_distance_chunks(X):
        squared[start : start + len(block)] = block
    return squared


def _from_products(products: FloatArray, squares: FloatArray, others: FloatArray) -> FloatArray:
    """Squared distances from products of rows, which are overwritten, and the squared lengths of these rows."""
    total = squares[:, None] + others
    products *= -2.0
    products += total
    low = np.flatnonzero(products < ROUNDING * total.max())  # few: the others need no closer look
    products.flat[low[products.flat[low] < ROUNDING * total.flat[low]]] = 0.0
    return products


def _extra_sums(X: Matrix) -> float:
    """Sums in the product of X with dense columns, over those in its product with sparse ones."""
    shared = np.bincount(X.indices, minlength=X.shape[1]).astype(np.float64)
    return float(X.shape[0] * X.nnz / max(1.0, float(shared @ shared)))


def _by_rough_cosines(X: Matrix, count: int) -> Edges:
    """The nearest of sparse unit rows, ties by number.

    Rough cosines, in single precision and each pair once, give every row a cosine that `count` others reach. Those
    that reach it, less what rounding can amount to, are compared exactly.
    """
    n = X.shape[0]
    slack = np.float32((np.diff(X.indptr).max() + 2) * 2.0**-23)
    least = np.full(n, -np.inf, dtype=np.float32)
    found = []
    for top, cosines in rough_products(X, BLOCK):
        np.fill_diagonal(cosines, -np.inf)
        rows, columns = least[top : top + len(cosines)], least[top:]
        np.maximum(columns, _reached(cosines.T, count) - slack, out=columns)
        np.maximum(rows, _reached(cosines, count) - slack, out=rows)
        high = np.flatnonzero((cosines >= rows[:, None]) | (cosines >= columns))
        i, j = np.divmod(high, cosines.shape[1])
        once = i < j
        found.append((top + i[once], top + j[once], cosines.ravel()[high[once]]))
    i, j, cosine = (np.concatenate(column) for column in zip(*found, strict=True))
    least = _largest(np.concatenate([i, j]), np.concatenate([cosine, cosine]), n, count) - slack
    again = (cosine >= least[i]) | (cosine >= least[j])  # few: the bounds were lower when these pairs were found
    i, j, cosine = i[again], j[again], cosine[again]
    squared = exact_squared_distances(X, i, j)
    both = np.concatenate([cosine >= least[i], cosine >= least[j]])
    i, j = np.concatenate([i, j])[both], np.concatenate([j, i])[both]
    return nearest_found((i, j, np.concatenate([squared, squared])[both]), count)


def nearest_found(edges: Edges, count: int) -> Edges:
    """The `count` nearest of the neighbours found for each row, which are as many or more; ties by number."""
    i, j, squared = edges
    order = np.lexsort((j, squared, i))
    first = np.searchsorted(i[order], np.unique(i))
    chosen = order[(first[:, None] + np.arange(count)).ravel()]
    return i[chosen], j[chosen], squared[chosen]


def _largest(row: IntArray, cosine: NDArray[np.float32], n: int, count: int) -> FloatArray:
    """For each of n rows, which all have as many, the `count`-th largest of its cosines, to nine digits or more."""
    ordered = np.sort(4.0 * row - cosine)  # by row, and in each by falling cosine
    place = np.cumsum(np.bincount(row, minlength=n)[:-1])
    largest: FloatArray = 4.0 * np.arange(n) - ordered[np.concatenate([[0], place]) + count - 1]
    return largest


def _reached(cosines: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """For each row a cosine that at least `count` of its entries reach; -inf where there are hardly as many."""
    columns = cosines.shape[1]
    groups = max(GROUPS, 4 * count)
    each = columns // groups
    if not each:
        return np.full(len(cosines), -np.inf, dtype=np.float32)
    if cosines.flags.c_contiguous:
        maxima = cosines[:, : each * groups].reshape(-1, each, groups).max(axis=1)
    else:
        maxima = cosines.T[: each * groups].reshape(each, groups, -1).max(axis=0).T
    reached: NDArray[np.float32] = np.partition(maxima, groups - count, axis=1)[:, groups - count]
    return reached


def exact_squared_distances(X: Matrix, i: IntArray, j: IntArray) -> FloatArray:
    """The squared distances of pairs of rows, `i` rising; 0 where they differ by no more than rounding."""
    squares = squared_norms(X)
    total = squares[i] + squares[j]
    squared = total - 2.0 * _pair_products(X, i, j) if sparse.issparse(X) else _pair_differences(X, i, j)
    squared[squared < ROUNDING * total] = 0.0
    return squared


def _pair_differences(X: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    squared = np.empty(len(i))
    step = max(1, CHUNK_BYTES // (8 * X.shape[1]))
    for start in range(0, len(i), step):
        here = slice(start, start + step)
        squared[here] = squared_norms(X[i[here]] - X[j[here]])
    return squared


def _pair_products(X: Matrix, i: IntArray, j: IntArray) -> FloatArray:
    """The products of pairs of sparse rows, `i` rising: by a dense copy of some rows at a time."""
    n, d = X.shape
    products = np.empty(len(i))
    rows = max(1, CHUNK_BYTES // (8 * d))
    dense = np.zeros(rows * d)
    for start in range(0, n, rows):
        pairs = slice(*np.searchsorted(i, [start, start + rows]))
        here, others = X[start : start + rows], X[j[pairs]]
        own = here.indices + np.repeat(np.arange(here.shape[0]) * d, np.diff(here.indptr))
        dense[own] = here.data
        places = others.indices + np.repeat((i[pairs] - start) * d, np.diff(others.indptr))
        places = places.astype(others.indices.dtype)
        products[pairs] = (
            sparse.csr_array((others.data, places, others.indptr), shape=(others.shape[0], len(dense))) @ dense
        )
        dense[own] = 0.0
    return products
