from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from lcbench_spectral import kmeans
from lcbench_spectral.kmeans import kmeans_labels


def rows(seed, *, n=150, k=4):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, k)) + generator.normal(size=(k, k))[generator.integers(k, size=n)]
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("k", [2, 4, 10])
@pytest.mark.parametrize("n_init", [1, 10])
def test_the_labels_are_those_of_scikit_learn(k, n_init):
    for seed in range(10):
        X = rows(seed, k=k)
        theirs = KMeans(k, n_init=n_init, random_state=seed).fit(X).labels_
        assert kmeans_labels(X, k, seed=seed, n_init=n_init).tolist() == theirs.tolist()


def test_all_starts_are_made_side_by_side_where_rows_are_few(monkeypatch):
    X, y = make_blobs(200, centers=5, cluster_std=0.1, random_state=0)
    few = kmeans_labels(X, 5, seed=0)
    assert adjusted_rand_score(y, few) == 1
    monkeypatch.setattr("sklearn.cluster.KMeans", None)
    assert kmeans_labels(X, 5, seed=0).tolist() == few.tolist()
    monkeypatch.undo()
    monkeypatch.setattr(kmeans, "SMALL", 999)
    monkeypatch.setattr(kmeans, "_side_by_side", None)
    assert kmeans_labels(X, 5, seed=0).tolist() == few.tolist()
    assert adjusted_rand_score(y, kmeans_labels(sparse.csr_array(X), 5, seed=0)) == 1


def test_one_cluster_has_all_rows():
    assert kmeans_labels(rows(0), 1, seed=0).tolist() == [0] * 150


@pytest.mark.parametrize("tol", [0.0, 1e-4, 0.5])
def test_it_ends_as_soon_as_the_centres_move_no_more_than_is_tolerated(tol):
    for seed in range(5):
        X = rows(seed, k=6)
        theirs = KMeans(6, n_init=2, tol=tol, random_state=seed).fit(X).labels_
        assert kmeans_labels(X, 6, seed=seed, n_init=2, tol=tol).tolist() == theirs.tolist()


@pytest.mark.filterwarnings("error")
def test_more_clusters_than_different_rows_leave_some_empty():
    for rows in (1, 2):
        X = np.repeat(np.eye(2)[:rows], 5, axis=0)
        assert adjusted_rand_score(np.repeat([0, 1][:rows], 5), kmeans_labels(X, 3, seed=0)) == 1


def test_of_starts_that_end_in_the_same_partition_the_first_names_the_clusters():
    one, other = np.array([0, 0, 1, 2]), np.array([2, 2, 0, 1])
    assert kmeans._is_same(one, other, 3)
    assert not kmeans._is_same(one, np.array([0, 0, 1, 1]), 3)
    assert not kmeans._is_same(np.array([0, 0, 1, 1]), one, 3)
