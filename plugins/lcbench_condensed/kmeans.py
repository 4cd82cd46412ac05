"""The parts of a cluster, by k-means of weighted rows."""

from __future__ import annotations

import numpy as np

from lcbench import FloatArray, IntArray

PART_STEPS = 10
TIE = 1e-10  # a squared distance: the processor's rounding is not to choose between prototypes of equal texts


def micro_clusters(X: FloatArray, w: FloatArray, count: int, smallest: float, seed: int) -> IntArray:
    """Labels 0, 1, ... by k-means of weighted rows: ten steps of Lloyd from rows drawn at random.

    Clusters lighter than `smallest` are dissolved: their rows join the nearest other.
    """
    if count < 2:
        return np.zeros(len(X), dtype=np.int64)
    start = X[np.random.default_rng(seed).choice(len(X), count, replace=False)]
    labels, C = _lloyd(X, w, start)
    mass = np.bincount(labels, weights=w, minlength=count)
    heavy = np.flatnonzero(mass >= max(smallest, 1e-9))
    if not len(heavy):
        return np.zeros(len(X), dtype=np.int64)
    light = ~np.isin(labels, heavy)
    labels[light] = heavy[_nearest(X[light], C[heavy])]
    return np.searchsorted(heavy, labels)


def _lloyd(X: FloatArray, w: FloatArray, C: FloatArray) -> tuple[IntArray, FloatArray]:
    """Labels and centres after at most PART_STEPS of Lloyd. A centre without rows stays where it is."""
    weighted, numbers = np.column_stack([X * w[:, None], w]), np.arange(len(C))[:, None]
    labels = np.full(len(X), -1, dtype=np.int64)
    for _ in range(PART_STEPS):
        new = _nearest(X, C)
        if (new == labels).all():
            break
        labels = new
        sums = (labels == numbers) @ weighted
        mass = sums[:, -1:]
        C = np.where(mass > 0, sums[:, :-1] / np.maximum(mass, 1e-12), C)
    return labels, C


def _nearest(X: FloatArray, C: FloatArray) -> IntArray:
    """For each row of `X` the nearest row of `C`; the first of those that are equally near up to rounding."""
    squares = np.einsum("ij,ij->i", C, C) + TIE * np.arange(len(C))
    nearest: IntArray = (squares - 2.0 * X @ C.T).argmin(axis=1)
    return nearest
