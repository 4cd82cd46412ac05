from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
from sklearn.neighbors import kneighbors_graph

from lcbench_spectral import neighbours as module
from lcbench_spectral.affinity import normalised_affinity

OPTIONS = {"affinity": "knn", "metric": "cosine", "n_neighbors": 5, "sigma": "median"}


def by_hand(X: np.ndarray, metric: str, nn: int) -> np.ndarray:
    """The k-NN affinity written as plainly as can be, with scikit-learn's distances."""
    n = len(X)
    squared = 2 - 2 * cosine_similarity(X) if metric == "cosine" else euclidean_distances(X, squared=True)
    edges = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = [j for j in np.argsort(squared[i], kind="stable") if j != i]
        edges[i, others[:nn]] = True
    edges |= edges.T
    sigma2 = np.median(squared[np.triu(edges, 1)])
    W = np.where(edges, np.exp(-squared / (2 * sigma2)), 0.0)
    degrees = W.sum(axis=1)
    return W / np.sqrt(np.outer(degrees, degrees))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_knn_graph_equals_one_from_scikit_learns_distances(metric, container):
    X = np.random.default_rng(0).random((40, 7)) * (np.random.default_rng(1).random((40, 7)) < 0.6)
    X[:, 0] += 0.1
    K = normalised_affinity(container(X), **{**OPTIONS, "metric": metric})
    np.testing.assert_allclose(K.toarray(), by_hand(X, metric, 5), atol=1e-10)


def test_chunks_do_not_change_the_graph(monkeypatch):
    X = sparse.csr_array(np.random.default_rng(0).random((50, 6)))
    whole = normalised_affinity(X, **OPTIONS).toarray()
    monkeypatch.setattr(module, "CHUNK_BYTES", 8 * 50 * 7)
    np.testing.assert_allclose(normalised_affinity(X, **OPTIONS).toarray(), whole, atol=1e-14)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_binary_graph_has_the_edges_of_scikit_learns_nearest_neighbours_and_no_sigma(container):
    X = np.random.default_rng(0).random((40, 7))
    edges = kneighbors_graph(X, 5, metric="cosine").toarray()
    W = np.maximum(edges, edges.T)
    degrees = W.sum(axis=1)
    for sigma in ("median", 0.01):
        K = normalised_affinity(container(X), **{**OPTIONS, "affinity": "binary", "sigma": sigma})
        np.testing.assert_allclose(K.toarray(), W / np.sqrt(np.outer(degrees, degrees)), atol=1e-12)


def test_full_affinity_is_the_normalised_gaussian_of_all_pairs():
    X = np.random.default_rng(0).random((20, 4))
    K = normalised_affinity(X, affinity="full", metric="euclidean", n_neighbors=1, sigma=0.7)
    W = np.exp(-euclidean_distances(X, squared=True) / (2 * 0.7**2))
    np.fill_diagonal(W, 0.0)
    degrees = W.sum(axis=1)
    np.testing.assert_allclose(K, W / np.sqrt(np.outer(degrees, degrees)), atol=1e-12)


def test_knn_with_all_neighbours_equals_the_full_graph():
    X = np.random.default_rng(0).random((15, 4))
    knn = normalised_affinity(X, **{**OPTIONS, "n_neighbors": 99})
    full = normalised_affinity(X, **{**OPTIONS, "affinity": "full"})
    np.testing.assert_allclose(knn.toarray(), full, atol=1e-12)


@pytest.mark.parametrize("affinity", ["knn", "full"])
def test_zero_rows_get_zero_affinity_under_cosine_and_leave_the_rest_alone(affinity):
    X = np.random.default_rng(0).random((20, 5))
    with_zeros = np.vstack([X[:8], np.zeros((2, 5)), X[8:]])
    kept = [i for i in range(22) if i not in (8, 9)]
    K = sparse.csr_array(normalised_affinity(with_zeros, **{**OPTIONS, "affinity": affinity})).toarray()
    alone = sparse.csr_array(normalised_affinity(X, **{**OPTIONS, "affinity": affinity})).toarray()
    assert not K[[8, 9]].any()
    np.testing.assert_allclose(K[np.ix_(kept, kept)], alone, atol=1e-12)


def test_scaling_the_data_changes_nothing_when_sigma_is_relative():
    X = np.random.default_rng(0).random((30, 5))
    for metric in ("cosine", "euclidean"):
        options = {**OPTIONS, "metric": metric}
        a, b = normalised_affinity(X, **options), normalised_affinity(7.5 * X, **options)
        np.testing.assert_allclose(a.toarray(), b.toarray(), atol=1e-9)


def test_equal_rows_do_not_divide_by_zero():
    K = normalised_affinity(np.ones((12, 3)), **OPTIONS)
    assert np.isfinite(K.toarray()).all()
    assert K.nnz > 0


def test_knn_never_holds_a_dense_matrix_of_all_pairs(monkeypatch):
    monkeypatch.setattr(module, "CHUNK_BYTES", 1_000_000)
    n = 4000
    X = sparse.random_array((n, 500), density=0.02, format="csr", rng=np.random.default_rng(0))
    tracemalloc.start()
    K = normalised_affinity(X, **OPTIONS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sparse.issparse(K)
    assert peak < 8 * n * n / 4


@pytest.mark.parametrize("copies", [2, 5, 7, 8, 9])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_rows_that_come_several_times_do_not_tear_the_graph_apart(copies, metric):
    generator = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    X = np.repeat(np.kron(np.eye(3), np.ones(4))[y] + 0.3 * generator.random((60, 12)), copies, axis=0)
    K = normalised_affinity(X, **{**OPTIONS, "metric": metric, "n_neighbors": 10})
    between_copies = sparse.block_diag([np.ones((copies, copies))] * 60).toarray() > 0
    others = K.toarray()[~between_copies]
    assert others.max() > 1e-3 * K.max()


def test_a_large_offset_does_not_change_the_euclidean_graph():
    X = np.random.default_rng(0).normal(size=(80, 5))
    near = normalised_affinity(X, **{**OPTIONS, "metric": "euclidean"}).toarray()
    far = normalised_affinity(X + 1e6, **{**OPTIONS, "metric": "euclidean"}).toarray()
    np.testing.assert_allclose(far, near, atol=1e-6)
