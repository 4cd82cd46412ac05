from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import polar as scipy_polar

from lcbench_spectral.stiefel import polar


@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_equals_scipys_polar_factor(scale):
    A = scale * np.random.default_rng(0).normal(size=(30, 4))
    np.testing.assert_allclose(polar(A), scipy_polar(A)[0], atol=1e-10)


@pytest.mark.parametrize("smallest", [1e-1, 1e-3, 1e-6, 1e-12])
def test_columns_stay_orthonormal_when_the_matrix_is_nearly_singular(smallest):
    generator = np.random.default_rng(0)
    left = np.linalg.qr(generator.normal(size=(50, 3)))[0]
    right = np.linalg.qr(generator.normal(size=(3, 3)))[0]
    Q = polar(left * [1.0, 0.5, smallest] @ right)
    np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-9)


def test_without_rank_the_previous_iterate_decides():
    previous = np.linalg.qr(np.random.default_rng(0).normal(size=(10, 2)))[0]
    np.testing.assert_allclose(polar(np.zeros((10, 2)), previous), previous, atol=1e-12)


def test_no_orthonormal_matrix_has_a_larger_trace():
    generator = np.random.default_rng(0)
    A = generator.normal(size=(8, 3))
    best = np.trace(polar(A).T @ A)
    others = [np.linalg.qr(generator.normal(size=(8, 3)))[0] for _ in range(200)]
    assert all(np.trace(Q.T @ A) <= best for Q in others)
