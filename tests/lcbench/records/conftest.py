"""A small record, and what is in a folder."""

from __future__ import annotations

import numpy as np
import pytest

from lcbench.records.record import RunRecord


@pytest.fixture
def record() -> RunRecord:
    """Two tasks, with labels."""
    return RunRecord(
        method="m", revision=1, params={}, setting="single-task", stream="s", stream_params={}, stream_digest="1",
        order=("a", "b"), seed=0, repeat=0, environment={"python": "3.11", "system": "Ünix"},
        scores={"nmi": [[1.0, None], [0.5, 0.25]]},
        labels=[{"a": np.array([0, 1, 1])}, {"b": np.array([2, 0]), "a": np.array([1, 1, 0])}],
    )  # fmt: skip


@pytest.fixture
def files():
    """The files in a folder by their paths in it."""

    def found(folder):
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

    return found
