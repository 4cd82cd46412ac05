from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench_multitask import ridge as module
from lcbench_multitask.ridge import Ridge


def problem(n: int = 40, d: int = 25):
    generator = np.random.default_rng(0)
    X = generator.random((n, d)) * (generator.random((n, d)) < 0.3)
    return X, generator.standard_normal((d, 3)), np.array([0.5, 2.0, 10.0])


@pytest.mark.parametrize("shape", [(40, 25), (25, 40)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("lam", [0.0, 10.0])
@pytest.mark.parametrize("exact_up_to", [1000, 5])
def test_the_normal_equations_are_solved(monkeypatch, shape, kind, lam, exact_up_to):
    monkeypatch.setattr(module, "EXACT_UP_TO", exact_up_to)
    monkeypatch.setattr(module, "RANK", 4)
    X, Y, b = problem(*shape)
    W = Ridge(kind(X), lam).solve(Y, b, np.ones_like(Y))
    expected = [np.linalg.solve(lam * X.T @ X + s * np.eye(len(Y)), y) for s, y in zip(b, Y.T, strict=True)]
    np.testing.assert_allclose(W, np.transpose(expected), atol=1e-9)


def test_no_conjugate_gradient_step_raises_the_value(monkeypatch):
    monkeypatch.setattr(module, "EXACT_UP_TO", 5)
    monkeypatch.setattr(module, "RANK", 4)
    X, Y, b = problem()
    start = np.random.default_rng(1).standard_normal(Y.shape)
    values = []
    for steps in range(12):
        monkeypatch.setattr(module, "MAX_ITER", steps)
        W = Ridge(X, 10.0).solve(Y, b, start)
        values.append(5.0 * np.sum((X @ W) ** 2, axis=0) + 0.5 * b * np.sum(W**2, axis=0) - np.sum(Y * W, axis=0))
    assert (np.diff(values, axis=0) <= 1e-9).all()


def test_a_zero_right_side_and_a_solved_start_stay(monkeypatch):
    monkeypatch.setattr(module, "EXACT_UP_TO", 5)
    X, Y, b = problem()
    ridge = Ridge(X, 1.0)
    assert not ridge.solve(np.zeros_like(Y), b, np.zeros_like(Y)).any()
    solved = ridge.solve(Y, b, np.zeros_like(Y))
    np.testing.assert_array_equal(ridge.solve(Y, b, solved), solved)
