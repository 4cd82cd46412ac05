from __future__ import annotations

import numpy as np

from lcbench_spectral.affinity import normalised_affinity
from lcbench_spectral.stsc import StSC


def test_the_graph_is_made_with_the_methods_own_options(make_task):
    X = make_task("a").task.X
    method = StSC(affinity="full", metric="euclidean", sigma=0.7)
    expected = normalised_affinity(X, affinity="full", metric="euclidean", n_neighbors=10, sigma=0.7)
    np.testing.assert_array_equal(method._graph(X), expected)
    assert not np.allclose(method._graph(X), StSC(affinity="full", metric="euclidean", sigma=5.0)._graph(X))


def test_the_seed_of_the_final_k_means_comes_from_random_state_and_the_tasks_name():
    F = np.random.default_rng(0).random((80, 3))  # no groups: k-means ends where its start leads it
    first = StSC(random_state=1)._partition(F, 6, "a")
    np.testing.assert_array_equal(StSC(random_state=1)._partition(F, 6, "a"), first)
    others = [StSC(random_state=1)._partition(F, 6, "b"), StSC(random_state=2)._partition(F, 6, "a")]
    assert not any(np.array_equal(first, other) for other in others)
