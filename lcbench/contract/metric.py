"""The interface of a metric: scores a partition against true classes, or the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lcbench.contract.specs import MetricKind
from lcbench.contract.task import IntArray, Matrix

FEW_GROUPS = 1024  # with numbers below this, counting is faster than sorting


class Pairs(NamedTuple):
    """Unordered pairs of samples: all, those together in classes and clusters, in classes, in clusters."""

    all: int
    both: int
    classes: int
    clusters: int


class Groups(NamedTuple):
    """A partition: the group of each sample, numbered without gaps in the order of their values, and their sizes."""

    of_samples: IntArray
    sizes: IntArray


class Contingency:
    """The counts of samples by true class and cluster. One table serves every external metric of a cell.

    `y` and `labels` are the classes and clusters of the samples, `counts[i, j]` is how many samples of class i
    are in cluster j, `n` is the number of samples, `pairs` counts pairs of samples.
    """

    def __init__(self, y: ArrayLike, labels: ArrayLike) -> None:
        y, labels = np.asarray(y), np.asarray(labels)
        if y.shape != labels.shape or y.ndim != 1 or not len(y):
            raise ValueError(f"classes and clusters must be equally long, not {y.shape} and {labels.shape}")
        self._group(groups(y), groups(labels))

    @classmethod
    def of_groups(cls, classes: Groups, clusters: Groups) -> Contingency:
        """The table of two partitions of the same samples whose groups are known."""
        table = object.__new__(cls)
        table._group(classes, clusters)
        return table

    def _group(self, classes: Groups, clusters: Groups) -> None:
        self.y, self._class_sizes = classes
        self.labels, self._cluster_sizes = clusters

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(self.y)

    @cached_property
    def counts(self) -> IntArray:
        """The table, a row per class and a column per cluster; no row or column is empty."""
        classes, clusters = len(self._class_sizes), len(self._cluster_sizes)
        flat = np.bincount(self.y * clusters + self.labels, minlength=classes * clusters)
        return flat.reshape(classes, clusters).astype(np.int64)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of samples that are together; as many clusters as samples need no large table."""
        both = self.y * len(self._cluster_sizes) + self.labels
        few = len(self._class_sizes) * len(self._cluster_sizes) <= max(self.n, FEW_GROUPS)
        shared = np.bincount(both) if few else groups(both).sizes
        # Python's integers: products of such numbers do not fit into 64 bits
        together = ((int(sizes @ sizes) - self.n) // 2 for sizes in (shared, self._class_sizes, self._cluster_sizes))
        return Pairs(self.n * (self.n - 1) // 2, *together)

    @property
    def adjusted_rand_index(self) -> float:
        """The adjusted Rand index: 1 for equal partitions, whatever their groups are called, about 0 for chance.

        With N pairs of samples, of which a are together in classes, b in clusters and c in both, it is
        (c - ab/N) / ((a + b)/2 - ab/N): ab/N is the expectation of c over partitions with groups of the same sizes.

        References
        ----------
        Hubert and Arabie, Comparing partitions, Journal of Classification 2, 1985. doi:10.1007/BF01908075

        Examples
        --------
        >>> Contingency([0, 0, 1, 1], [7, 7, 3, 3]).adjusted_rand_index
        1.0
        >>> round(Contingency([0, 0, 1, 1], [0, 1, 0, 1]).adjusted_rand_index, 12)
        -0.5
        """
        every, both, classes, clusters = self.pairs
        if classes == clusters == both:
            return 1.0
        expected = classes * clusters / every
        return (both - expected) / ((classes + clusters) / 2 - expected)


def groups(values: np.ndarray[Any, Any]) -> Groups:
    """The partition of samples by their values."""
    if values.dtype.kind in "iu":
        unsigned = values.astype(np.uint64)
        if np.maximum.reduce(unsigned) < max(len(values), FEW_GROUPS):
            found = unsigned.view(np.int64)  # a number below 0 would have been a large one
            sizes = np.bincount(found)
            if np.count_nonzero(sizes) == len(sizes):
                return Groups(found, sizes)
            there = sizes > 0
            return Groups((np.cumsum(there) - 1)[found], sizes[there])
    _, found, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return Groups(found.astype(np.int64), sizes)


class Metric(ABC):
    """A number for a partition. Subclass ExternalMetric or InternalMetric: `kind` says what `score` is handed."""

    kind: ClassVar[MetricKind]


class ExternalMetric(Metric):
    """Agreement of a partition with the true classes."""

    kind = MetricKind.EXTERNAL

    @abstractmethod
    def score(self, table: Contingency) -> float:
        """The score; NaN where it is not defined."""


class InternalMetric(Metric):
    """Scores how well a partition fits the data, without the classes."""

    kind = MetricKind.INTERNAL

    @abstractmethod
    def score(self, X: Matrix, labels: IntArray) -> float:
        """The score; NaN where it is not defined, such as for a single cluster."""
