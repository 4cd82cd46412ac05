from __future__ import annotations

import numpy as np
import pytest
from making import make_task
from scipy import sparse, special, stats
from sklearn.metrics import adjusted_rand_score

from lcbench_condensed.graphs import Neighbours
from lcbench_condensed.refinement import refine, temperature, unit
from lcbench_condensed.rows import Rows
from lcbench_condensed.shifted import Shifted

OPTIONS = {"steps": 3, "entropy": 0.2, "smoothing": 5.0}
NONE = np.zeros(0)


@pytest.fixture
def task():
    """Three groups of twenty samples, their rows and graph."""
    labelled = make_task(n=60, k=3, spread=0.8)
    rows = Rows(labelled.task.X, 0.5, centred=True)
    return rows.z, Neighbours.within(rows, 10).graph(), labelled.y


def test_unit_rows_have_length_1_and_zero_rows_stay():
    np.testing.assert_allclose(np.linalg.norm(unit(np.random.default_rng(0).normal(size=(5, 4))), axis=1), 1)
    assert not unit(np.zeros((1, 4))).any()


@pytest.mark.parametrize("share", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_the_temperature_gives_the_mean_entropy_asked_for(share, scale):
    U = scale * np.random.default_rng(0).normal(size=(200, 4))
    target = share * np.log(4)
    t = temperature(U, np.zeros(4), target, 10.0)
    assert np.mean(stats.entropy(special.softmax(t * U, axis=1), axis=1)) == pytest.approx(target, rel=0.02)


def test_labels_that_are_wrong_here_and_there_are_mended(task):
    rows, graph, y = task
    start = y.copy()
    start[:9] = (start[:9] + 1) % 3
    labels = refine(rows, NONE, graph, start, k=3, **OPTIONS)
    assert adjusted_rand_score(y, labels) == 1


def test_without_steps_the_labels_stay_but_for_clusters_beyond_k(task):
    rows, graph, y = task
    assert refine(rows, NONE, graph, y, k=3, **{**OPTIONS, "steps": 0}).tolist() == y.tolist()
    more = np.where(np.arange(60) < 6, 3, y)  # a small fourth cluster
    labels = refine(rows, NONE, graph, more, k=3, **{**OPTIONS, "steps": 0})
    assert adjusted_rand_score(y, labels) == 1


def test_prototypes_lead_samples_that_say_little(task):
    """A sample between two groups goes to the group whose direction the prototypes pull towards it."""
    rows, _, y = task
    graph = sparse.csr_array((63, 63))  # no neighbours: directions alone decide
    start = np.concatenate([y, [0, 1, 2]])
    centres = unit(rows.sums(np.eye(3)[y]))
    labels = refine(rows.above(Shifted.plain(centres)), np.full(3, 20.0), graph, start, k=3, **OPTIONS)
    turned = refine(rows.above(Shifted.plain(centres[[1, 2, 0]])), np.full(3, 1e6), graph, start, k=3, **OPTIONS)
    assert labels.tolist() == y.tolist()
    assert turned.tolist() == ((y - 1) % 3).tolist()  # heavy prototypes overrule the task


def test_it_fails_where_a_cluster_is_lost(task):
    rows, graph, y = task
    lost = np.where(y == 2, 1, y)
    assert refine(rows, NONE, graph, lost, k=3, **{**OPTIONS, "steps": 0}) is None
