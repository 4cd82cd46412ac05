from __future__ import annotations

import numpy as np
import pytest

from lcbench_multitask import ritz as module
from lcbench_multitask.ritz import leading_ritz, room_needed


def subspace(F) -> np.ndarray:
    return F @ F.T


def test_every_copy_of_a_multiple_eigenvalue_is_found():
    values = np.r_[np.ones(5), np.linspace(0.9, -1, 395)]
    start = np.eye(400)[:, 200:205]  # invariant, and wrong
    F, _ = leading_ritz(lambda V: (V, V), lambda U, _: values[:, None] * U, start)
    np.testing.assert_allclose(subspace(F), np.diag(np.r_[np.ones(5), np.zeros(395)]), atol=1e-5)


@pytest.mark.parametrize("depth", [2, 12])
def test_eigenvectors_of_an_operator_with_an_inverse_that_is_only_approximated(monkeypatch, depth):
    monkeypatch.setattr(module, "DEPTH", depth)
    generator = np.random.default_rng(0)
    n, k = 200, 3
    root = generator.standard_normal((n, n)) / np.sqrt(n)
    A = root @ root.T + np.diag(generator.uniform(1, 10, n))
    S = np.diag(np.linspace(0, 1, n) ** 4)

    def near(V):
        Z = V / np.diag(A)[:, None]
        return A @ Z, Z

    F, Z = leading_ritz(near, lambda U, Z: S @ U - Z, generator.standard_normal((n, k)))
    values, vectors = np.linalg.eigh(S - np.linalg.inv(A))
    np.testing.assert_allclose(subspace(F), subspace(vectors[:, -k:]), atol=1e-4)
    np.testing.assert_allclose(np.diag(F.T @ (S - np.linalg.inv(A)) @ F), values[: -k - 1 : -1], atol=1e-9)
    np.testing.assert_allclose(F.T @ F, np.eye(k), atol=1e-12)
    np.testing.assert_allclose(A @ Z, F, atol=1e-10)


def test_it_stops_at_once_where_the_start_holds_the_eigenvectors():
    values = np.r_[3.0, 2.0, np.linspace(0.9, -1, 198)]
    asked = []

    def near(V):
        asked.append(V.shape[1])
        return V, V

    start = np.eye(200)[:, :2]
    F, _ = leading_ritz(near, lambda U, _: values[:, None] * U, start)
    assert asked == [6]
    np.testing.assert_allclose(np.abs(F), start, atol=1e-9)


@pytest.mark.parametrize("found", [0, 5, 300])
def test_a_start_that_holds_some_eigenvector_exactly(found):
    values = np.linspace(1, -1, 400)
    start = np.c_[np.eye(400)[:, found], np.random.default_rng(1).standard_normal(400)]
    F, _ = leading_ritz(lambda V: (V, V), lambda U, _: values[:, None] * U, start)
    np.testing.assert_allclose(subspace(F), np.diag(np.r_[1.0, 1.0, np.zeros(398)]), atol=1e-4)


def test_a_space_with_nothing_left_to_add_does_no_harm(monkeypatch):
    monkeypatch.setattr(module, "RESIDUAL", -1.0)  # cannot be reached
    monkeypatch.setattr(module, "STEPS", 30)
    blocks = np.kron(np.eye(2), np.ones((200, 200))) / 200
    F, _ = leading_ritz(lambda V: (V, V), lambda U, _: blocks @ U, np.eye(400)[:, :2])
    np.testing.assert_allclose(subspace(F), blocks, atol=1e-9)


def test_the_basis_never_outgrows_its_depth(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 60)
    monkeypatch.setattr(module, "RESIDUAL", -1.0)
    n, k = room_needed(2), 2
    values = np.linspace(1, 0, n)
    steps = []

    def near(V):
        steps.append(V.shape[1])
        return V, V

    F, _ = leading_ritz(near, lambda U, _: values[:, None] * U, np.ones((n, k)) * [1.0, -2.0] + np.eye(n)[:, :k])
    assert len(steps) * max(steps) > n  # so many do not fit at once
    np.testing.assert_allclose(F.T @ F, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(subspace(F), np.diag(np.r_[1.0, 1.0, np.zeros(n - 2)]), atol=1e-6)
