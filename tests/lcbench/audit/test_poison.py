from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.audit.poison import poisoned
from lcbench.contract.task import Task

DENSE = Task("dense", np.random.default_rng(0).random((7, 5)), 2, tuple("abcde"))
ROWS = Task("rows", sparse.random_array((40, 30), density=0.2, rng=0, format="csr"), 3)
NO_ENTRY = Task("empty", sparse.csr_array((4, 3)), 2)


def dense(task):
    return task.X.toarray() if sparse.issparse(task.X) else np.array(task.X)


@pytest.mark.parametrize("task", [DENSE, ROWS, NO_ENTRY], ids=lambda task: task.name)
def test_the_lent_copy_equals_the_task_and_is_read_only(task):
    before = dense(task)
    with poisoned(task) as lent:
        assert (lent.name, lent.n_clusters, lent.feature_names) == (task.name, task.n_clusters, task.feature_names)
        np.testing.assert_array_equal(dense(lent), before)
        for array in (lent.X.data, lent.X.indices, lent.X.indptr) if sparse.issparse(lent.X) else (lent.X,):
            assert not array.flags.writeable
            assert array.base is not None
    np.testing.assert_array_equal(dense(task), before)


def test_dense_data_are_nan_afterwards():
    with poisoned(DENSE) as lent:
        view = lent.X[2:, ::-1]
    assert np.isnan(lent.X).all()
    assert np.isnan(view).all()


def test_sparse_data_are_wrong_afterwards_and_still_valid():
    with poisoned(ROWS) as lent:
        columns = lent.X.T
        indices, indptr = lent.X.indices.copy(), lent.X.indptr.copy()
    assert np.isnan(lent.X.data).all()
    assert not np.array_equal(lent.X.indices, indices)
    assert not np.array_equal(lent.X.indptr, indptr)
    for matrix in (lent.X, columns):
        fresh = type(matrix)((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        fresh.check_format(full_check=True)
        assert fresh.has_canonical_format
    assert lent.X.nnz == ROWS.X.nnz


def test_old_row_pointers_with_new_indices_stay_within_bounds():
    """Whoever copied the row pointers and kept the indices reads nonsense, and nothing outside of the arrays."""
    with poisoned(ROWS) as lent:
        indptr = lent.X.indptr.copy()
    mixed = sparse.csr_array((lent.X.data, lent.X.indices, indptr), shape=ROWS.X.shape)
    assert 0 <= mixed.indices.min() <= mixed.indices.max() < ROWS.n_features
    assert mixed.indptr[-1] == len(mixed.indices)


def test_a_task_mapped_from_a_file_is_copied_too(tmp_path):
    np.save(tmp_path / "X.npy", np.ones((4, 3)))
    task = Task("mapped", np.load(tmp_path / "X.npy", mmap_mode="r"), 2)
    with poisoned(task) as lent:
        assert not np.shares_memory(lent.X, task.X)
    assert np.isnan(lent.X).all()
    assert (np.load(tmp_path / "X.npy") == 1).all()


def test_the_task_is_spoiled_even_if_the_method_raises():
    with pytest.raises(ValueError, match="no"), poisoned(DENSE) as lent:
        raise ValueError("no")
    assert np.isnan(lent.X).all()
