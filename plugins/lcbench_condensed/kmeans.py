"""k-means of few columns: a partition by the best of some starts, and the parts of a cluster."""

from __future__ import annotations

import numpy as np

from lcbench import FloatArray, IntArray

MOST_STEPS = 300
TOLERANCE = 1e-4  # of the mean variance of a column: smaller moves of the centres are the last
PART_STEPS = 10
TIE = 1e-10  # a squared distance: the processor's rounding is not to choose between prototypes of equal texts


def kmeans_labels(X: FloatArray, k: int, *, seed: int, starts: int) -> IntArray:
    """Labels by k-means, from greedy k-means++ starts of which the best is taken.

    It draws what scikit-learn's KMeans draws from the same seed. That checks its input for longer than it takes to
    cluster some hundred rows of an embedding.
    """
    if k == 1:
        return np.zeros(len(X), dtype=np.int64)
    X = X - X.mean(axis=0)
    random = np.random.RandomState(seed)
    ones, tolerance = np.ones(len(X)), TOLERANCE * float(X.var(axis=0).mean())
    found = []
    for _ in range(starts):
        labels, C = _lloyd(X, ones, _spread_rows(X, k, random), MOST_STEPS, tolerance)
        found.append((float(((X - C[labels]) ** 2).sum()), labels))
    return min(found, key=lambda each: each[0])[1]  # the first of equals


def micro_clusters(X: FloatArray, w: FloatArray, count: int, smallest: float, seed: int) -> IntArray:
    """Labels 0, 1, ... by k-means of weighted rows: ten steps of Lloyd from rows drawn at random.

    Clusters lighter than `smallest` are dissolved: their rows join the nearest other.
    """
    if count < 2:
        return np.zeros(len(X), dtype=np.int64)
    start = X[np.random.default_rng(seed).choice(len(X), count, replace=False)]
    labels, C = _lloyd(X, w, start, PART_STEPS)
    mass = np.bincount(labels, weights=w, minlength=count)
    heavy = np.flatnonzero(mass >= max(smallest, 1e-9))
    if not len(heavy):
        return np.zeros(len(X), dtype=np.int64)
    light = ~np.isin(labels, heavy)
    labels[light] = heavy[_nearest(X[light], C[heavy])]
    return np.searchsorted(heavy, labels)


def _spread_rows(X: FloatArray, k: int, random: np.random.RandomState) -> FloatArray:
    """k rows far from each other: each is the best of some that were drawn by their squared distance to the others.

    References
    ----------
    Arthur, Vassilvitskii: k-means++: The Advantages of Careful Seeding. SODA 2007.
    """
    n = len(X)
    squares = np.einsum("ij,ij->i", X, X)
    chosen = [int(random.choice(n, p=np.full(n, 1.0 / n)))]
    distance = np.maximum(squares[chosen[0]] + squares - 2.0 * X @ X[chosen[0]], 0.0)
    for _ in range(1, k):
        drawn = random.uniform(size=2 + int(np.log(k))) * distance.sum()
        tried = np.minimum(np.searchsorted(np.cumsum(distance), drawn), n - 1)
        left = np.minimum(distance, np.maximum(squares[tried, None] + squares - 2.0 * X[tried] @ X.T, 0.0))
        best = int(left.sum(axis=1).argmin())
        chosen.append(int(tried[best]))
        distance = left[best]
    return X[chosen]


def _lloyd(
    X: FloatArray, w: FloatArray, C: FloatArray, steps: int, tolerance: float = 0.0
) -> tuple[IntArray, FloatArray]:
    """Labels and centres after at most `steps` of Lloyd, or when the centres move no more than the `tolerance`.

    A centre without rows stays where it is.
    """
    weighted, numbers = np.column_stack([X * w[:, None], w]), np.arange(len(C))[:, None]
    labels = np.full(len(X), -1, dtype=np.int64)
    for _ in range(steps):
        new = _nearest(X, C)
        if (new == labels).all():
            break
        labels = new
        sums = (labels == numbers) @ weighted
        mass = sums[:, -1:]
        before, C = C, np.where(mass > 0, sums[:, :-1] / np.maximum(mass, 1e-12), C)
        if float(((C - before) ** 2).sum()) <= tolerance:
            labels = _nearest(X, C)
            break
    return labels, C


def _nearest(X: FloatArray, C: FloatArray) -> IntArray:
    """For each row of `X` the nearest row of `C`; the first of those that are equally near up to rounding."""
    squares = np.einsum("ij,ij->i", C, C) + TIE * np.arange(len(C))
    nearest: IntArray = (squares - 2.0 * X @ C.T).argmin(axis=1)
    return nearest
