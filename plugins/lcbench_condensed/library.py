"""The library of CPSC: groups of related tasks, and a fixed number of prototypes per class that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from lcbench import FloatArray, IntArray, Matrix
from lcbench_condensed.kmeans import micro_clusters
from lcbench_condensed.refinement import unit
from lcbench_condensed.rows import Rows
from lcbench_condensed.shifted import Shifted
from lcbench_spectral.scaling import unit_rows

SAMPLES_PER_PROTOTYPE = 3


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Prototypes of related tasks: means of centred unit rows, the number of samples of each, and its class."""

    prototypes: Shifted
    weights: FloatArray
    classes: IntArray
    tasks: int = 1

    @property
    def width(self) -> int:
        """The number of classes."""
        return int(self.classes.max()) + 1

    def directions(self) -> FloatArray:
        """A unit row for each class: the weighted sum of its prototypes."""
        return unit(self.prototypes.sums(np.eye(self.width)[self.classes] * self.weights[:, None]))

    def units(self) -> Matrix:
        """The prototypes at length 1, of a group from a library, whose prototypes are not shifted."""
        return unit_rows(self.prototypes.matrix)

    def with_task(self, other: Group) -> Group:
        """This group and the prototypes of one more task."""
        return Group(
            self.prototypes.above(other.prototypes),
            np.concatenate([self.weights, other.weights]),
            np.concatenate([self.classes, other.classes]),
            self.tasks + 1,
        )

    def merged(self, budget: int, seed: int) -> Group:
        """This group with at most `budget` prototypes per class, by weighted k-means where a class has more."""
        sizes = np.bincount(self.classes)
        gram = self.prototypes.products_within(self.classes) if sizes.max() > budget else None
        part = np.zeros(len(self.classes), dtype=np.int64)
        owner: list[int] = []
        for c in np.flatnonzero(sizes):
            mine = np.flatnonzero(self.classes == c)
            new = np.arange(len(mine))
            if gram is not None and len(mine) > budget:
                new = micro_clusters(_coordinates(gram[np.ix_(mine, mine)]), self.weights[mine], budget, 0.0, seed)
            part[mine] = len(owner) + new
            owner += [int(c)] * (int(new.max()) + 1)
        return _means(self.prototypes, self.weights, part, owner, self.tasks)


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
        d = groups[0].prototypes.matrix.shape[1]
        columns = np.zeros((room, features), dtype=np.int32) if features < d else None
        values = np.zeros((room, min(features, d)), dtype=np.float32)
        first = 0
        for P in (block for group in groups for block in group.prototypes.blocks()):
            here = slice(first, first + len(P))
            if columns is not None:
                columns[here] = np.argpartition(-np.abs(P), features - 1, axis=1)[:, :features]
                P = np.take_along_axis(P, columns[here], axis=1)
            values[here] = P
            first += len(P)
        members = np.repeat(np.arange(len(groups)), [len(group.weights) for group in groups])
        return cls(
            d, values, columns,
            _filled(np.concatenate([group.weights for group in groups]), room, np.dtype(np.float32), 0),
            _filled(np.concatenate([group.classes for group in groups]), room, np.dtype(np.int32), -1),
            _filled(members, room, np.dtype(np.int32), -1),
            tuple(group.tasks for group in groups),
        )  # fmt: skip

    def groups(self, *, as_sparse: bool) -> list[Group]:
        """The groups, with prototypes that are sparse or dense as the rows of a task are."""
        found = []
        for g, tasks in enumerate(self.tasks):
            mine = self.members == g
            P: Any = self.values[mine].astype(np.float64)
            if self.columns is not None:
                ends = np.arange(len(P) + 1) * P.shape[1]
                P = sparse.csr_array((P.ravel(), self.columns[mine].ravel(), ends), shape=(len(P), self.n_features))
                P = P if as_sparse else P.toarray()
            elif as_sparse:
                P = sparse.csr_array(P)
            weights, classes = self.weights[mine].astype(np.float64), self.classes[mine].astype(np.int64)
            found.append(Group(Shifted.plain(P), weights, classes, tasks))
        return found


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
    return _means(rows.z, np.ones(rows.n), micro, owner)


def _means(rows: Shifted, weights: FloatArray, part: IntArray, classes: list[int], tasks: int = 1) -> Group:
    """The weighted means of the rows in each part, each part of a class."""
    total = np.bincount(part, weights=weights).astype(np.float64)
    V = sparse.csr_array((weights / total[part], (part, np.arange(len(part)))), shape=(len(total), len(part)))
    return Group(rows.combined(V), total, np.array(classes, dtype=np.int64), tasks)


def matched_classes(likeness: FloatArray, labels: IntArray, k: int) -> IntArray:
    """For each cluster of a task the class of a group that is most like it, one to one; the others are new classes.

    `likeness` are the products z · direction of samples and classes. The Hungarian method maximises their sum over
    samples, less their mean over the classes.
    """
    mine, theirs = linear_sum_assignment(-(np.eye(k)[labels].T @ (likeness - likeness.mean(axis=1, keepdims=True))))
    classes = np.full(k, -1, dtype=np.int64)
    classes[mine] = theirs
    new = classes < 0
    classes[new] = likeness.shape[1] + np.arange(int(new.sum()))
    return classes


def _coordinates(gram: FloatArray) -> FloatArray:
    """Rows with these products, and so with the distances of those that have them."""
    values, vectors = np.linalg.eigh(gram)
    turned: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))
    return turned
