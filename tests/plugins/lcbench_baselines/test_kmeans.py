from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from lcbench.contract.hashing import derive_seed
from lcbench.contract.task import Task
from lcbench_baselines.kmeans import PooledKMeans, SingleTaskKMeans


def noise(name: str, *, seed: int = 0, n: int = 50, k: int = 4) -> Task:
    """Samples without groups: every start of k-means ends elsewhere."""
    return Task(name, np.random.default_rng(seed).random((n, 5)), k)


def sklearn_labels(X: np.ndarray, k: int, seed: int, **params: int) -> np.ndarray:
    return KMeans(k, random_state=seed, **{"n_init": 10, **params}).fit_predict(X)


@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.parametrize("random_state", [0, 7])
def test_it_is_scikit_learns_kmeans_on_rows_of_length_one_with_the_tasks_seed(name, random_state):
    task = noise(name)
    expected = sklearn_labels(normalize(task.X), 4, derive_seed(random_state, name))
    assert np.array_equal(SingleTaskKMeans(random_state=random_state).partial_fit(task).labels_, expected)


def test_rows_can_keep_their_length():
    task = noise("t")
    seed = derive_seed(0, "t")
    labels = SingleTaskKMeans(unit_rows=False).predict(task)
    assert np.array_equal(labels, sklearn_labels(task.X, 4, seed))
    assert not np.array_equal(labels, sklearn_labels(normalize(task.X), 4, seed))


def test_starts_and_iterations_reach_scikit_learn():
    task = noise("t", n=200, k=8)
    seed = derive_seed(0, "t")
    labels = SingleTaskKMeans(n_init=1, max_iter=2).predict(task)
    assert np.array_equal(labels, sklearn_labels(normalize(task.X), 8, seed, n_init=1, max_iter=2))
    assert not np.array_equal(labels, sklearn_labels(normalize(task.X), 8, seed))


def test_pooled_several_tasks_are_scikit_learns_kmeans_of_their_union_with_the_largest_k():
    first, second = noise("a", seed=1, k=2), noise("b", seed=2, n=30, k=5)
    method = PooledKMeans().partial_fit(first).partial_fit(second)
    union = normalize(np.vstack([first.X, second.X]))
    expected = sklearn_labels(union, 5, derive_seed(0, "a"))
    assert np.array_equal(method.predict(first), expected[:50])
    assert np.array_equal(method.predict(second), expected[50:])
    assert np.array_equal(method.labels_, expected[50:])
