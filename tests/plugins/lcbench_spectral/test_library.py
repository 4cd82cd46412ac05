from __future__ import annotations

import numpy as np
import pytest

from lcbench_spectral.library import L21, Library, eigenvector_basis


def orthonormal(generator, n, k):
    return np.linalg.qr(generator.normal(size=(n, k)))[0]


@pytest.mark.parametrize("reading", ["theta_inv", "theta", "sparse"])
@pytest.mark.parametrize("mu", [0.0, 0.01, 0.3, 5.0])
def test_a_step_never_lowers_its_objective(reading, mu):
    generator = np.random.default_rng(0)
    penalty = L21(reading, mu)
    for _ in range(20):
        S, L = generator.normal(size=(40, 3)), orthonormal(generator, 40, 3)
        for _ in range(5):
            norms = np.linalg.norm(L, axis=1)
            before = np.sum(L * S) + penalty.value(norms)
            base, root = penalty.step(S.copy(), L, norms)
            L = base @ root
            assert np.sum(L * S) + penalty.value(np.linalg.norm(L, axis=1)) >= before - 1e-10
            np.testing.assert_allclose(L.T @ L, np.eye(3), atol=1e-9)


def test_only_the_sparse_reading_makes_the_library_sparse():
    generator = np.random.default_rng(0)
    S, start = 0.1 * generator.normal(size=(200, 3)), orthonormal(generator, 200, 3)
    share, empty = {}, {}
    for reading in ("theta_inv", "theta", "sparse"):
        L = start
        for _ in range(30):
            base, root = L21(reading, 0.5).step(S.copy(), L, np.linalg.norm(L, axis=1))
            L = base @ root
        energy = np.sort(np.einsum("ij,ij->i", L, L))[::-1]
        share[reading] = energy[:20].sum() / energy.sum()
        empty[reading] = np.mean(energy < 1e-6)
    assert share["theta"] < share["theta_inv"] < share["sparse"]
    assert empty["theta"] == empty["theta_inv"] == 0.0
    assert empty["sparse"] > 0.5


def test_new_columns_are_orthonormal_and_old_ones_stay():
    generator = np.random.default_rng(0)
    A, E = generator.random((20, 15)), orthonormal(generator, 20, 3)
    library = Library.first(A, E)
    wide = library.widened(A, orthonormal(generator, 20, 5))
    np.testing.assert_allclose(wide.L.T @ wide.L, np.eye(5), atol=1e-10)
    np.testing.assert_array_equal(wide.L[:, :3], library.L)
    assert wide.C.shape == (15, 5)
    assert not wide.C[:, 3:].any()
    assert wide.widened(A, E) is wide


def test_the_papers_basis_is_orthonormal_with_falling_eigenvalues():
    G = np.random.default_rng(0).normal(size=(4, 4))
    B = eigenvector_basis(G)
    np.testing.assert_allclose(B.T @ B, np.eye(4), atol=1e-12)
    values = np.diag(B.T @ ((G + G.T) / 2) @ B)
    assert list(values) == sorted(values, reverse=True)
