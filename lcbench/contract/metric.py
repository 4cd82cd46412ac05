"""The interface of a metric: scores a partition against true classes, or the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lcbench.contract.specs import MetricKind
from lcbench.contract.task import IntArray, Matrix


class Contingency:
    """The counts of samples by true class and cluster. One table serves every external metric of a cell.

    `y` and `labels` are the classes and clusters of the samples, `counts[i, j]` is how many samples of class i
    are in cluster j, `n` is the number of samples.
    """

    def __init__(self, y: ArrayLike, labels: ArrayLike) -> None:
        self.y: IntArray = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.int64)
        self.labels: IntArray = np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)
        if self.y.shape != self.labels.shape or self.y.ndim != 1 or not len(self.y):
            raise ValueError(f"classes and clusters must be equally long, not {self.y.shape} and {self.labels.shape}")

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(self.y)

    @cached_property
    def counts(self) -> IntArray:
        """The table, a row per class and a column per cluster; no row or column is empty."""
        classes, clusters = int(self.y.max()) + 1, int(self.labels.max()) + 1
        flat = np.bincount(self.y * clusters + self.labels, minlength=classes * clusters)
        return flat.reshape(classes, clusters).astype(np.int64)


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
