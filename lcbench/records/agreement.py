"""Compares partitions by the adjusted Rand index, to see if a task's labels drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lcbench.contract.task import IntArray

FEW_BLOCKS = 1024  # with labels below this, counting is faster than sorting


def adjusted_rand_index(a: IntArray, b: IntArray) -> float:
    """The adjusted Rand index of two label vectors; 1 for equal partitions, whatever their labels are called.

    Of all unordered pairs of samples let w be those together in both, x together in `a` only, y together in `b` only
    and z apart in both. Then ARI = 2 (w z - x y) / ((w + x) (x + z) + (w + y) (y + z)), which is the index of Hubert
    and Arabie written with whole numbers. Its expectation is 0 for partitions drawn at random with the sizes given.

    References
    ----------
    Hubert and Arabie, Comparing partitions, Journal of Classification 2, 1985. doi:10.1007/BF01908075

    Examples
    --------
    >>> import numpy as np
    >>> adjusted_rand_index(np.array([0, 0, 1, 1]), np.array([7, 7, 3, 3]))
    1.0
    >>> adjusted_rand_index(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    -0.5
    """
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"partitions of the same samples have one label each, not shapes {a.shape} and {b.shape}")
    if np.array_equal(a, b):
        return 1.0
    first, a_sizes = _blocks(a)
    second, b_sizes = _blocks(b)
    _, shared = _blocks(first * len(b_sizes) + second)
    together, in_a, in_b = (_pairs(sizes) for sizes in (shared, a_sizes, b_sizes))
    w, x, y = together, in_a - together, in_b - together
    z = len(a) * (len(a) - 1) // 2 - w - x - y
    if x == y == 0:
        return 1.0
    return 2 * (w * z - x * y) / ((w + x) * (x + z) + (w + y) * (y + z))


def agreement_row(
    order: Sequence[str], learned: Mapping[str, IntArray], now: Mapping[str, IntArray]
) -> list[float | None]:
    """The ARI of each task's partition `now` with the one when it was `learned`; None if either is missing."""
    return [
        adjusted_rand_index(now[task], learned[task]) if task in learned and task in now else None for task in order
    ]


def agreement_matrix(order: Sequence[str], labels: Sequence[Mapping[str, IntArray]]) -> list[list[float | None]]:
    """A[i][j]: the ARI of the j-th task's partition after i + 1 tasks with the one when it was learned, for j <= i.

    `labels` are by step and task, as in `RunRecord.labels`. A cell is None where a task has no labels in that step.
    """
    learned: dict[str, IntArray] = {}
    rows = []
    for task, now in zip(order, labels, strict=False):  # a run that failed has fewer steps than tasks
        learned[task] = now[task]
        rows.append(agreement_row(order, learned, now))
    return rows


def _blocks(labels: IntArray) -> tuple[IntArray, IntArray]:
    """The block of each sample, counted from 0, and the sizes of the blocks, of which some may be empty."""
    if labels.min() >= 0 and labels.max() < max(len(labels), FEW_BLOCKS):  # the usual labels
        block = labels.astype(np.int64, copy=False)
        return block, np.bincount(block)
    _, block, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return block.astype(np.int64), sizes.astype(np.int64)


def _pairs(sizes: IntArray) -> int:
    """The unordered pairs within blocks, as a Python integer: products of such numbers do not fit into 64 bits."""
    return int(np.sum(sizes * (sizes - 1) // 2))
