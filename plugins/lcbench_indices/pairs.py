"""Indices that count pairs of samples: Rand and adjusted Rand."""

from __future__ import annotations

from lcbench import Contingency, ExternalMetric


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
