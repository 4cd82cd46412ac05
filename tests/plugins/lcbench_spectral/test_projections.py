from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import polar as scipy_polar
from scipy.optimize import minimize

from lcbench_spectral.projections import polar, simplex_rows, square_polar


@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_the_polar_factor_is_scipys(scale):
    A = scale * np.random.default_rng(0).normal(size=(30, 4))
    np.testing.assert_allclose(polar(A), scipy_polar(A)[0], atol=1e-10)


def test_the_factor_of_a_square_matrix_is_scipys_and_without_rank_the_identity_decides():
    A = np.random.default_rng(0).normal(size=(4, 4))
    np.testing.assert_allclose(square_polar(A), scipy_polar(A)[0], atol=1e-12)
    np.testing.assert_allclose(square_polar(np.zeros((4, 4))), np.eye(4), atol=1e-12)


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


MATRICES = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.floats(-50, 50))


@pytest.mark.parametrize(
    ("v", "nearest"),
    [
        ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
        ([5.0, 0.0], [1.0, 0.0]),
        ([1.0, 1.0], [0.5, 0.5]),
        ([0.5, 0.5, -9.0], [0.5, 0.5, 0.0]),
        ([0.9, 0.5], [0.7, 0.3]),
        ([-3.0], [1.0]),
    ],
)
def test_cases_worked_by_hand(v, nearest):
    np.testing.assert_allclose(simplex_rows(np.array([v])), [nearest], atol=1e-15)


@given(MATRICES)
def test_rows_are_in_the_simplex_and_projecting_again_changes_nothing(V):
    P = simplex_rows(V)
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(simplex_rows(P), P, atol=1e-9)


@given(MATRICES, st.floats(-10, 10))
def test_adding_a_constant_to_a_row_changes_nothing(V, c):
    np.testing.assert_allclose(simplex_rows(V + c), simplex_rows(V), atol=1e-8)


def test_no_point_of_the_simplex_is_nearer_by_a_general_solver():
    V = np.random.default_rng(0).normal(size=(5, 6))
    for v, p in zip(V, simplex_rows(V), strict=True):
        found = minimize(
            lambda r, v=v: ((r - v) ** 2).sum(),
            np.full(6, 1 / 6),
            jac=lambda r, v=v: 2 * (r - v),
            bounds=[(0, 1)] * 6,
            constraints={"type": "eq", "fun": lambda r: r.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(p, found.x, atol=1e-5)
