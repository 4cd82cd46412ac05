"""The nearest neighbours of every row of a matrix, exact: all rows compared, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix
from lcbench_spectral.scaling import squared_norms

Edges: TypeAlias = tuple[IntArray, IntArray, FloatArray]  # i, j and d² of pairs of rows, each i with its neighbours j

CHUNK_BYTES = 4_000_000  # a block that fits into the cache is three times as quick as one of 32 MB
ROUNDING = 1e-12
TILED_FROM = 2000  # rows: of fewer, all exact cosines take no longer than rough ones and a second look
TILE = 1024  # rows and columns of a block of rough cosines
GROUPS = 64  # of a row of a tile: the tenth largest of their maxima is hardly less than the tenth largest entry
PAIRS = 20_000  # whose exact cosines are computed at a time
TILE_SUMS = 50  # sums in tiles that take as long as one of a product of two sparse matrices


def nearest_pairs(X: Matrix, count: int, *, unit: bool) -> Edges:
    """The `count` nearest other rows of every row with their squared Euclidean distances.

    `unit` says that all rows have length 1: of many sparse ones rough cosines then decide which are looked at.
    """
    if unit and sparse.issparse(X) and X.shape[0] >= TILED_FROM and _extra_sums(X) < TILE_SUMS:
        return _by_tiles(X, count)
    parts = []
    for start, block in squared_distance_chunks(X):
        rows = np.arange(len(block))
        block[rows, start + rows] = np.inf
        nearest = np.argpartition(block, count - 1, axis=1)[:, :count]
        squared = np.take_along_axis(block, nearest, axis=1)
        parts.append((np.repeat(start + rows, count), nearest.ravel(), squared.ravel()))
    i, j, squared = (np.concatenate(column) for column in zip(*parts, strict=True))
    return i, j, squared


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
        total = squares[start : start + rows, None] + squares[None, :]
        block *= -2.0
        block += total
        block[block < ROUNDING * total] = 0.0
        yield start, block


def squared_distances(X: Matrix) -> FloatArray:
    """The matrix of all squared Euclidean distances."""
    n = X.shape[0]
    squared = np.empty((n, n))
    for start, block in squared_distance_chunks(X):
        squared[start : start + len(block)] = block
    return squared


def _extra_sums(X: Matrix) -> float:
    """Sums in the product of X with dense columns, over those in its product with sparse ones."""
    shared = np.bincount(X.indices, minlength=X.shape[1]).astype(np.float64)
    return float(X.shape[0] * X.nnz / max(1.0, float(shared @ shared)))


def _by_tiles(X: Matrix, count: int) -> Edges:
    """The nearest of sparse unit rows, ties by number.

    Tiles of rough cosines, in single precision and each pair once, give every row a cosine that `count` others reach.
    Those that reach it, less what rounding can amount to, are compared exactly.
    """
    n = X.shape[0]
    rough = X.astype(np.float32)
    slack = np.float32((np.diff(X.indptr).max() + 2) * 2.0**-23)
    least = np.full(n, -np.inf, dtype=np.float32)
    tile = max(1, min(TILE, 8 * CHUNK_BYTES // (4 * X.shape[1])))
    found = []
    for left in range(0, n, tile):
        right = np.ascontiguousarray(rough[left : left + tile].toarray().T)
        for top in range(left, n, tile):
            cosines = rough[top : top + tile] @ right
            rows, columns = least[top : top + tile], least[left : left + tile]
            if top == left:
                np.fill_diagonal(cosines, -np.inf)
            else:
                np.maximum(columns, _reached(cosines.T, count) - slack, out=columns)
            np.maximum(rows, _reached(cosines, count) - slack, out=rows)
            high = np.flatnonzero((cosines >= rows[:, None]) | (cosines >= columns))
            i, j = np.divmod(high, cosines.shape[1])
            found.append((top + i, left + j, cosines.ravel()[high]))
    i, j, cosine = (np.concatenate(column) for column in zip(*found, strict=True))
    again = (i > j) & ((cosine >= least[i]) | (cosine >= least[j]))  # the bounds have risen since
    i, j, cosine = i[again], j[again], cosine[again]
    squared = exact_squared_distances(X, i, j)
    both = np.concatenate([cosine >= least[i], cosine >= least[j]])
    i, j = np.concatenate([i, j])[both], np.concatenate([j, i])[both]
    squared = np.concatenate([squared, squared])[both]
    order = np.lexsort((j, squared, i))
    first = np.searchsorted(i[order], np.arange(n))
    chosen = order[(first[:, None] + np.arange(count)).ravel()]
    return i[chosen], j[chosen], squared[chosen]


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
    """The squared distances of pairs of rows, some pairs at a time; 0 where they differ by no more than rounding."""
    squared = np.empty(len(i))
    is_sparse = sparse.issparse(X)
    squares, ones = squared_norms(X), np.ones(X.shape[1])
    step = PAIRS if is_sparse else max(1, CHUNK_BYTES // (8 * X.shape[1]))
    for start in range(0, len(i), step):
        here = slice(start, start + step)
        one, other = X[i[here]], X[j[here]]
        total = squares[i[here]] + squares[j[here]]
        block = total - 2.0 * (one.multiply(other) @ ones) if is_sparse else squared_norms(one - other)
        squared[here] = np.where(block < ROUNDING * total, 0.0, block)
    return squared
