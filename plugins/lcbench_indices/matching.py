"""Indices that match clusters with classes: purity and accuracy."""

from __future__ import annotations

from scipy.optimize import linear_sum_assignment

from lcbench import Contingency, ExternalMetric


class Purity(ExternalMetric):
    """(1/n) sum over clusters of the size of the largest class in it. Grows with the number of clusters."""

    def score(self, table: Contingency) -> float:
        """Purity, in (0, 1]."""
        return float(table.counts.max(axis=0).sum() / table.n)


class Accuracy(ExternalMetric):
    """(1/n) times the most samples on the diagonal that a one-to-one matching of clusters and classes can reach."""

    def score(self, table: Contingency) -> float:
        """Accuracy, in (0, 1]."""
        rows, columns = linear_sum_assignment(table.counts, maximize=True)
        return float(table.counts[rows, columns].sum() / table.n)
