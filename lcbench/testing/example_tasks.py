"""Small tasks for checks: far groups that every method should find, and hard ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.task import FloatArray, IntArray, Task

FEATURES = 12


def groups(n: int, k: int, seed: int = 0) -> FloatArray:
    """`n` non-negative samples of `k` far groups; the i-th is in group i mod k."""
    centres = np.eye(k, FEATURES) if k > FEATURES // 2 else np.kron(np.eye(k), np.ones(FEATURES // k))
    centres = np.pad(centres, ((0, 0), (0, FEATURES - centres.shape[1])))
    return centres[np.arange(n) % k] + 0.05 * np.random.default_rng(seed).random((n, FEATURES))


def classes(task: Task) -> IntArray:
    """The true groups of a task that `groups` made."""
    return np.arange(task.n_samples) % task.n_clusters


def tasks_of(*parts: tuple[Any, int]) -> tuple[Task, ...]:
    """Tasks from pairs of samples and number of clusters."""
    return tuple(Task(f"task-{i + 1}", X, k) for i, (X, k) in enumerate(parts))


def far_groups() -> tuple[Task, ...]:
    """Three tasks of far groups, of different sizes and numbers of clusters."""
    return tasks_of((groups(24, 3), 3), (groups(20, 2, seed=1), 2), (groups(30, 3, seed=2), 3))


def as_sparse(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The same tasks with sparse matrices."""
    return tuple(Task(task.name, sparse.csr_array(task.X), task.n_clusters, task.feature_names) for task in tasks)


X = groups(30, 3)
HARD_TASKS: dict[str, tuple[Task, ...]] = {
    "one task": tasks_of((X, 3)),
    "tiny tasks": tasks_of((X[:3], 3), (X, 3), (X[:4], 3), (X[:2], 2), (X[:1], 1)),
    "zero rows": tasks_of((np.vstack([X, np.zeros((4, FEATURES))]), 3), (np.zeros((9, FEATURES)), 3), (X, 3)),
    "one cluster": tasks_of((X, 1), (X, 3), (X, 1)),
    "more clusters than before": tasks_of((groups(20, 2), 2), (groups(40, 5), 5), (X, 3), (groups(40, 8), 8)),
    "negative features": tasks_of((X - 0.5, 3), (groups(20, 2, seed=1) - 0.5, 2)),
}
