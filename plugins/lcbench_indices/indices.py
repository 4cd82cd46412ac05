"""The indices: external ones, which compare a partition with the true classes, and silhouette, which does not."""

from __future__ import annotations

import math

import numpy as np

from lcbench import Contingency, ExternalMetric, IntArray, InternalMetric, Matrix

EPSILON = float(np.finfo(np.float64).eps)


class Purity(ExternalMetric):
    """(1/n) sum over clusters of the size of the largest class in it. Grows with the number of clusters."""

    def score(self, table: Contingency) -> float:
        """Purity, in (0, 1]."""
        return float(table.counts.max(axis=0).sum() / table.n)


class Accuracy(ExternalMetric):
    """(1/n) times the most samples on the diagonal that a one-to-one matching of clusters and classes can reach."""

    def score(self, table: Contingency) -> float:
        """Accuracy, in (0, 1]."""
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(table.counts, maximize=True)
        return float(table.counts[rows, columns].sum() / table.n)


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
    """(I - E[I]) / (mean(H, H) - E[I]), arithmetic mean; 1 where both are a single group, 0 where one is.

    E[I] is compiled, by scikit-learn. The rest is computed as there, but from a table that is at hand already:
    its own `adjusted_mutual_info_score` takes fifteen times as long on a few hundred samples.
    """

    def score(self, table: Contingency) -> float:
        """AMI, at most 1, about 0 for chance."""
        from sklearn.metrics.cluster import expected_mutual_information

        counts = table.counts
        if 1 in counts.shape:
            return float(counts.shape == (1, 1))
        classes, clusters = counts.sum(axis=1), counts.sum(axis=0)
        expected = expected_mutual_information(counts, table.n)
        mean = (_precise_entropy(classes) + _precise_entropy(clusters)) / 2
        return _away_from_zero(_mutual_information(counts, classes, clusters) - expected) / _away_from_zero(
            mean - expected
        )


class RandIndex(ExternalMetric):
    """The share of pairs that are together in both or apart in both.

    With `include_diagonal` the pairs are all n² ordered ones and a sample agrees with itself.
    """

    def __init__(self, *, include_diagonal: bool = False) -> None:
        self.include_diagonal = include_diagonal

    def score(self, table: Contingency) -> float:
        """The Rand index, in [0, 1]."""
        pairs = table.pairs
        agreeing = pairs.all + 2 * pairs.both - pairs.classes - pairs.clusters
        if self.include_diagonal:
            return (2 * agreeing + table.n) / table.n**2
        return agreeing / pairs.all if pairs.all else 1.0


class AdjustedRandIndex(ExternalMetric):
    """(RI - E[RI]) / (max RI - E[RI]) with the expectation over partitions with the same cluster sizes."""

    def score(self, table: Contingency) -> float:
        """The adjusted Rand index, at most 1, about 0 for chance."""
        return table.adjusted_rand_index


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


def _entropy(counts: IntArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-np.sum(shares * np.log(shares)))


def _precise_entropy(sizes: IntArray) -> float:
    """The entropy of groups, none empty, with log(a / b) as log(a) - log(b)."""
    total = int(sizes.sum())
    return float(-np.sum(sizes / total * (np.log(sizes) - math.log(total))))


def _mutual_information(counts: IntArray, classes: IntArray, clusters: IntArray) -> float:
    """The mutual information of classes and clusters."""
    there = counts > 0
    both, apart = counts[there], np.outer(classes, clusters)[there]
    n = math.log(classes.sum())
    shares = both / classes.sum()
    terms = shares * (np.log(both) - n) + shares * (-np.log(apart) + n + n)
    return max(float(np.where(np.abs(terms) < EPSILON, 0.0, terms).sum()), 0.0)


def _away_from_zero(value: float) -> float:
    """The value, or the smallest of its sign: a difference that is 0 but for rounding."""
    return min(value, -EPSILON) if value < 0 else max(value, EPSILON)
