"""New centres for a clusterer that has some already, drawn from a task as k-means++ draws its starts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from lcbench import FloatArray, IntArray, Matrix

ROUNDING = 1e-10  # squared distances below this, relative to the longest row, are those of equal rows


def spread_rows(X: Matrix, count: int, seed: int, centres: Any = None) -> IntArray:
    """Numbers of `count` rows of `X` that are far from each other and from `centres`; fewer if no more rows differ.

    Greedy k-means++ (Arthur and Vassilvitskii, SODA 2007): a row is drawn with a probability in proportion to its
    squared distance from the nearest centre, 2 + log(count) times, and the draw that leaves the least sum of these
    distances is taken. Without centres the first row is any.
    """
    generator, n = np.random.default_rng(seed), X.shape[0]
    norms = row_norms(X, squared=True)
    smallest = ROUNDING * norms.max()
    chosen: list[int] = []
    nearest = np.full(n, np.inf) if centres is None else _squared_distances(X, centres).min(axis=1)
    if centres is None and count > 0:
        chosen.append(int(generator.integers(n)))
        nearest = _squared_distances(X, X[chosen])[:, 0]
    while len(chosen) < count:
        nearest[nearest <= smallest] = 0.0
        total = nearest.sum()
        if total == 0.0:
            break
        draws = generator.choice(n, size=2 + int(math.log(count)), p=nearest / total)
        left = np.minimum(nearest[:, None], _squared_distances(X, X[draws]))
        best = int(left.sum(axis=0).argmin())
        chosen.append(int(draws[best]))
        nearest = left[:, best]
    return np.array(chosen, dtype=np.int64)


def _squared_distances(X: Matrix, Y: Any) -> FloatArray:
    distances: FloatArray = euclidean_distances(X, Y, squared=True)
    return distances
