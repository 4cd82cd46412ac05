"""Silhouette: an internal index."""

from __future__ import annotations

import numpy as np

from lcbench import IntArray, InternalMetric, Matrix


class Silhouette(InternalMetric):
    """The mean over samples of (b - a) / max(a, b): a is the mean distance to the own cluster, b to the next one.

    `distance` is euclidean (scikit-learn's default) or cosine (for text). Not defined for one cluster, or for as many
    clusters as samples.
    """

    def __init__(self, *, distance: str = "euclidean") -> None:
        self.distance = distance

    def score(self, X: Matrix, labels: IntArray) -> float:
        """The mean silhouette, in [-1, 1]; NaN where it is not defined."""
        from sklearn.metrics import silhouette_score

        if not 2 <= len(np.unique(labels)) < len(labels):
            return float("nan")
        return float(silhouette_score(X, labels, metric=self.distance))
