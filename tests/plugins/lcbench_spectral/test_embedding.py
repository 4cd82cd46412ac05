from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench.contract.metric import Contingency
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_spectral.affinity import normalise, normalised_affinity
from lcbench_spectral.embedding import embed_labels, leading_eigenvectors


def agreement(a, b) -> float:
    return AdjustedRandIndex().score(Contingency(a, b))


def test_eigenvectors_span_what_a_dense_solver_finds():
    X = np.random.default_rng(0).random((300, 8))
    K = normalised_affinity(X, affinity="knn", metric="euclidean", n_neighbors=8, sigma="median")
    F = leading_eigenvectors(K, 4)
    G = np.linalg.eigh(K.toarray())[1][:, -4:]
    np.testing.assert_allclose(F @ F.T, G @ G.T, atol=1e-7)


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


def test_one_cluster_and_too_few_distinct_rows():
    assert not embed_labels(np.ones((5, 2)), 1, seed=0).any()
    labels = embed_labels(np.ones((5, 2)), 3, seed=0)
    assert labels.shape == (5,)
    assert set(labels) <= {0, 1, 2}


@pytest.mark.parametrize("sigma", [0.1, pytest.param(0.03, marks=pytest.mark.slow), 0.01, 0.003])
def test_crowded_eigenvalues_are_found_as_a_dense_solver_finds_them(sigma):
    X = np.random.default_rng(0).random((400, 5))
    K = normalised_affinity(X, affinity="knn", metric="euclidean", n_neighbors=10, sigma=sigma)
    F = leading_eigenvectors(K, 4)
    found = np.sort(np.diag(F.T @ (K @ F)))
    np.testing.assert_allclose(found, np.linalg.eigvalsh(K.toarray())[-4:], atol=1e-6)


def test_rows_without_an_edge_change_nothing_for_the_others():
    X = np.random.default_rng(0).random((150, 6))
    options = {"affinity": "knn", "metric": "cosine", "n_neighbors": 8, "sigma": "median"}
    F = leading_eigenvectors(normalised_affinity(X, **options), 3)
    G = leading_eigenvectors(normalised_affinity(np.vstack([X, np.zeros((40, 6))]), **options), 3)
    assert not G[150:].any()
    np.testing.assert_allclose(G[:150] @ G[:150].T, F @ F.T, atol=1e-7)
