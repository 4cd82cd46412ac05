"""Indices that count pairs of samples: Rand and adjusted Rand."""

from __future__ import annotations

from typing import NamedTuple

from lcbench import Contingency, ExternalMetric


class Pairs(NamedTuple):
    """Unordered pairs of samples: all, those together in classes and clusters, in classes, in clusters."""

    all: int
    both: int
    classes: int
    clusters: int


def count_pairs(table: Contingency) -> Pairs:
    """The pairs of a table, in Python's integers, which do not overflow."""
    counts = table.counts
    return Pairs(
        all=_choose_two(table.n),
        both=sum(_choose_two(c) for c in counts.ravel().tolist()),
        classes=sum(_choose_two(c) for c in counts.sum(axis=1).tolist()),
        clusters=sum(_choose_two(c) for c in counts.sum(axis=0).tolist()),
    )


class RandIndex(ExternalMetric):
    """The share of pairs that are together in both or apart in both.

    With `include_diagonal` the pairs are all n² ordered ones and a sample agrees with itself.
    """

    def __init__(self, *, include_diagonal: bool = False) -> None:
        self.include_diagonal = include_diagonal

    def score(self, table: Contingency) -> float:
        """The Rand index, in [0, 1]."""
        pairs = count_pairs(table)
        agreeing = pairs.all + 2 * pairs.both - pairs.classes - pairs.clusters
        if self.include_diagonal:
            return (2 * agreeing + table.n) / table.n**2
        return agreeing / pairs.all if pairs.all else 1.0


class AdjustedRandIndex(ExternalMetric):
    """(RI - E[RI]) / (max RI - E[RI]) with the expectation over partitions with the same cluster sizes."""

    def score(self, table: Contingency) -> float:
        """The adjusted Rand index, at most 1, about 0 for chance."""
        pairs = count_pairs(table)
        if pairs.all == 0 or pairs.classes == pairs.clusters == pairs.both:
            return 1.0
        expected = pairs.classes * pairs.clusters / pairs.all
        largest = (pairs.classes + pairs.clusters) / 2
        return (pairs.both - expected) / (largest - expected)


def _choose_two(n: int) -> int:
    return n * (n - 1) // 2
