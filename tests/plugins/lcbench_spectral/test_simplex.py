from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from lcbench_spectral.simplex import project_rows

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
    np.testing.assert_allclose(project_rows(np.array([v])), [nearest], atol=1e-15)


@given(MATRICES)
def test_rows_are_in_the_simplex_and_projecting_again_changes_nothing(V):
    P = project_rows(V)
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(project_rows(P), P, atol=1e-9)


@given(MATRICES, st.floats(-10, 10))
def test_adding_a_constant_to_a_row_changes_nothing(V, c):
    np.testing.assert_allclose(project_rows(V + c), project_rows(V), atol=1e-8)


def test_no_point_of_the_simplex_is_nearer_by_a_general_solver():
    V = np.random.default_rng(0).normal(size=(5, 6))
    for v, p in zip(V, project_rows(V), strict=True):
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
