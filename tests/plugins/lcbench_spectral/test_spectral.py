from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score as agreement

from lcbench.contract.task import LabelledTask
from lcbench_spectral.affinity import normalised_affinity
from lcbench_spectral.spectral import USC, StSC


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


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_stsc_agrees_with_scikit_learns_spectral_clustering_on_separated_data(make_task):
    labelled = make_task("a", n=90)
    theirs = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    assert agreement(theirs.fit_predict(labelled.task.X), StSC().predict(labelled.task)) == 1.0


def test_usc_is_stsc_of_the_stacked_tasks_and_of_one_task_stsc_itself(make_task):
    a, b = make_task("a", seed=0), make_task("b", seed=1, n=45)
    pooled = USC().partial_fit(a.task)
    assert (pooled.labels_ == StSC().predict(a.task)).all()
    pooled.partial_fit(b.task)
    stacked = LabelledTask.from_arrays("a", np.vstack([a.task.X, b.task.X]), np.concatenate([a.y, b.y]))
    both = np.concatenate([pooled.predict(a.task), pooled.labels_])
    assert (both == StSC().predict(stacked.task)).all()
