from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench_spectral.singular import centred, right_singular


@pytest.mark.parametrize("shape", [(8, 5), (150, 30), (30, 400), (160, 140)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("centre", [False, True])
def test_it_equals_numpys_svd(shape, container, centre):
    X = np.random.default_rng(0).random(shape) * (np.random.default_rng(1).random(shape) < 0.4)
    mean = X.mean(axis=0) if centre else None
    values, vectors = right_singular(container(X), 3, mean)
    _, expected, right = np.linalg.svd(X - mean if centre else X, full_matrices=False)
    np.testing.assert_allclose(values, expected[:3], rtol=1e-9)
    np.testing.assert_allclose(vectors @ vectors.T, right[:3].T @ right[:3], atol=1e-7)


def test_there_are_no_more_vectors_than_the_matrix_has():
    values, vectors = right_singular(np.random.default_rng(0).random((4, 2)), 3)
    assert values.shape == (2,)
    assert vectors.shape == (2, 2)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_the_centred_operator_is_the_centred_matrix_and_its_transpose(container):
    generator = np.random.default_rng(0)
    X = generator.random((6, 4))
    operator, dense = centred(container(X), X.mean(axis=0)), X - X.mean(axis=0)
    U, V = generator.random((4, 2)), generator.random((6, 2))
    np.testing.assert_allclose(operator.matmat(U), dense @ U)
    np.testing.assert_allclose(operator.rmatmat(V), dense.T @ V)
    np.testing.assert_allclose(operator.matvec(U[:, 0]), dense @ U[:, 0])
    np.testing.assert_allclose(operator.rmatvec(V[:, :1]), dense.T @ V[:, :1])
