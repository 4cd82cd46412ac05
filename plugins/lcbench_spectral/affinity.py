"""The affinity graph of a task: weights over nearest neighbours or over all pairs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lcbench import FloatArray, IntArray, LcbenchError, Matrix
from lcbench_spectral.neighbours import Edges, nearest_pairs, squared_distances
from lcbench_spectral.scaling import inverse_root, normalise, squared_norms, unit_rows

Mask: TypeAlias = NDArray[np.bool_]

APPROXIMATE_FROM = 20_000  # samples

logger = logging.getLogger(__name__)


def normalised_affinity(
    X: Matrix, *, affinity: str, metric: str, n_neighbors: int, sigma: float | str, neighbors: str = "exact"
) -> Any:
    """K = D^-1/2 W D^-1/2 with W_ij = exp(-d_ij² / (2 sigma²)), W_ii = 0.

    With `affinity="knn"` W keeps the pairs of which one is among the other's `n_neighbors` nearest, and K is a CSR
    array; rows are compared some at a time. `neighbors="approximate"` finds nearly all of the nearest in much less
    time, `"auto"` does so from APPROXIMATE_FROM samples on. With `affinity="full"` K is dense.
    `d` is the Euclidean distance, or for `metric="cosine"` that of the rows scaled to length 1, so that d² = 2 - 2 cos.
    `sigma="median"` takes the median of d² over the edges as sigma². A row with no edge, such as a zero row under
    cosine, stays zero in K.

    `affinity="binary"` is the k-NN graph with all weights 1; it has no sigma.
    """
    alive = squared_norms(X) > 0 if metric == "cosine" else np.ones(X.shape[0], dtype=bool)
    X = unit_rows(X) if metric == "cosine" else X
    if affinity == "full":
        return normalise(_full_weights(X, alive, sigma))
    search = _search(int(alive.sum()), neighbors)
    return _knn_graph(
        X, alive, n_neighbors, None if affinity == "binary" else sigma, partial(search, unit=metric == "cosine")
    )


def _search(n: int, neighbors: str) -> Callable[..., Edges]:
    """The function that finds neighbours among n samples: exact, or approximate where asked for or by default."""
    if neighbors == "exact" or (neighbors == "auto" and n < APPROXIMATE_FROM):
        return nearest_pairs
    from lcbench_spectral.approximate import approximate_pairs, is_installed

    if is_installed():
        return approximate_pairs
    if neighbors == "approximate":
        raise LcbenchError("neighbors=approximate needs faiss: pip install 'lcbench[large]'.")
    logger.warning(
        "All pairs of %d samples are compared, which takes long: pip install 'lcbench[large]' has nearly the same "
        "neighbours found in much less time, and neighbors=exact leaves this sentence out.",
        n,
    )
    return nearest_pairs


def _knn_graph(
    X: Matrix, alive: Mask, n_neighbors: int, sigma: float | str | None, search: Callable[..., Edges]
) -> Any:
    n, index = X.shape[0], np.flatnonzero(alive)
    count = min(n_neighbors, len(index) - 1)
    if count < 1:
        return sparse.csr_array((n, n))
    i, j, squared = search(X if len(index) == n else X[index], count)
    return neighbour_graph(n, index[i], index[j], squared, sigma)


def neighbour_graph(n: int, i: IntArray, j: IntArray, squared: FloatArray, sigma: float | str | None) -> Any:
    """K = D^-1/2 W D^-1/2 of the graph in which i and j have an edge, given in either direction or in both.

    W_ij = exp(-d² / (2 sigma²)) with the squared distances d²; without a sigma all weights are 1.
    """
    low, high = np.minimum(i, j).astype(np.int64), np.maximum(i, j)
    _, first = np.unique(low * n + high, return_index=True)
    low, high, squared = low[first], high[first], squared[first]
    weights = np.ones_like(squared)
    if sigma is not None:
        weights = np.exp(-squared / (2.0 * _sigma_squared(squared, sigma)))
    row, column = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.argsort(row * n + column)
    row, column, weights = row[order], column[order], np.concatenate([weights, weights])[order]
    start = np.searchsorted(row, np.arange(n + 1))
    linked = np.flatnonzero(np.diff(start))
    degrees = np.zeros(n)
    degrees[linked] = np.add.reduceat(weights, start[linked])
    scale = inverse_root(degrees)
    kind = np.int32 if len(row) < 2**31 else np.int64  # narrow numbers make products quicker
    values = weights * scale[row] * scale[column]
    return sparse.csr_array((values, column.astype(kind), start.astype(kind)), shape=(n, n))


def _full_weights(X: Matrix, alive: Mask, sigma: float | str) -> FloatArray:
    squared = squared_distances(X)
    squared = (squared + squared.T) / 2.0
    pairs = squared[np.triu(np.outer(alive, alive), k=1)]
    weights: FloatArray = np.exp(-squared / (2.0 * _sigma_squared(pairs, sigma)))
    weights[~alive, :] = weights[:, ~alive] = 0.0
    np.fill_diagonal(weights, 0.0)
    return weights


def _sigma_squared(squared: FloatArray, sigma: float | str) -> float:
    return typical(squared) if isinstance(sigma, str) else float(sigma) ** 2


def typical(squared: FloatArray, *, overwrite: bool = False) -> float:
    """The median of squared distances; where more than half are 0 the mean of the others, and 1 if all are."""
    if not squared.any():
        return 1.0
    median = float(np.median(squared, overwrite_input=overwrite))
    return median if median > 0 else float(squared[squared > 0].mean())
