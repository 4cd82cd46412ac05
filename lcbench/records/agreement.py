"""Compares partitions by the adjusted Rand index, to see if a task's labels drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lcbench.contract.metric import Contingency
from lcbench.contract.task import IntArray


def agreement_row(
    order: Sequence[str], learned: Mapping[str, IntArray], now: Mapping[str, IntArray]
) -> list[float | None]:
    """The ARI of each task's partition `now` with the one when it was `learned`; None if either is missing."""
    return [_agreement(now[task], learned[task]) if task in learned and task in now else None for task in order]


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


def _agreement(now: IntArray, before: IntArray) -> float:
    """The ARI of two partitions; that of scikit-learn takes many times as long, and a run has a value per cell."""
    return 1.0 if np.array_equal(now, before) else Contingency(now, before).adjusted_rand_index
