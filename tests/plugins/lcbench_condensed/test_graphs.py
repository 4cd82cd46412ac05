from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from lcbench_condensed.graphs import Neighbours, modularity, voted
from lcbench_condensed.rows import Rows
from lcbench_spectral.affinity import normalised_affinity


@pytest.fixture
def data() -> np.ndarray:
    return np.random.default_rng(0).random((40, 8)) ** 2


def test_neighbours_are_those_that_scikit_learn_finds(data):
    found = Neighbours.within(Rows(sparse.csr_array(data), 0.5, centred=False), 6)
    distance, index = NearestNeighbors(n_neighbors=7, metric="cosine").fit(np.sqrt(data)).kneighbors(np.sqrt(data))
    assert [set(row) for row in found.index] == [set(row[1:]) for row in index]
    np.testing.assert_allclose(np.sort(1 - found.cosine, axis=1), distance[:, 1:], atol=1e-12)


def test_the_own_graph_is_that_of_stsc_on_the_same_rows(data):
    Y = np.sqrt(data) / np.linalg.norm(np.sqrt(data), axis=1, keepdims=True)
    options = {"affinity": "knn", "metric": "cosine", "n_neighbors": 6, "sigma": "median"}
    for centred, same in ((False, np.sqrt(data)), (True, Y - Y.mean(axis=0))):
        graph = Neighbours.within(Rows(data, 0.5, centred=centred), 6).graph()
        np.testing.assert_allclose(graph.toarray(), normalised_affinity(same, **options).toarray(), atol=1e-9)


def test_a_zero_row_has_no_edge_and_few_samples_have_all_others_as_neighbours(data):
    data[3] = 0
    graph = Neighbours.within(Rows(sparse.csr_array(data[:5]), 0.5, centred=False), 10).graph().toarray()
    assert not graph[3].any()
    assert not graph[:, 3].any()
    assert (graph[np.ix_([0, 1, 2, 4], [0, 1, 2, 4])] > 0).sum() == 12


def test_joint_neighbours_are_the_nearest_of_samples_and_prototypes_together(data):
    """Against a search over all, where all similarities are of one kind."""
    unit = data / np.linalg.norm(data, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -np.inf)
    n = 30
    order = np.argsort(-cosine[:n, :n], axis=1)[:, :6]
    own = Neighbours(order, np.take_along_axis(cosine[:n, :n], order, axis=1))
    joint = own.joined(cosine[:n, n:], unit[n:] @ unit[n:].T)
    expected = np.argsort(-cosine, axis=1)[:, :6]
    assert [set(row) for row in joint.index] == [set(row) for row in expected]
    np.testing.assert_allclose(np.sort(joint.cosine), np.sort(np.take_along_axis(cosine, expected, axis=1)))


def test_modularity_of_two_triangles_joined_by_an_edge_as_worked_by_hand():
    W = np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]:
        W[i, j] = W[j, i] = 1.0
    halves = np.array([0, 0, 0, 1, 1, 1])
    assert modularity(W, halves) == pytest.approx(2 * (6 / 14 - (7 / 14) ** 2))  # = 5/14
    assert modularity(sparse.csr_array(W), halves) == pytest.approx(5 / 14)
    assert modularity(W, np.zeros(6, dtype=int)) == pytest.approx(0)
    assert modularity(np.zeros((6, 6)), halves) == 0


def test_a_vote_gives_each_sample_the_label_of_its_neighbours():
    W = np.array([[0, 2, 1, 0], [2, 0, 1, 0], [1, 1, 0, 0.5], [0, 0, 0.5, 0]])
    assert voted(W, np.array([1, 1, 0, 0])).tolist() == [1, 1, 1, 0]  # the third: 2 for label 1, 0.5 for label 0
