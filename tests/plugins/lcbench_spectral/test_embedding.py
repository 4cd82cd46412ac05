from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.cluster._spectral import discretize
from sklearn.metrics import adjusted_rand_score as agreement

from lcbench.errors import UnsuitableTaskError
from lcbench_spectral import embedding
from lcbench_spectral.affinity import normalised_affinity
from lcbench_spectral.embedding import centred, embed_labels, leading_eigenvectors, right_singular, rotation_labels
from lcbench_spectral.scaling import normalise


def test_eigenvectors_span_what_a_dense_solver_finds():
    X = np.random.default_rng(0).random((300, 8))
    K = normalised_affinity(X, affinity="knn", metric="euclidean", n_neighbors=8, sigma="median")
    F = leading_eigenvectors(K, 4)
    G = np.linalg.eigh(K.toarray())[1][:, -4:]
    np.testing.assert_allclose(F @ F.T, G @ G.T, atol=1e-7)
    near = leading_eigenvectors(K, 4, tolerance=1e-6)
    np.testing.assert_allclose(near @ near.T, G @ G.T, atol=1e-5)


@pytest.mark.parametrize("size", [30, 150])
def test_blocks_are_recovered_exactly(size):
    generator = np.random.default_rng(0)
    blocks = []
    for _ in range(4):
        W = generator.random((size, size)) < 0.3
        W = np.triu(W, 1) | np.eye(size, k=1, dtype=bool)
        blocks.append(sparse.csr_array((W | W.T).astype(float)))
    K = normalise(sparse.csr_array(sparse.block_diag(blocks, format="csr")))
    y = np.repeat(np.arange(4), size)
    shuffle = generator.permutation(len(y))
    F = leading_eigenvectors(K[shuffle][:, shuffle], 4)
    np.testing.assert_allclose(F.T @ F, np.eye(4), atol=1e-9)
    assert agreement(y[shuffle], embed_labels(F, 4, seed=0)) == 1.0


def test_more_components_than_clusters_still_give_an_orthonormal_embedding():
    K = normalise(sparse.csr_array(sparse.block_diag([np.ones((5, 5)) - np.eye(5)] * 6, format="csr")))
    F = leading_eigenvectors(K, 3)
    np.testing.assert_allclose(F.T @ F, np.eye(3), atol=1e-9)


def test_of_many_components_only_as_many_are_solved_as_there_are_clusters(monkeypatch):
    sizes = [4, 9, 5, 7, 3, 8, 6] * 10
    solved, component = [], embedding._component
    monkeypatch.setattr(embedding, "_component", lambda K, *rest: solved.append(K.shape[0]) or component(K, *rest))
    K = normalise(sparse.csr_array(sparse.block_diag([np.ones((n, n)) - np.eye(n) for n in sizes], format="csr")))
    F = leading_eigenvectors(K, 3)
    assert solved == [9, 9, 9]
    np.testing.assert_allclose(F[np.repeat(sizes, sizes) < 9], 0)
    np.testing.assert_allclose(K @ F, F, atol=1e-12)
    np.testing.assert_allclose(F.T @ F, np.eye(3), atol=1e-12)


def test_of_a_matrix_that_is_no_normalised_affinity_every_component_is_solved():
    blocks = [np.full((2, 2), 3.0)] * 4 + [np.full((5, 5), 0.2)] * 4  # eigenvalues 6 and 1, the greater in smaller ones
    F = leading_eigenvectors(sparse.csr_array(sparse.block_diag(blocks, format="csr")), 4, most=np.inf)
    np.testing.assert_allclose(F[8:], 0)
    np.testing.assert_allclose(F.T @ F, np.eye(4), atol=1e-12)


def test_a_graph_without_edges_has_an_embedding():
    F = leading_eigenvectors(sparse.csr_array((6, 6)), 2)
    assert F.shape == (6, 2)
    np.testing.assert_allclose(F.T @ F, np.eye(2), atol=1e-12)


def test_labels_do_not_change_under_a_rotation_of_the_embedding():
    generator = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    F = np.eye(3)[y] + 0.05 * generator.normal(size=(60, 3))
    Q = np.linalg.qr(generator.normal(size=(3, 3)))[0]
    assert agreement(embed_labels(F, 3, seed=0), embed_labels(F @ Q, 3, seed=0)) == 1.0


def test_rows_are_normalised_only_if_asked():
    F = np.vstack([np.outer([1.0, 10.0, 0.1], [1.0, 0.0]), np.outer([1.0, 10.0, 0.1], [0.0, 1.0])])
    assert agreement(embed_labels(F, 2, seed=0), [0, 0, 0, 1, 1, 1]) == 1.0
    assert agreement(embed_labels(F, 2, seed=0, normalize_rows=False), [0, 0, 0, 1, 1, 1]) < 1.0


@pytest.mark.parametrize("sigma", [0.1, pytest.param(0.03, marks=pytest.mark.slow), 0.01, 0.003])
def test_crowded_eigenvalues_are_found_as_a_dense_solver_finds_them(sigma):
    X = np.random.default_rng(0).random((400, 5))
    K = normalised_affinity(X, affinity="knn", metric="euclidean", n_neighbors=10, sigma=sigma)
    F = leading_eigenvectors(K, 4)
    found = np.sort(np.diag(F.T @ (K @ F)))
    np.testing.assert_allclose(found, np.linalg.eigvalsh(K.toarray())[-4:], atol=1e-6)


