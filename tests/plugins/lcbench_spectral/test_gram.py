from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench_spectral.gram import all_products, rough_products


def rows(n: int, d: int = 40, *, seed: int = 0) -> sparse.csr_array:
    """Some features in most rows, many in few, an empty row and an empty feature."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d)) * (generator.random((n, d)) < 1.0 / np.arange(1, d + 1))
    X[n // 2] = 0.0
    X[:, 3] = 0.0
    return sparse.csr_array(X)


@pytest.mark.parametrize("n", [1, 2, 7, 50, 133])
def test_all_products_are_scipys_to_the_bit(n):
    X = rows(n)
    assert (all_products(X) == (X @ X.T.tocsr()).toarray()).all()


@pytest.mark.parametrize("n_rows", [1, 20, 64, 500])
def test_rough_products_are_the_upper_half_of_all_to_single_precision(n_rows):
    X = rows(133)
    whole = (X @ X.T).toarray()
    tops = []
    for top, block in rough_products(X, n_rows):
        tops.append(top)
        np.testing.assert_allclose(block, whole[top : top + n_rows, top:], rtol=1e-5, atol=1e-5)
    assert tops == list(range(0, 133, n_rows))


def test_rows_without_frequent_features_have_products_too():
    X = sparse.csr_array(np.eye(30))
    assert [top for top, block in rough_products(X, 30) if (block == np.eye(30)).all()] == [0]
