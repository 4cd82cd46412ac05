from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.contract.task import Task
from lcbench.errors import UnsuitableTaskError
from lcbench_spectral.bipartite import bipartite


def test_by_hand():
    A = bipartite(Task("t", np.array([[1.0, 3.0], [0.0, 4.0]]), 1), "l2sc")
    expected = [[1 / np.sqrt(4 * 1), 3 / np.sqrt(4 * 7)], [0.0, 4 / np.sqrt(4 * 7)]]
    np.testing.assert_allclose(A, expected)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_its_largest_singular_value_is_one(container):
    X = np.random.default_rng(0).poisson(0.7, (30, 12)).astype(float)
    A = bipartite(Task("t", container(X), 1), "l2sc")
    dense = A.toarray() if sparse.issparse(A) else A
    assert np.linalg.norm(dense, 2) == pytest.approx(1.0)


def test_zero_rows_and_columns_stay_zero():
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    A = bipartite(Task("t", X, 1), "l2sc")
    assert np.isfinite(A).all()
    assert not A[1].any()
    assert not A[:, 1].any()


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_negative_features_are_refused_with_advice(container):
    with pytest.raises(UnsuitableTaskError, match=r"task 'a' has -2 .* shift or rescale .* stsc"):
        bipartite(Task("a", container(np.array([[1.0, -2.0]])), 1), "l2sc")
