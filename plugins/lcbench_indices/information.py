"""Indices from information theory: NMI and AMI."""

from __future__ import annotations

import math

import numpy as np

from lcbench import Contingency, ExternalMetric, IntArray


class NormalizedMutualInformation(ExternalMetric):
    """I(classes; clusters) / mean(H(classes), H(clusters)); 1 where both are a single group, 0 where one is.

    `average` is the mean in the denominator: arithmetic (scikit-learn's default) or geometric.
    """

    def __init__(self, *, average: str = "arithmetic") -> None:
        self.average = average

    def score(self, table: Contingency) -> float:
        """NMI, in [0, 1]."""
        counts = table.counts
        if counts.shape == (1, 1):
            return 1.0
        of_classes, of_clusters = _entropy(counts.sum(axis=1)), _entropy(counts.sum(axis=0))
        mutual = of_classes + of_clusters - _entropy(counts.ravel())
        geometric = self.average == "geometric"
        mean = math.sqrt(of_classes * of_clusters) if geometric else (of_classes + of_clusters) / 2
        return min(max(mutual / mean, 0.0), 1.0) if mean > 0 else 0.0


class AdjustedMutualInformation(ExternalMetric):
    """(I - E[I]) / (mean(H, H) - E[I]), arithmetic mean, by scikit-learn, whose E[I] is compiled."""

    def score(self, table: Contingency) -> float:
        """AMI, at most 1, about 0 for chance."""
        from sklearn.metrics import adjusted_mutual_info_score

        return float(adjusted_mutual_info_score(table.y, table.labels))


def _entropy(counts: IntArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-np.sum(shares * np.log(shares)))
