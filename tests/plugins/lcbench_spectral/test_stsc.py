from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import lcbench
from lcbench.contract.metric import Contingency
from lcbench.contract.task import Task
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_spectral.stsc import StSC


def agreement(a, b) -> float:
    return AdjustedRandIndex().score(Contingency(a, b))


@pytest.mark.parametrize("affinity", ["knn", "full"])
def test_far_groups_are_found_exactly(make_task, affinity):
    labelled = make_task("a")
    labels = StSC(affinity=affinity).partial_fit(labelled.task).labels_
    assert agreement(labelled.y, labels) == 1.0


def test_permuted_rows_give_the_same_partition(make_task):
    labelled = make_task("a", spread=0.3)
    shuffle = np.random.default_rng(0).permutation(60)
    moved = Task("a", labelled.task.X[shuffle], 3)
    assert agreement(StSC().predict(labelled.task)[shuffle], StSC().predict(moved)) == 1.0


def test_sparse_and_dense_input_agree():
    for labelled in lcbench.load_stream("digits").tasks():
        dense, csr = labelled.task, Task(labelled.name, sparse.csr_array(labelled.task.X), labelled.task.n_clusters)
        np.testing.assert_array_equal(StSC().predict(dense), StSC().predict(csr))


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_it_agrees_with_scikit_learns_spectral_clustering_on_separated_data(make_task):
    from sklearn.cluster import SpectralClustering

    labelled = make_task("a", n=90)
    theirs = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    assert agreement(theirs.fit_predict(labelled.task.X), StSC().predict(labelled.task)) == 1.0


def test_one_cluster_is_all_zeros(make_task):
    task = Task("a", make_task("a").task.X, 1)
    assert not StSC().predict(task).any()


def test_zero_rows_join_some_cluster(make_task):
    X = np.vstack([make_task("a").task.X, np.zeros((3, 12))])
    labels = StSC().predict(Task("a", X, 3))
    assert labels.shape == (63,)