def test_where_the_iteration_fails_a_dense_solver_helps_and_a_graph_too_large_for_it_is_refused(monkeypatch):
    def fails(*given, **options):
        raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    X = np.random.default_rng(0).random((150, 8))
    K = normalised_affinity(X, affinity="knn", metric="euclidean", n_neighbors=8, sigma="median")
    expected = leading_eigenvectors(K, 4)
    monkeypatch.setattr(embedding, "eigsh", fails)
    F = leading_eigenvectors(K, 4)
    np.testing.assert_allclose(F @ F.T, expected @ expected.T, atol=1e-7)
    monkeypatch.setattr(embedding, "DENSE_RESCUE", 149)
    with pytest.raises(UnsuitableTaskError, match=r"graph of 150 samples is so loosely knit .* raise n_neighbors"):
        leading_eigenvectors(K, 4)


def test_rows_without_an_edge_change_nothing_for_the_others():
    X = np.random.default_rng(0).random((150, 6))
    options = {"affinity": "knn", "metric": "cosine", "n_neighbors": 8, "sigma": "median"}
    F = leading_eigenvectors(normalised_affinity(X, **options), 3)
    G = leading_eigenvectors(normalised_affinity(np.vstack([X, np.zeros((40, 6))]), **options), 3)
    assert not G[150:].any()
    np.testing.assert_allclose(G[:150] @ G[:150].T, F @ F.T, atol=1e-7)


@pytest.mark.parametrize("shape", [(8, 5), (150, 30), (30, 400), (160, 140)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("centre", [False, True])
def test_singular_vectors_are_those_of_numpys_svd(shape, container, centre):
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


def rotated_indicators(k: int = 4, n: int = 80, noise: float = 0.0):
    generator = np.random.default_rng(0)
    y = np.arange(n) % k
    Q = np.linalg.qr(generator.standard_normal((k, k)))[0]
    return y, (np.eye(k)[y] + noise * generator.standard_normal((n, k))) @ Q


@pytest.mark.parametrize("k", [2, 3, 5])
def test_rotated_indicators_are_found_exactly(k):
    y, F = rotated_indicators(k)
    assert agreement(y, rotation_labels(F * np.linspace(0.1, 3, len(F))[:, None], k, seed=0)) == 1.0


def test_the_rotation_agrees_with_scikit_learns_discretisation():
    _, F = rotated_indicators(noise=0.25)
    assert agreement(discretize(F, random_state=0), rotation_labels(F, 4, seed=0)) == 1.0


def nearness(F, labels, k) -> float:
    """What the best rotation for these labels reaches: the sum of the singular values of Fᵀ Y."""
    F = F / np.linalg.norm(F, axis=1, keepdims=True)
    return np.linalg.svd(F.T @ np.eye(k)[labels], compute_uv=False).sum()


def test_more_starts_are_never_worse_and_sometimes_better(monkeypatch):
    gains = []
    for seed in range(8):
        F = np.random.default_rng(seed).standard_normal((40, 5))
        monkeypatch.setattr(embedding, "ROTATION_STARTS", 1)
        one = nearness(F, rotation_labels(F, 5, seed=seed), 5)
        monkeypatch.setattr(embedding, "ROTATION_STARTS", 20)
        gains.append(nearness(F, rotation_labels(F, 5, seed=seed), 5) - one)
    assert min(gains) > -1e-9
    assert max(gains) > 1e-3


def test_the_axes_of_a_start_are_the_rows_least_like_those_before():
    F = np.array([[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.6, 0.0, 0.8], [0.0, 0.8, 0.6], [0.1, 0.9, 0.1]])
    np.testing.assert_array_equal(embedding._axes(F, 3, 0), F[[0, 3, 4]].T)


def test_a_rotation_of_one_cluster_of_zero_rows_and_again():
    _, F = rotated_indicators(noise=0.3)
    assert not rotation_labels(F, 1, seed=0).any()
    F[:3] = 0.0
    labels = rotation_labels(F, 4, seed=5)
    assert (labels[:3] == 0).all()
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, rotation_labels(F, 4, seed=5))


def test_equal_rows_leave_clusters_empty_and_do_no_harm():
    assert len(set(rotation_labels(np.ones((10, 3)), 3, seed=0))) == 1


@pytest.mark.parametrize("n", [2, 5, 20, 28, 60])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_complete_graph_has_as_many_eigenvectors_as_are_asked_for(n, kind):
    K = (np.ones((n, n)) - np.eye(n)) / (n - 1)
    for k in range(1, min(n, 6) + 1):
        F = leading_eigenvectors(kind(K), k)
        np.testing.assert_allclose(F.T @ F, np.eye(k), atol=1e-9)
        np.testing.assert_allclose(np.diag(F.T @ K @ F), [1.0, *[-1 / (n - 1)] * (k - 1)], atol=1e-9)
