from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import eigsh

from lcbench_spectral import products
from lcbench_spectral.products import SquareOperator, add_scaled, adder, product, product_and_back, transposed


@pytest.mark.parametrize("cached", [0, 1_000_000])
@pytest.mark.parametrize("shape", [(30, 50), (50, 30), (1, 5), (5, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_product_is_added_and_without_a_summand_is_scipys_to_the_bit(monkeypatch, cached, shape, order):
    monkeypatch.setattr(products, "CACHED", cached)
    generator = np.random.default_rng(0)
    A = sparse.random_array(shape, density=0.2, format="csr", rng=generator)
    X = np.asarray(generator.normal(size=(shape[1], 3)), order=order)
    add, to = adder(A, transposed(A)), generator.normal(size=(shape[0], 3))
    assert (add(X, np.zeros((shape[0], 3))) == A @ X).all()
    wanted = to + A @ X
    np.testing.assert_allclose(adder(A.toarray(), A.toarray().T)(X, to.copy()), wanted, atol=1e-12)
    assert add(X, to) is to
    np.testing.assert_allclose(to, wanted, atol=1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
def test_scaled_rows_are_added(order):
    generator = np.random.default_rng(0)
    X, to, factors = generator.normal(size=(20, 3)), generator.normal(size=(20, 3)), generator.normal(size=20)
    wanted = to + factors[:, None] * X
    assert add_scaled(factors, np.asarray(X, order=order), to) is to
    np.testing.assert_allclose(to, wanted, atol=1e-14)


def test_eigsh_finds_the_same_to_the_bit_by_the_operator():
    generator = np.random.default_rng(0)
    A = sparse.random_array((60, 60), density=0.2, format="csr", rng=generator)
    A = (A + A.T).tocsr()
    start = np.ones(60)
    for ours, theirs in zip(eigsh(SquareOperator(A), 3, v0=start), eigsh(A, 3, v0=start), strict=True):
        assert (ours == theirs).all()


@pytest.mark.parametrize("shape", [(500, 70), (70, 500)])
@pytest.mark.parametrize("small", [3000, 200_000])
def test_a_large_dense_product_in_parts_is_numpys(monkeypatch, shape, small):
    monkeypatch.setattr(products, "LARGE", 0)
    monkeypatch.setattr(products, "SMALL", small)
    generator = np.random.default_rng(0)
    A, X, Y = (generator.normal(size=size) for size in (shape, (shape[1], 3), (shape[0], 3)))
    np.testing.assert_allclose(adder(A, A.T)(X, np.zeros((shape[0], 3))), A @ X, atol=1e-12)
    np.testing.assert_allclose(adder(A.T, A)(Y, np.zeros((shape[1], 3))), A.T @ Y, atol=1e-12)


@pytest.mark.parametrize(("kind", "precision"), [(np.float64, 1e-12), (np.float32, 1e-4)])
@pytest.mark.parametrize("read_once", [1, 1000, 1_000_000])
def test_products_there_and_back_by_one_reading_are_numpys_in_double_precision(monkeypatch, kind, precision, read_once):
    monkeypatch.setattr(products, "READ_ONCE", read_once)
    generator = np.random.default_rng(0)
    A, X, more = (generator.normal(size=size) for size in ((90, 20), (20, 3), (90, 3)))
    there, back = product_and_back(A.astype(kind), X, more)
    assert there.dtype == back.dtype == product(A.astype(kind), X).dtype == np.float64
    np.testing.assert_allclose(there, A @ X, atol=precision)
    np.testing.assert_allclose(product(A.astype(kind), X), A @ X, atol=precision)
    np.testing.assert_allclose(back, A.T @ (A @ X + more), atol=10 * precision)
