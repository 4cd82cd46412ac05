"""k-means from several starts, of which the best is taken."""

from __future__ import annotations

import warnings
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix

Mask: TypeAlias = NDArray[np.bool_]

MOST_STEPS = 300
SMALL = 20_000  # rows times clusters: of more, scikit-learn's KMeans is quicker than all starts side by side


def kmeans_labels(X: Matrix, k: int, *, seed: int, n_init: int = 10, tol: float = 1e-4) -> IntArray:
    """Labels by k-means on the rows of a matrix: greedy k-means++ starts, the best of `n_init`.

    They are those of scikit-learn's KMeans. That makes one start after the other, and checks its input for longer than
    it takes to cluster some hundred rows of an embedding: there all starts are made side by side.
    """
    if k == 1:
        return np.zeros(X.shape[0], dtype=np.int64)
    if X.shape[0] * k <= SMALL and not sparse.issparse(X):
        labels = _side_by_side(X, k, seed, n_init, tol)
        if labels is not None:
            return labels
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters: some stay empty
        found: IntArray = KMeans(k, n_init=n_init, tol=tol, random_state=seed).fit(X).labels_.astype(np.int64)
    return found


def _side_by_side(X: FloatArray, k: int, seed: int, starts: int, tol: float) -> IntArray | None:
    """Labels from what scikit-learn draws from the same seed; None if a cluster was empty on the way."""
    X = X - X.mean(axis=0)
    trials = 2 + int(np.log(k))
    draws = np.random.RandomState(seed).random_sample((starts, 1 + (k - 1) * trials))
    found = _lloyd(X, _spread_rows(X, k, draws, trials), tol * float(X.var(axis=0).mean()))
    if found is None:
        return None
    best, least = None, np.inf
    for labels, spread in zip(*found, strict=True):
        if spread < least and (best is None or not _is_same(labels, best, k)):
            best, least = labels, spread
    return best


def _spread_rows(X: FloatArray, k: int, draws: FloatArray, trials: int) -> FloatArray:
    """For each row of `draws` k rows of X, far from each other (starts x k x columns).

    Each is the best of `trials` rows that are drawn by their squared distance to those before.

    References
    ----------
    Arthur, Vassilvitskii: k-means++: The Advantages of Careful Seeding. SODA 2007.
    """
    n, starts = len(X), len(draws)
    each = np.arange(starts)
    squares = np.einsum("ij,ij->i", X, X)
    even = np.cumsum(np.full(n, 1.0 / n))
    chosen = np.empty((starts, k), dtype=np.int64)
    chosen[:, 0] = np.searchsorted(even / even[-1], draws[:, 0], side="right")
    nearest = _squared_distances(X, squares, chosen[:, 0])
    for column in range(1, k):
        drawn = draws[:, 1 + (column - 1) * trials : 1 + column * trials] * nearest.sum(axis=1)[:, None]
        summed = np.cumsum(nearest, axis=1)
        tried = np.stack([np.searchsorted(row, wanted) for row, wanted in zip(summed, drawn, strict=True)])
        np.minimum(tried, n - 1, out=tried)
        left = _squared_distances(X, squares, tried.ravel()).reshape(starts, trials, n)
        np.minimum(left, nearest[:, None, :], out=left)
        best = left.sum(axis=2).argmin(axis=1)
        chosen[:, column] = tried[each, best]
        nearest = left[each, best]
    centres: FloatArray = X[chosen]
    return centres


def _squared_distances(X: FloatArray, squares: FloatArray, rows: IntArray) -> FloatArray:
    """The squared distances of some rows of X (along the first axis) to all of them."""
    found = X[rows] @ X.T
    found *= -2.0
    found += squares[rows, None]
    found += squares
    return np.maximum(found, 0.0, out=found)


def _lloyd(X: FloatArray, centres: FloatArray, tolerance: float) -> tuple[IntArray, FloatArray] | None:
    """Labels and the sum of squared distances of each start, moved until labels or centres stand still.

    None if a centre has no rows left.
    """
    starts, k, columns = centres.shape
    n = len(X)
    extended = np.column_stack([X, np.ones(n)])
    members = np.zeros((starts, k, n), dtype=bool)
    moving = np.arange(starts)
    for _ in range(MOST_STEPS):
        before = centres[moving]
        now = _nearest(X, before)
        sums = (now.reshape(-1, n).astype(np.float64) @ extended).reshape(-1, k, columns + 1)
        if not sums[..., -1].all():
            return None
        after = sums[..., :-1] / sums[..., -1:]
        stands = (now == members[moving]).all(axis=(1, 2))
        close = ((after - before) ** 2).sum(axis=(1, 2)) <= tolerance
        centres[moving], members[moving] = after, now
        _settle(X, centres, members, moving[close & ~stands])
        moving = moving[~(stands | close)]
        if not len(moving):
            break
    _settle(X, centres, members, moving)
    labels = members.argmax(axis=1)
    return labels, np.array([np.sum((X - own[row]) ** 2) for own, row in zip(centres, labels, strict=True)])


def _settle(X: FloatArray, centres: FloatArray, members: Mask, starts: IntArray) -> None:
    """Give the rows of some starts to the nearest of their last centres."""
    if len(starts):
        members[starts] = _nearest(X, centres[starts])


def _nearest(X: FloatArray, centres: FloatArray) -> Mask:
    """For each start which rows each centre is the nearest of, the first of equals (starts x centres x rows)."""
    starts, k, columns = centres.shape
    flat = centres.reshape(-1, columns)
    distances = (-2.0 * flat) @ X.T
    distances += np.einsum("ij,ij->i", flat, flat)[:, None]
    distances = distances.reshape(starts, k, len(X))
    nearest: Mask = distances == distances.min(axis=1)[:, None]
    if np.count_nonzero(nearest) > starts * len(X):
        nearest = distances.argmin(axis=1)[:, None] == np.arange(k)[:, None]
    return nearest


def _is_same(labels: IntArray, others: IntArray, k: int) -> bool:
    """True if two partitions differ by the numbers of their clusters at most."""
    pairs = len(np.unique(labels * k + others))
    return pairs == len(np.unique(labels)) == len(np.unique(others))
