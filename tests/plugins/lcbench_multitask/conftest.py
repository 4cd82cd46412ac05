"""A stream of topics that are hard to part, and starts for the methods that couple tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import lcbench
from lcbench import IntArray, Task
from lcbench_multitask.bregman import CoupledTasks


@pytest.fixture
def topics() -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream("topics:documents=60,words=120,signal=0.3").tasks()]


@pytest.fixture
def random_labels() -> Callable[..., list[IntArray]]:
    def draw(tasks: Sequence[Task], seed: int = 0) -> list[IntArray]:
        generator = np.random.default_rng(seed)
        return [generator.permutation(np.arange(task.n_samples) % task.n_clusters) for task in tasks]

    return draw


@pytest.fixture
def coupled_tasks() -> Callable[..., CoupledTasks]:
    def couple(tasks: Sequence[Task], lam: float = 2.0, divergence: str = "euclidean") -> CoupledTasks:
        return CoupledTasks.of(tasks, divergence=divergence, unit_rows=True, lam=lam)

    return couple


@pytest.fixture
def objective() -> Callable[..., float]:
    """J of MBC's docstring with R given, written out."""

    def value(coupled: CoupledTasks, M: np.ndarray, labels: Sequence[IntArray], R: np.ndarray) -> float:
        local = 0.0
        for p, block, h in zip(coupled.points, coupled.blocks, labels, strict=True):
            local += np.mean([coupled.divergence.distances(p, M[block])[i, h[i]] for i in range(p.n)])
        return local + coupled.weight * np.sum(R * coupled.divergence.between(M))

    return value
