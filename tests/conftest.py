"""Small tasks that many tests share."""

from __future__ import annotations

import numpy as np
import pytest

from lcbench.stream import ArrayStream
from lcbench.task import LabelledTask


def blobs(name: str, *, seed: int = 0, n: int = 60, k: int = 3, d: int = 12, spread: float = 0.05) -> LabelledTask:
    """`k` far groups of non-negative samples: group c is large in its own block of features."""
    generator = np.random.default_rng(seed)
    y = np.arange(n) % k
    centres = np.kron(np.eye(k), np.ones(d // k))
    X = centres[y] + spread * generator.random((n, (d // k) * k))
    return LabelledTask.from_arrays(name, X, y)


@pytest.fixture
def make_task():
    return blobs


@pytest.fixture
def blob_stream() -> ArrayStream:
    return ArrayStream("blobs", [blobs(f"task-{t + 1}", seed=t) for t in range(3)])
