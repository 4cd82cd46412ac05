"""The affinity graph of a task: Gaussian weights over nearest neighbours or over all pairs, and its normalisation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.task import FloatArray, Matrix

CHUNK_BYTES = 32_000_000


def normalised_affinity(X: Matrix, *, affinity: str, metric: str, n_neighbors: int, sigma: float | str) -> Any:
    """K = D^-1/2 W D^-1/2 with W_ij = exp(-d_ij² / (2 sigma²)), W_ii = 0.

    With `affinity="knn"` W keeps the pairs of which one is among the other's `n_neighbors` nearest, and K is a CSR
    array; nothing n x n is made. With `"full"` K is a dense array over all pairs. `d` is the Euclidean distance, or for
    `metric="cosine"` that of the rows scaled to length 1, so that d² = 2 - 2 cos. `sigma="median"` takes the median
    of d² over the edges as sigma². A row with no edge, such as a zero row under cosine, stays zero in K.
    """
    if metric == "cosine":
        X, alive = unit_rows(X)
    else:
        alive = np.ones(X.shape[0], dtype=bool)
    if affinity == "full":
        return _normalise_dense(_full_weights(X, alive, sigma))
    return normalise_sparse(_knn_weights(X, alive, n_neighbors, sigma))


def unit_rows(X: Matrix) -> tuple[Matrix, np.ndarray[Any, np.dtype[np.bool_]]]:
    """The rows of `X` scaled to length 1, and which of them are not zero."""
    if sparse.issparse(X):
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        scaled = sparse.csr_array((X.data * np.repeat(scale, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
        return scaled, norms > 0
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    return X * np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)[:, None], norms > 0


def squared_distance_chunks(X: Matrix) -> Iterator[tuple[int, FloatArray]]:
    """Blocks of rows of the matrix of squared Euclidean distances, each with the number of its first row."""
    n = X.shape[0]
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    rows = max(1, CHUNK_BYTES // (8 * n))
    transposed = X.T.tocsr() if sparse.issparse(X) else X.T
    for start in range(0, n, rows):
        product = X[start : start + rows] @ transposed
        block = product.toarray() if sparse.issparse(product) else product
        block *= -2.0
        block += squares[None, :]
        block += squares[start : start + rows, None]
        np.maximum(block, 0.0, out=block)
        yield start, block


def _knn_weights(X: Matrix, alive: np.ndarray[Any, Any], n_neighbors: int, sigma: float | str) -> Any:
    n = X.shape[0]
    count = min(n_neighbors, int(alive.sum()) - 1)
    if count < 1:
        return sparse.csr_array((n, n))
    sources, targets, values = [], [], []
    for start, block in squared_distance_chunks(X):
        rows = np.arange(len(block))
        block[:, ~alive] = np.inf
        block[rows, start + rows] = np.inf
        nearest = np.argpartition(block, count - 1, axis=1)[:, :count]
        keep = alive[start + rows]
        sources.append(np.repeat(start + rows[keep], count))
        targets.append(nearest[keep].ravel())
        values.append(np.take_along_axis(block, nearest, axis=1)[keep].ravel())
    i, j, squared = np.concatenate(sources), np.concatenate(targets), np.concatenate(values)
    low, high = np.minimum(i, j), np.maximum(i, j)
    _, first = np.unique(low.astype(np.int64) * n + high, return_index=True)
    low, high, squared = low[first], high[first], squared[first]
    weights = np.exp(-squared / (2.0 * _sigma_squared(squared, sigma)))
    upper = sparse.csr_array((weights, (low, high)), shape=(n, n))
    return (upper + upper.T).tocsr()


def _full_weights(X: Matrix, alive: np.ndarray[Any, Any], sigma: float | str) -> FloatArray:
    n = X.shape[0]
    squared = np.empty((n, n))
    for start, block in squared_distance_chunks(X):
        squared[start : start + len(block)] = block
    squared = (squared + squared.T) / 2.0
    pairs = squared[np.triu(np.outer(alive, alive), k=1)]
    weights: FloatArray = np.exp(-squared / (2.0 * _sigma_squared(pairs, sigma)))
    weights[~alive, :] = weights[:, ~alive] = 0.0
    np.fill_diagonal(weights, 0.0)
    return weights


def _sigma_squared(squared: FloatArray, sigma: float | str) -> float:
    if not isinstance(sigma, str):
        return float(sigma) ** 2
    median = float(np.median(squared)) if len(squared) else 1.0
    if median > 0:
        return median
    positive = squared[squared > 0]  # more than half of the edges join equal rows
    return float(positive.mean()) if len(positive) else 1.0


def normalise_sparse(W: Any) -> Any:
    """D^-1/2 W D^-1/2 of a CSR array; a row that sums to zero stays zero."""
    scale = _inverse_root(np.asarray(W.sum(axis=1)).ravel())
    rows = np.repeat(scale, np.diff(W.indptr))
    return sparse.csr_array((W.data * rows * scale[W.indices], W.indices, W.indptr), shape=W.shape)


def _normalise_dense(W: FloatArray) -> FloatArray:
    scale = _inverse_root(W.sum(axis=1))
    normalised: FloatArray = W * scale[:, None] * scale[None, :]
    return normalised


def _inverse_root(sums: FloatArray) -> FloatArray:
    root: FloatArray = np.sqrt(sums)
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
