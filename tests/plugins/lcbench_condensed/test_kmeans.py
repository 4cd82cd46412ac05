from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from lcbench_condensed.kmeans import kmeans_labels, micro_clusters


def test_clear_clusters_are_found():
    X, y = make_blobs(200, centers=5, cluster_std=0.1, random_state=0)
    assert adjusted_rand_score(y, kmeans_labels(X, 5, seed=0, starts=2)) == 1
    assert kmeans_labels(X, 1, seed=0, starts=2).tolist() == [0] * 200


@pytest.mark.parametrize("k", [2, 4, 10])
def test_the_partition_is_about_as_good_as_that_of_scikit_learn(k):
    """Both are local optima, which differ where rows have no clusters."""

    def spread(X, labels):
        return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))

    generator = np.random.default_rng(0)
    ours, theirs = [], []
    for seed in range(10):
        X = generator.normal(size=(150, k))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        ours.append(spread(X, kmeans_labels(X, k, seed=seed, starts=2)))
        theirs.append(spread(X, KMeans(k, n_init=2, random_state=seed).fit(X).labels_))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.01)


def test_more_clusters_than_different_rows_leave_some_empty():
    X = np.repeat(np.eye(2), 5, axis=0)
    labels = kmeans_labels(X, 3, seed=0, starts=2)
    assert adjusted_rand_score(np.repeat([0, 1], 5), labels) == 1


def test_micro_clusters_cover_all_rows_and_none_is_lighter_than_asked():
    X = np.random.default_rng(0).normal(size=(60, 4))
    labels = micro_clusters(X, np.ones(60), 20, 3, seed=0)
    counts = np.bincount(labels)
    assert (counts >= 3).all()
    assert len(counts) > 5
    assert micro_clusters(X, np.ones(60), 1, 3, seed=0).tolist() == [0] * 60
    assert micro_clusters(X[:3], np.ones(3), 2, 4, seed=0).tolist() == [0] * 3  # all would be dissolved


def test_of_centres_that_are_equal_up_to_rounding_the_first_has_all_rows():
    X = np.repeat(np.eye(3), 4, axis=0) + 1e-12 * np.random.default_rng(0).normal(size=(12, 3))
    labels = micro_clusters(X, np.ones(12), 12, 0, seed=0)
    assert len(np.unique(labels)) == 3
    assert adjusted_rand_score(np.repeat([0, 1, 2], 4), labels) == 1
