from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.contract.task import Task
from lcbench.errors import UnsuitableTaskError
from lcbench_spectral.scaling import (
    bipartite,
    check_not_negative,
    inverse_root,
    normalise,
    scaled,
    squared_norms,
    unit_rows,
)  # fmt: skip

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


def test_unit_rows_have_length_one_and_zero_rows_stay(matrix):
    np.testing.assert_allclose(dense(unit_rows(matrix)), [[0.6, 0.0, 0.8], [0.0, 0.0, 0.0], [1 / 3, 2 / 3, 2 / 3]])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_normalised_graph_is_divided_by_the_roots_of_its_degrees_and_a_row_without_edges_stays(container):
    W = np.array([[0.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(dense(normalise(container(W))), W / 4)


def test_the_bipartite_normalisation_by_hand():
    expected = [[1 / np.sqrt(4 * 1), 3 / np.sqrt(4 * 7)], [0.0, 4 / np.sqrt(4 * 7)]]
    np.testing.assert_allclose(bipartite(np.array([[1.0, 3.0], [0.0, 4.0]])), expected)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_its_largest_singular_value_is_one(container):
    counts = np.random.default_rng(0).poisson(0.7, (30, 12)).astype(float)
    assert np.linalg.norm(dense(bipartite(container(counts))), 2) == pytest.approx(1.0)


def test_its_zero_rows_and_columns_stay_zero():
    A = bipartite(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    assert np.isfinite(A).all()
    assert not A[1].any()
    assert not A[:, 1].any()


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_large_dense_one_alone_is_in_single_precision(container):
    counts = np.random.default_rng(0).poisson(0.7, (30, 12)).astype(float)
    narrow, whole = bipartite(container(counts), single_from=360), bipartite(container(counts), single_from=361)
    assert whole.dtype == np.float64
    assert narrow.dtype == (np.float64 if sparse.issparse(narrow) else np.float32)
    np.testing.assert_allclose(dense(narrow), dense(whole), rtol=1e-6)


def test_in_single_precision_sums_near_zero_do_no_harm():
    X = np.random.default_rng(0).random((300, 400))
    X[:, 0], X[0], X[0, 0] = 0.0, 0.0, 1e-90
    np.testing.assert_allclose(bipartite(X, single_from=0), bipartite(X), rtol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_negative_features_are_refused_with_advice(container):
    check_not_negative(Task("zeros", container(np.zeros((2, 2))), 1), "l2sc", "stsc")
    message = r"l2sc needs .* task 'a' has -2 among them: .*transform=minmax.* or use stsc\."
    with pytest.raises(UnsuitableTaskError, match=message):
        check_not_negative(Task("a", container(np.array([[1.0, -2.0]])), 1), "l2sc", "stsc")


def test_sums_of_sparse_rows_and_columns_are_scipys_to_the_bit():
    A = sparse.random_array((40, 300), density=0.1, format="csr", rng=np.random.default_rng(0))
    A.data[A.indptr[3] : A.indptr[4]] = 0.0
    A.eliminate_zeros()  # a row without entries
    assert (squared_norms(A) == (A * A).sum(axis=1)).all()
    expected = scaled(A, inverse_root(A.sum(axis=1)), inverse_root(A.sum(axis=0)))
    assert (bipartite(A).data == expected.data).all()
    assert not squared_norms(sparse.csr_array((2, 3))).any()
