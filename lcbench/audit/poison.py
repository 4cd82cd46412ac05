"""The audit `poison`: a task is lent as a private copy, which is overwritten when it is given back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.task import Task


@contextmanager
def poisoned(task: Task) -> Iterator[Task]:
    """A copy of `task` that is worth nothing afterwards: whoever kept its arrays has wrong data from then on."""
    X = task.X
    originals = [np.array(array) for array in ((X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,))]
    views = [_read_only(array) for array in originals]
    try:
        yield _like(task, _csr(views, X.shape) if sparse.issparse(X) else views[0])
    finally:
        for array in originals:
            array.flags.writeable = True
        if sparse.issparse(X):
            _spoil_pattern(*originals[1:])
        originals[0].fill(np.nan)
        for array in originals:
            array.flags.writeable = False


def _spoil_pattern(indices: Any, indptr: Any) -> None:
    """Another pattern of as many entries: rows in the opposite order, filled from the left.

    All of it stays within bounds, sorted and without duplicates, so that compiled code which meets it cannot crash.
    """
    lengths = np.diff(indptr)[::-1]
    indptr[1:] = np.cumsum(lengths)
    indices[:] = np.arange(len(indices)) - np.repeat(indptr[:-1], lengths)


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array.view()


def _csr(parts: list[Any], shape: tuple[int, int]) -> Any:
    X = sparse.csr_array(tuple(parts), shape=shape, copy=False)
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def _like(task: Task, X: Any) -> Task:
    """A task with these arrays themselves: the constructor would copy them."""
    copy = object.__new__(Task)
    for name, value in (("name", task.name), ("X", X), ("n_clusters", task.n_clusters)):
        object.__setattr__(copy, name, value)
    object.__setattr__(copy, "feature_names", task.feature_names)
    return copy
