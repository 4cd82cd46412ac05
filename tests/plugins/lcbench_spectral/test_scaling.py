from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench_spectral.scaling import inverse_root, scaled, squared_norms

X = np.array([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [1.0, 2.0, 2.0]])


@pytest.fixture(params=[np.array, sparse.csr_array], ids=["dense", "sparse"])
def matrix(request):
    return request.param(X)


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def test_a_sum_of_zero_has_the_inverse_root_zero_and_not_infinity():
    np.testing.assert_array_equal(inverse_root(np.array([4.0, 0.0, 0.25])), [0.5, 0.0, 2.0])


def test_scaling_is_the_product_with_diagonal_matrices(matrix):
    rows, columns = np.array([1.0, 5.0, -2.0]), np.array([2.0, 0.0, 3.0])
    np.testing.assert_allclose(dense(scaled(matrix, rows, columns)), np.diag(rows) @ X @ np.diag(columns))
    np.testing.assert_allclose(dense(scaled(matrix, rows)), np.diag(rows) @ X)


def test_a_sparse_matrix_stays_sparse_and_the_original_is_left_alone():
    matrix = sparse.csr_array(X)
    assert sparse.issparse(scaled(matrix, np.full(3, 2.0)))
    np.testing.assert_array_equal(matrix.toarray(), X)


def test_squared_norms_are_those_of_the_rows(matrix):
    np.testing.assert_allclose(squared_norms(matrix), np.linalg.norm(X, axis=1) ** 2)
