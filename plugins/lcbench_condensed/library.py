"""The library of CPSC: groups of related tasks, and a fixed number of prototypes per class that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from lcbench import FloatArray, IntArray
from lcbench_condensed.refinement import unit
from lcbench_condensed.rows import Rows

SAMPLES_PER_PROTOTYPE = 3
LLOYD_STEPS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Prototypes of related tasks: means of centred unit rows, the number of samples of each, and its class."""

    prototypes: FloatArray
    weights: FloatArray
    classes: IntArray
    tasks: int = 1

    @property
    def width(self) -> int:
        """The number of classes."""
        return int(self.classes.max()) + 1

    def directions(self) -> FloatArray:
        """A unit row for each class: the weighted sum of its prototypes."""
        return unit((np.eye(self.width)[self.classes] * self.weights[:, None]).T @ self.prototypes)

    def with_task(self, other: Group) -> Group:
        """This group and the prototypes of one more task."""
        return Group(
            np.vstack([self.prototypes, other.prototypes]),
            np.concatenate([self.weights, other.weights]),
            np.concatenate([self.classes, other.classes]),
            self.tasks + 1,
        )

    def merged(self, budget: int, seed: int) -> Group:
        """This group with at most `budget` prototypes per class, by weighted k-means where a class has more."""
        parts = []
        for c in np.unique(self.classes):
            P, w = self.prototypes[self.classes == c], self.weights[self.classes == c]
            if len(P) > budget:
                P, w = _weighted_means(P, w, budget, seed)
            parts.append((P, w, np.full(len(w), c)))
        P, w, classes = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Group(P, w, classes, self.tasks)


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """Room for a fixed number of prototypes, in which all groups have their share; it does not grow with the tasks.

    Row i of `values` holds the largest entries of a prototype, in the columns that row i of `columns` names (None where
    all entries are kept), as float32. `members` says to which group it belongs, -1 if the room is not used.
    """

    n_features: int
    values: NDArray[np.float32]
    columns: NDArray[np.int32] | None
    weights: NDArray[np.float32]
    classes: NDArray[np.int32]
    members: NDArray[np.int32]
    tasks: tuple[int, ...]

    @classmethod
    def of(cls, groups: Sequence[Group], *, features: int, room: int) -> Library:
        """The library of these groups, with `room` prototypes of at most `features` entries that are not 0."""
        P = np.concatenate([group.prototypes for group in groups]).astype(np.float32)
        d = P.shape[1]
        columns = np.zeros((room, features), dtype=np.int32) if features < d else None
        values = np.zeros((room, min(features, d)), dtype=np.float32)
        if columns is not None:
            columns[: len(P)] = np.argpartition(np.abs(P).astype(np.float64), -features, axis=1)[:, -features:]
            P = np.take_along_axis(P, columns[: len(P)], axis=1)
        values[: len(P)] = P
        members = np.repeat(np.arange(len(groups)), [len(group.weights) for group in groups])
        return cls(
            d, values, columns,
            _filled(np.concatenate([group.weights for group in groups]), room, np.dtype(np.float32), 0),
            _filled(np.concatenate([group.classes for group in groups]), room, np.dtype(np.int32), -1),
            _filled(members, room, np.dtype(np.int32), -1),
            tuple(group.tasks for group in groups),
        )  # fmt: skip

    def groups(self) -> list[Group]:
        """The groups, with their prototypes written out."""
        P = self.values.astype(np.float64)
        if self.columns is not None:
            P = np.zeros((len(P), self.n_features))
            np.put_along_axis(P, self.columns.astype(np.int64), self.values, axis=1)
        return [
            Group(P[mine], self.weights[mine].astype(np.float64), self.classes[mine].astype(np.int64), tasks)
            for mine, tasks in ((self.members == g, tasks) for g, tasks in enumerate(self.tasks))
        ]


def _filled(given: Any, room: int, dtype: np.dtype[Any], empty: int) -> Any:
    array = np.full(room, empty, dtype=dtype)
    array[: len(given)] = given
    return array


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
    return Group(rows.sums(Y), weights, np.array(owner, dtype=np.int64))


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


def _weighted_means(P: FloatArray, w: FloatArray, count: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """At most `count` weighted means of the rows of `P`, by k-means; their weights add up to those of the rows."""
    part = micro_clusters(_coordinates(P), w, count, 0.0, seed)
    Y = np.eye(int(part.max()) + 1)[part] * w[:, None]
    total: FloatArray = Y.sum(axis=0)
    return (Y.T @ P) / total[:, None], total


def _coordinates(P: FloatArray) -> FloatArray:
    """The rows of `P` in as many dimensions as there are rows, with the same distances, where `P` has more columns."""
    if P.shape[1] <= len(P):
        return P
    values, vectors = np.linalg.eigh(P @ P.T)
    turned: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))
    return turned


def micro_clusters(X: FloatArray, w: FloatArray, count: int, smallest: float, seed: int) -> IntArray:
    """Labels 0, 1, ... by k-means: ten steps of Lloyd from rows drawn at random.

    Clusters lighter than `smallest` are dissolved: their rows join the nearest other.
    """
    if count < 2:
        return np.zeros(len(X), dtype=np.int64)
    C = X[np.random.default_rng(seed).choice(len(X), count, replace=False)]
    labels = np.full(len(X), -1, dtype=np.int64)
    for _ in range(LLOYD_STEPS):
        new = (np.einsum("ij,ij->i", C, C) - 2.0 * X @ C.T).argmin(axis=1)
        if (new == labels).all():
            break
        labels = new
        Y = np.eye(count)[labels] * w[:, None]
        mass = Y.sum(axis=0)
        C = np.where(mass[:, None] > 0, (Y.T @ X) / np.maximum(mass, 1e-12)[:, None], C)
    mass = np.bincount(labels, weights=w, minlength=count)
    heavy = np.flatnonzero(mass >= max(smallest, 1e-9))
    if not len(heavy):
        return np.zeros(len(X), dtype=np.int64)
    light = ~np.isin(labels, heavy)
    labels[light] = heavy[(np.einsum("ij,ij->i", C[heavy], C[heavy]) - 2.0 * X[light] @ C[heavy].T).argmin(axis=1)]
    return np.searchsorted(heavy, labels)
