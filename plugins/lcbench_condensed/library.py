"""The library of CPSC: groups of related tasks, each a fixed number of prototypes per class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from lcbench import FloatArray, IntArray
from lcbench_condensed.refinement import unit
from lcbench_condensed.rows import Rows

SAMPLES_PER_PROTOTYPE = 3
LLOYD_STEPS = 10


Prototypes: TypeAlias = NDArray[np.float32]  # half the state, and far more digits than the means are sure of


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Prototypes of related tasks: means of centred unit rows, the number of samples of each, and its class."""

    prototypes: Prototypes
    weights: FloatArray
    classes: IntArray
    tasks: int = 1

    @property
    def width(self) -> int:
        """The number of classes."""
        return int(self.classes.max()) + 1

    def directions(self) -> FloatArray:
        """A unit row for each class: the weighted sum of its prototypes."""
        return unit((np.eye(self.width)[self.classes] * self.weights[:, None]).T @ self.prototypes.astype(np.float64))

    def with_task(self, other: Group, budget: int, seed: int) -> Group:
        """This group and the prototypes of one more task; a class with more than `budget` of them is merged to that."""
        prototypes = np.vstack([self.prototypes, other.prototypes])
        weights = np.concatenate([self.weights, other.weights])
        classes = np.concatenate([self.classes, other.classes])
        parts = []
        for c in np.unique(classes):
            P, w = prototypes[classes == c], weights[classes == c]
            if len(P) > budget:
                P, w = _merged(P.astype(np.float64), w, budget, seed)
            parts.append((P, w, np.full(len(w), c)))
        P, w, c = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Group(P, w, c, self.tasks + 1)


def condensed(
    rows: Rows, embedding: FloatArray, labels: IntArray, classes: IntArray, *, budget: int, smallest: int, seed: int
) -> Group:
    """The prototypes of one task: the means of micro-clusters inside each cluster c, of the class `classes[c]`.

    A cluster of s samples is cut by k-means on the rows of the embedding, scaled to length 1, into s/3 micro-clusters,
    at most `budget`; those of fewer than `smallest` samples are dissolved.
    """
    F = unit(embedding)
    micro = np.zeros(rows.n, dtype=np.int64)
    owner: list[int] = []
    for c in np.unique(labels):
        members = np.flatnonzero(labels == c)
        count = min(len(members) // SAMPLES_PER_PROTOTYPE, budget)
        part = micro_clusters(F[members], np.ones(len(members)), count, smallest, seed)
        micro[members] = len(owner) + part
        owner += [int(classes[c])] * (int(part.max()) + 1)
    weights = np.bincount(micro, minlength=len(owner)).astype(np.float64)
    Y = sparse.csr_array((1.0 / weights[micro], (np.arange(rows.n), micro)), shape=(rows.n, len(owner)))
    return Group(rows.sums(Y).astype(np.float32), weights, np.array(owner, dtype=np.int64))


def matched_classes(rows: Rows, labels: IntArray, k: int, group: Group) -> IntArray:
    """For each cluster of a task the class of the group that is most like it, one to one; the others are new classes.

    The Hungarian method maximises the sum over samples of z · direction, less its mean over the directions.
    """
    U = rows.times(group.directions().T)
    mine, theirs = linear_sum_assignment(-(np.eye(k)[labels].T @ (U - U.mean(axis=1, keepdims=True))))
    classes = np.full(k, -1, dtype=np.int64)
    classes[mine] = theirs
    new = classes < 0
    classes[new] = group.width + np.arange(int(new.sum()))
    return classes


def _merged(P: FloatArray, w: FloatArray, count: int, seed: int) -> tuple[Prototypes, FloatArray]:
    """At most `count` weighted means of the rows of `P`, by k-means; their weights add up to those of the rows."""
    coordinates = np.linalg.qr(P.T)[1].T if P.shape[1] > len(P) else P  # the same distances in fewer dimensions
    part = micro_clusters(coordinates, w, count, 0.0, seed)
    Y = np.eye(int(part.max()) + 1)[part] * w[:, None]
    total: FloatArray = Y.sum(axis=0)
    return ((Y.T @ P) / total[:, None]).astype(np.float32), total


def micro_clusters(X: FloatArray, w: FloatArray, count: int, smallest: float, seed: int) -> IntArray:
    """Labels 0, 1, ... by k-means++ and ten steps of Lloyd; clusters lighter than `smallest` join the nearest other."""
    if count < 2:
        return np.zeros(len(X), dtype=np.int64)
    C = X[_spread(X, w, count, np.random.default_rng(seed))]
    labels = np.full(len(X), -1, dtype=np.int64)
    for _ in range(LLOYD_STEPS):
        new = (np.einsum("ij,ij->i", C, C) - 2.0 * X @ C.T).argmin(axis=1)
        if (new == labels).all():
            break
        labels = new
        Y = sparse.csr_array((w, (labels, np.arange(len(X)))), shape=(count, len(X)))
        mass = np.asarray(Y.sum(axis=1)).ravel()
        C = np.where(mass[:, None] > 0, (Y @ X) / np.maximum(mass, 1e-12)[:, None], C)
    mass = np.bincount(labels, weights=w, minlength=count)
    heavy = np.flatnonzero(mass >= max(smallest, 1e-9))
    if not len(heavy):
        return np.zeros(len(X), dtype=np.int64)
    light = ~np.isin(labels, heavy)
    labels[light] = heavy[(np.einsum("ij,ij->i", C[heavy], C[heavy]) - 2.0 * X[light] @ C[heavy].T).argmin(axis=1)]
    return np.searchsorted(heavy, labels)


def _spread(X: FloatArray, w: FloatArray, count: int, generator: np.random.Generator) -> IntArray:
    """k-means++: the numbers of rows, each drawn by its weight times its squared distance to those drawn before."""
    squares = np.einsum("ij,ij->i", X, X)
    chosen = np.empty(count, dtype=np.int64)
    nearest = np.full(len(X), np.inf)
    chances = w
    for i in range(count):
        edges = np.cumsum(chances if chances.sum() > 0 else w)  # all rows are drawn already: draw by weight
        chosen[i] = min(int(np.searchsorted(edges, generator.random() * edges[-1], side="right")), len(X) - 1)
        row = X[chosen[i]]
        nearest = np.minimum(nearest, np.maximum(squares + row @ row - 2.0 * (X @ row), 0.0))
        chances = w * nearest
    return chosen
