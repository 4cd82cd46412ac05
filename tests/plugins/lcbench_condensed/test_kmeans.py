from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score

from lcbench_condensed.kmeans import micro_clusters


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
