"""The audit `poison`: lends a method copies of tasks and overwrites them afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.task import Task, parts_of, trusted_task


@contextmanager
def poisoned(task: Task) -> Iterator[Task]:
    """Lend a copy of `task`; at the end its data are overwritten, so a method that kept its arrays holds wrong data."""
    X = task.X
    originals = [np.array(array) for array in parts_of(X)]
    views = [_read_only(array) for array in originals]
    try:
        lent = sparse.csr_array(tuple(views), shape=X.shape, copy=False) if sparse.issparse(X) else views[0]
        yield trusted_task(task.name, lent, task.n_clusters, task.feature_names)
    finally:
        for array in originals:
            array.flags.writeable = True
        if sparse.issparse(X):
            _spoil_pattern(*originals[1:])
        originals[0].fill(np.nan)
        for array in originals:
            array.flags.writeable = False


def _spoil_pattern(indices: Any, indptr: Any) -> None:
    """Overwrite a sparse pattern by one with as many entries: row lengths reversed, each row filled from the left.

    Indices stay within bounds, sorted and without duplicates, so that compiled code which reads them cannot crash.
    """
    lengths = np.diff(indptr)[::-1]
    indptr[1:] = np.cumsum(lengths)
    indices[:] = np.arange(len(indices)) - np.repeat(indptr[:-1], lengths)


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array.view()
