"""A small record, and what is in a folder."""

from __future__ import annotations

import numpy as np
import pytest
from making import make_record

from lcbench.records.record import RunRecord


@pytest.fixture
def record() -> RunRecord:
    """Two tasks, with labels."""
    labels = [{"a": np.array([0, 1, 1])}, {"b": np.array([2, 0]), "a": np.array([1, 1, 0])}]
    facts = {"setting": "single-task", "stream_digest": "1", "environment": {"python": "3.11", "system": "Ünix"}}
    return make_record("m", [[1.0, None], [0.5, 0.25]], metric="nmi", labels=labels, finished=None, **facts)


@pytest.fixture
def files():
    """The files in a folder by their paths in it."""

    def found(folder):
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

    return found
