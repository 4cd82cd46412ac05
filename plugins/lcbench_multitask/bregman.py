"""Base of the Bregman methods: the start, the coupling of the tasks, and the steps of an iteration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix, MultiTaskClusterer, Task, derive_seed
from lcbench_multitask.divergences import ROUNDING, Coupling, Divergence, GeneralisedKL, Points, SquaredEuclidean
from lcbench_multitask.transport import blocks_of, transport_plans
from lcbench_spectral.kmeans import kmeans_labels


@dataclass(frozen=True, slots=True, eq=False)
class CoupledTasks:
    """The samples of all tasks under one divergence; centroids M of all tasks are rows of one matrix."""

    divergence: Divergence
    points: tuple[Points, ...]
    blocks: tuple[slice, ...]
    weight: float

    @classmethod
    def of(cls, tasks: Sequence[Task], *, divergence: str, unit_rows: bool, lam: float) -> CoupledTasks:
        """The tasks, each pair of which has the weight lam / (T - 1)."""
        kind: Divergence = GeneralisedKL() if divergence == "kl" else SquaredEuclidean()
        points = tuple(kind.points(task, unit_rows) for task in tasks)
        return cls(kind, points, blocks_of([p.k for p in points]), lam / max(len(points) - 1, 1))

    def means(self, labels: Sequence[IntArray], otherwise: FloatArray | None = None) -> FloatArray:
        """The means of all clusters; an empty one has its row of `otherwise`, or the mean of its task."""
        spare = [None if otherwise is None else otherwise[block] for block in self.blocks]
        return np.vstack([p.means(h, m) for p, h, m in zip(self.points, labels, spare, strict=True)])

    def losses(self, M: FloatArray, labels: Sequence[IntArray]) -> FloatArray:
        """The local loss of every task: the mean divergence of its samples from the centroid of their cluster."""
        return np.array(
            [
                self.divergence.distances(p, M[block])[np.arange(p.n), h].mean()
                for p, block, h in zip(self.points, self.blocks, labels, strict=True)
            ]
        )

    def couple(self, M: FloatArray, labels: Sequence[IntArray]) -> tuple[Coupling, float]:
        """The best plans between the partitions, and what the coupling adds to the objective."""
        cost = self.divergence.between(M)
        masses = [p.masses(h) for p, h in zip(self.points, labels, strict=True)]
        if self.weight == 0:
            return Coupling(np.zeros_like(cost), self.blocks, 0.0), 0.0
        R = transport_plans(masses, cost, symmetric=self.divergence.symmetric)
        return Coupling(R, self.blocks, self.weight), self.weight * float(np.sum(R * cost))

    def centroids(self, M: FloatArray, labels: Sequence[IntArray], coupling: Coupling) -> FloatArray:
        """The M-step: the centroids of all tasks for fixed labels and plans."""
        masses = np.concatenate([p.masses(h) for p, h in zip(self.points, labels, strict=True)])
        sums = np.vstack([p.sums(h) for p, h in zip(self.points, labels, strict=True)])
        return self.divergence.centroids(masses, sums, M, coupling)

    def assign(self, M: FloatArray) -> tuple[list[IntArray], FloatArray, FloatArray]:
        """The h-step: the nearest clusters of all samples, the local losses, and M with no centroid left alone."""
        M = M.copy()
        labels, losses = [], []
        for p, block in zip(self.points, self.blocks, strict=True):
            h, own, M[block] = nearest(self.divergence, p, M[block])
            labels.append(h)
            losses.append(own.mean())
        return labels, np.array(losses), M


@dataclass(kw_only=True, eq=False, repr=False)
class BregmanClusterer(MultiTaskClusterer):
    """Base of MBC and SMBC: their parameters, and k-means of each task alone as the start."""

    lam: float = 2.0
    divergence: str = "euclidean"
    n_init: int = 1
    max_iter: int = 100
    tol: float = 1e-5
    unit_rows: bool = True
    random_state: int = 0

    def fit_tasks(self, tasks: Sequence[Task]) -> list[IntArray]:
        """The partitions of all tasks, which pull each other's centroids."""
        coupled = CoupledTasks.of(tasks, divergence=self.divergence, unit_rows=self.unit_rows, lam=self.lam)
        starts = [
            kmeans_labels(
                coupled.divergence.features(p),
                p.k,
                seed=derive_seed(self.random_state, task.name),
                n_init=self.n_init,
                tol=0.0,
            )
            for p, task in zip(coupled.points, tasks, strict=True)
        ]
        return self._iterate(coupled, starts)

    @abstractmethod
    def _iterate(self, coupled: CoupledTasks, labels: list[IntArray]) -> list[IntArray]:
        """The partitions that the method makes of those it starts with; sets `objective_trace_`."""

    def _settled(self) -> bool:
        """True if the last iteration changed the objective by no more than the tolerance."""
        before, now = self.objective_trace_[-2:]
        return bool(abs(now - before) <= self.tol * abs(before))


def nearest(divergence: Divergence, points: Points, M: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The cluster of every sample, its divergence from that cluster's centroid, and the centroids.

    Of centroids equally near but for rounding, as all are to a zero row under KL, the first is taken. A cluster that no
    sample is nearest to starts again from the farthest sample of the cluster that loses most.
    """
    D = divergence.distances(points, M)
    least = D.min(axis=1, keepdims=True)
    labels = np.argmax(least * (1.0 + ROUNDING) >= D, axis=1).astype(np.int64)
    own = D[np.arange(points.n), labels]
    for _ in range(points.k):
        empty = np.flatnonzero(np.bincount(labels, minlength=points.k) == 0)
        if len(empty) == 0 or not own.any():
            break
        worst = int(np.argmax(np.bincount(labels, weights=own, minlength=points.k)))
        far = int(np.argmax(np.where(labels == worst, own, -1.0)))
        M = M.copy()
        M[empty[0]] = divergence.seed(_row(points.X, far), M[worst])
        to_new = divergence.distances(points, M[empty[:1]])[:, 0]
        labels = np.where(to_new < own, empty[0], labels)
        own = np.minimum(to_new, own)
    return labels, own, M


def _row(X: Matrix, i: int) -> FloatArray:
    row: FloatArray = X[[i]].toarray()[0] if sparse.issparse(X) else X[i]
    return row
