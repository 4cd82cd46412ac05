"""Neighbour graphs of a task alone and of a task with prototypes, and the modularity of a partition on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lcbench import FloatArray, IntArray
from lcbench_condensed.rows import Rows
from lcbench_spectral.affinity import neighbour_graph


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The most similar others of each sample: their numbers and their cosines, -inf where there is no other."""

    index: IntArray
    cosine: FloatArray

    @classmethod
    def within(cls, rows: Rows, most: int) -> Neighbours:
        """The nearest `most` samples of every sample of a task; a zero row has no neighbours and is none."""
        count = min(most, rows.n - 1)
        index, cosine = [], []
        for start, block in rows.similarities():
            here = np.arange(len(block))
            block[here, start + here] = -np.inf
            block[:, rows.is_zero] = -np.inf
            block[rows.is_zero[start + here]] = -np.inf
            nearest = _largest(block, count)
            index.append(nearest)
            cosine.append(np.take_along_axis(block, nearest, axis=1))
        return cls(np.vstack(index), np.vstack(cosine))

    def joined(self, toward: FloatArray, among: FloatArray) -> Neighbours:
        """As many neighbours for n samples and m prototypes, which have the numbers from n on.

        `toward` are the cosines of samples and prototypes (n x m), `among` those of prototypes. A neighbour of a sample
        that has `most` nearer ones among samples is not among its nearest `most` here either, so samples are not
        compared again.
        """
        n, count = self.index.shape
        cosine = np.hstack([self.cosine, toward])
        samples = _largest(cosine, count)
        own = np.take_along_axis(self.index, np.minimum(samples, count - 1), axis=1)
        others = among.copy()
        np.fill_diagonal(others, -np.inf)
        beside = np.hstack([toward.T, others])
        prototypes = _largest(beside, count)
        return Neighbours(
            np.vstack([np.where(samples < count, own, n + samples - count), prototypes]),
            np.vstack([np.take_along_axis(cosine, samples, axis=1), np.take_along_axis(beside, prototypes, axis=1)]),
        )

    def graph(self) -> Any:
        """D^-1/2 W D^-1/2 with W_ij = exp(-d²/(2 sigma²)), d² = 2 - 2 cos, sigma² its median over the edges.

        i and j have an edge if one is a neighbour of the other.
        """
        n, count = self.index.shape
        there = np.isfinite(self.cosine).ravel()
        i, j = np.repeat(np.arange(n), count)[there], self.index.ravel()[there]
        squared = np.maximum(2.0 - 2.0 * self.cosine.ravel()[there], 0.0)
        return neighbour_graph(n, i, j, squared, "median")


def modularity(K: Any, labels: IntArray) -> float:
    """Newman's modularity of a partition of a weighted graph: sum_c (e_cc - (sum_d e_cd)²), 0 without edges."""
    Y = np.eye(int(labels.max()) + 1)[labels]
    e = Y.T @ (K @ Y)
    total = float(e.sum())
    if total <= 0:
        return 0.0
    e = e / total
    return float(np.trace(e) - np.sum(e.sum(axis=0) ** 2))


def voted(K: Any, labels: IntArray) -> IntArray:
    """The label of each sample by the weights of its neighbours with each label; 0 without neighbours."""
    votes: IntArray = (K @ np.eye(int(labels.max()) + 1)[labels]).argmax(axis=1)
    return votes


def _largest(similarities: FloatArray, count: int) -> IntArray:
    """The columns of the `count` largest entries of each row, in any order."""
    chosen: IntArray = np.argpartition(similarities, -count, axis=1)[:, -count:]
    return chosen
