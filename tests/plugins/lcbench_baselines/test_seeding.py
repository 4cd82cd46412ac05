from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics.pairwise import euclidean_distances

from lcbench_baselines.seeding import spread_rows

CORNERS = 10 * np.eye(4)
X = CORNERS[np.arange(40) % 4] + 0.1 * np.random.default_rng(0).random((40, 4))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("seed", range(3))
def test_every_far_group_gets_a_row(container, seed):
    assert set(spread_rows(container(X), 4, seed) % 4) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_drawn_where_there_is_no_centre_yet(seed):
    assert set(spread_rows(X, 2, seed, CORNERS[[0, 2]]) % 4) == {1, 3}


def test_no_more_rows_are_drawn_than_differ():
    few = np.repeat(np.random.default_rng(0).random((3, 5)), 7, axis=0)
    rows = spread_rows(few, 10, 0)
    assert len(rows) == 3
    assert len(np.unique(few[rows], axis=0)) == 3
    assert len(spread_rows(few, 10, 0, few[:7])) == 2
    assert spread_rows(few, 10, 0, few).size == 0
    assert len(spread_rows(np.zeros((6, 2)), 4, 0)) == 1


@pytest.mark.parametrize("count", [0, -3])
def test_none_are_drawn_if_none_are_wanted(count):
    assert spread_rows(X, count, 0).size == 0
    assert spread_rows(X, count, 0, CORNERS).size == 0


def test_draws_are_as_good_as_those_of_scikit_learn():
    """The mean distance from the nearest of ten rows, over fifty seeds, is within a twentieth of its."""
    data = np.random.default_rng(1).random((200, 3))
    ours = [euclidean_distances(data, data[spread_rows(data, 10, s)], squared=True).min(axis=1) for s in range(50)]
    theirs = [
        euclidean_distances(data, kmeans_plusplus(data, 10, random_state=s)[0], squared=True).min(axis=1)
        for s in range(50)
    ]
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.05)
