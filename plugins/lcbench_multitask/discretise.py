"""A partition from an embedding by the nearest rotation, instead of k-means."""

from __future__ import annotations

import numpy as np

from lcbench import FloatArray, IntArray
from lcbench_spectral.scaling import inverse_root, scaled, squared_norms
from lcbench_spectral.stiefel import polar

STARTS = 20
MAX_ITER = 100
TOLERANCE = 1e-12


def rotation_labels(F: FloatArray, k: int, *, seed: int) -> IntArray:
    """Labels argmax_j (F Q)_ij of the rotation Q that brings the rows of F, scaled to length 1, nearest to indicators.

    Alternates Y = onehot(argmax F Q) and Q = polar(Fᵀ Y), which never lowers tr(Qᵀ Fᵀ Y), from twenty starts whose axes
    are rows of F: the first at random, each further one that which is least like those before. The best start wins.
    Zero rows get the label 0.

    References
    ----------
    Yu, Shi: Multiclass Spectral Clustering. ICCV 2003.
    """
    if k == 1:
        return np.zeros(len(F), dtype=np.int64)
    F = scaled(F, inverse_root(squared_norms(F)))
    generator = np.random.default_rng(seed)
    runs = [_rotate(F, _axes(F, k, int(first))) for first in generator.integers(len(F), size=STARTS)]
    return max(runs, key=lambda run: run[0])[1]  # the first of equals


def _axes(F: FloatArray, k: int, first: int) -> FloatArray:
    Q = np.empty((F.shape[1], k))
    Q[:, 0] = F[first]
    similarity = np.zeros(len(F))
    for column in range(1, k):
        similarity += np.abs(F @ Q[:, column - 1])
        Q[:, column] = F[np.argmin(similarity)]
    return Q


def _rotate(F: FloatArray, Q: FloatArray) -> tuple[float, IntArray]:
    rows, k = np.arange(len(F)), Q.shape[1]
    reached = -np.inf
    labels = np.zeros(len(F), dtype=np.int64)
    for _ in range(MAX_ITER):
        labels = (F @ Q).argmax(axis=1)
        Y = np.zeros((len(F), k))
        Y[rows, labels] = 1.0
        Q = polar(F.T @ Y, Q)
        before, reached = reached, float(np.sum((F @ Q)[rows, labels]))
        if reached <= before + TOLERANCE * len(F):
            break
    return reached, labels
