from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.errors import UnsuitableTaskError
from lcbench_multitask import dual as module
from lcbench_multitask.dual import (
    ApproximateDual,
    ExactDual,
    centred_gram,
    dual_system,
    leading_ritz,
    room_needed,
    scatter_of,
)  # fmt: skip

C = 0.3


def problem(n: int = 40, d: int = 25):
    generator = np.random.default_rng(0)
    X = generator.random((n, d)) * (generator.random((n, d)) < 0.3)
    return X, generator.random(d), generator.standard_normal((n, 3))


def dense_gram(X, spread):
    H = np.eye(len(X)) - 1 / len(X)
    return H @ X @ np.diag(spread) @ X.T @ H


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_lower_triangle_of_the_gram_matrix(monkeypatch, kind):
    monkeypatch.setattr(module, "CHUNK_BYTES", 8 * 40 * 7)  # seven rows at a time
    X, spread, _ = problem()
    np.testing.assert_allclose(np.tril(centred_gram(kind(X), spread)), np.tril(dense_gram(X, spread)), atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_exact_system_is_solved(kind):
    X, spread, V = problem()
    U, Z = ExactDual(kind(X), spread, C).near(V)
    assert U is V
    np.testing.assert_allclose(Z, np.linalg.solve(dense_gram(X, spread) + C * np.eye(40), V), atol=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_approximate_system_solves_for_its_features_and_multiplies_with_all(kind):
    X, spread, V = problem()
    chosen = np.array([1, 4, 5, 20])
    U, Z = ApproximateDual(kind(X), spread, C, chosen).near(V)
    part = dense_gram(X[:, chosen], spread[chosen]) + C * np.eye(40)
    np.testing.assert_allclose(Z, np.linalg.solve(part, V), atol=1e-9)
    np.testing.assert_allclose(U, (dense_gram(X, spread) + C * np.eye(40)) @ Z, atol=1e-9)


def test_a_large_common_offset_of_dense_samples_does_no_harm():
    X, spread, V = problem()
    plain = ApproximateDual(X, spread, C, np.arange(10)).near(V)
    moved = ApproximateDual(X + 1e6, spread, C, np.arange(10)).near(V)
    for a, b in zip(plain, moved, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_scatter_is_the_largest_eigenvalue(kind):
    X, _, _ = problem()
    largest = np.linalg.eigvalsh(dense_gram(X, np.ones(25)))[-1]
    assert 0.9 * largest < scatter_of(kind(X)) < 1.000001 * largest
    assert scatter_of(np.zeros((40, 3))) == 0.0


def test_features_are_left_out_only_where_they_add_little_to_c(monkeypatch):
    monkeypatch.setattr(module, "FEATURES_PER_SAMPLE", 0.25)
    X, _, V = problem()
    spread = np.full(25, 1e-3)
    used = [3, 4, 5, 6, 7, 11, 13, 17, 19, 23]
    spread[used] = 1.0
    scatter = scatter_of(X)
    c = 1e-3 * scatter / module.ROUGHNESS
    assert isinstance(dual_system(X, spread, 0.99 * c, scatter), ExactDual)
    system = dual_system(X, spread, 1.01 * c, scatter)
    expected = ApproximateDual(X, spread, 1.01 * c, np.array(used))
    np.testing.assert_allclose(system.near(V)[1], expected.near(V)[1], rtol=1e-9)
    spread[0] = 0.5  # an eleventh
    assert isinstance(dual_system(X, spread, 1.01 * c, scatter), ExactDual)


def test_with_no_feature_left_out_the_approximation_is_exact():
    X, spread, V = problem(n=300)
    system = dual_system(X, spread, 1e-3, scatter_of(X))
    assert isinstance(system, ApproximateDual)
    np.testing.assert_allclose(system.near(V)[0], V, atol=1e-9)


@pytest.mark.parametrize("system", [ExactDual, lambda X, s, c: ApproximateDual(X, s, c, np.arange(25))])
def test_a_matrix_that_rounding_makes_indefinite_is_refused(system):
    X, spread, _ = problem()
    low_rank = X[:, :3] @ X[:3]
    with pytest.raises(UnsuitableTaskError, match="set unit_rows, or raise beta"):
        system(1e12 * low_rank, spread, 1e-8)


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
