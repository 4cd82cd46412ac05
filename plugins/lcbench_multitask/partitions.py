"""Partitions as matrices, and where those of several tasks stand when they are put one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lcbench import FloatArray, IntArray


def one_hot(labels: IntArray, k: int) -> FloatArray:
    """A row per sample and a column per cluster, with 1 for its members."""
    P = np.zeros((len(labels), k))
    P[np.arange(len(labels)), labels] = 1.0
    return P


def blocks_of(sizes: Sequence[int]) -> tuple[slice, ...]:
    """The places of tasks with so many clusters, or samples, each."""
    ends = np.cumsum(sizes)
    return tuple(slice(int(end - size), int(end)) for end, size in zip(ends, sizes, strict=True))
