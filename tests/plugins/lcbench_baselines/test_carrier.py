from __future__ import annotations

import logging
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from lcbench import Task, UnknownTaskError, UnsuitableTaskError
from lcbench_baselines.carrier import Carrier, merge_groups, warn_of_collapse

LINE = np.array([[0.0], [0.0], [1.0], [10.0], [11.0], [30.0]])


def scatter(X: np.ndarray, labels: np.ndarray) -> float:
    """The sum of squared distances from the means of clusters."""
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


def test_groups_that_are_few_enough_keep_their_samples_and_are_numbered_by_their_first():
    assert merge_groups(["b", "b", "z", "z", "a", "a"], LINE, 3, 0).tolist() == [0, 0, 1, 1, 2, 2]
    assert merge_groups([7, 7, 7, -1, -1, 7], LINE, 4, 0).tolist() == [0, 0, 0, 1, 1, 0]


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_too_many_groups_are_merged_by_where_their_means_are(container):
    assert merge_groups([5, 5, 3, 2, 1, 0], container(LINE), 3, 0).tolist() == [0, 0, 0, 1, 1, 2]


def test_one_cluster_is_everything():
    assert merge_groups([3, 1, 2, 1, 0, 0], LINE, 1, 0).tolist() == [0] * 6


@pytest.mark.parametrize("seed", range(5))
def test_of_all_ways_to_merge_the_one_with_the_least_scatter_is_found(seed):
    generator = np.random.default_rng(seed)
    X, groups = generator.random((40, 2)), np.arange(40) % 6
    X += 0.3 * groups[:, None]
    ways = [np.array(way)[groups] for way in product(range(3), repeat=6) if set(way) == {0, 1, 2}]
    least = min(scatter(X, labels) for labels in ways)
    assert scatter(X, merge_groups(groups, X, 3, 0)) == pytest.approx(least)


def test_a_large_group_weighs_more_than_a_small_one():
    # Means at 0, 4 and 7: unweighted, 4 and 7 are nearest; a hundred samples at 7 and at 4 let 0 and 4 be merged.
    X = np.repeat([[0.0], [4.0], [7.0]], [1, 100, 100], axis=0)
    assert merge_groups(X[:, 0], X, 2, 0).tolist() == [0] * 101 + [1] * 100


def test_the_names_of_groups_do_not_matter():
    generator = np.random.default_rng(0)
    X, groups = generator.random((60, 3)), generator.integers(12, size=60)
    expected = merge_groups(groups, X, 4, 0)
    for seed in range(5):
        names = np.random.default_rng(seed).permutation(12)
        np.testing.assert_array_equal(merge_groups(names[groups], X, 4, 0), expected)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_one_cluster_for_samples_that_differ_is_warned_of(caplog, container):
    with caplog.at_level(logging.WARNING):
        warn_of_collapse(np.zeros(6, dtype=np.int64), Task("line", container(LINE), 2), "KMeans", "scale it")
    assert caplog.messages == [
        "KMeans put all 6 samples of task 'line' into one cluster, where 2 were asked for: scale it."
    ]


@pytest.mark.parametrize(
    ("labels", "X", "k"),
    [([0, 0, 0, 0, 1, 0], LINE, 3), ([0] * 6, LINE, 1), ([0] * 6, np.ones((6, 2)), 2), ([0] * 6, np.zeros((6, 2)), 2)],
    ids=["two clusters", "one was asked for", "all samples equal", "nothing but zeros"],
)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_nothing_is_said_where_nothing_was_lost(caplog, labels, X, k, container):
    warn_of_collapse(np.array(labels), Task("t", container(X), k), "KMeans", "scale it")
    assert caplog.messages == []


class Rounds(Carrier):
    """Its clusterer is the number of tasks that it has learned; the groups are the samples' first features, rounded."""

    advice = "round less"
    random_state = 0

    def _learn(self, task):
        return getattr(self, "model_", 0) + 1, task.X

    def _rows(self, task):
        return task.X

    def _groups(self, X):
        return X[:, 0].round(self.model_ - 2)


def test_the_clusterer_as_it_is_now_labels_new_and_old_tasks(caplog):
    method = Rounds()
    assert method.partial_fit(Task("first", LINE, 5)).labels_.tolist() == [0, 0, 0, 1, 1, 2]  # rounded to tens
    assert method.partial_fit(Task("second", LINE, 5)).labels_.tolist() == [0, 0, 1, 2, 3, 4]  # to ones
    assert method.predict(Task("first", LINE, 5)).tolist() == [0, 0, 1, 2, 3, 4]
    assert (method.model_, caplog.messages) == (2, [])
    Rounds().partial_fit(Task("small", LINE / 100, 2))
    assert caplog.messages == [
        "int put all 6 samples of task 'small' into one cluster, where 2 were asked for: round less."
    ]


def test_other_features_are_refused_with_a_sentence_and_so_is_predicting_before_learning():
    method = Rounds()
    with pytest.raises(UnknownTaskError, match="Rounds has learned nothing yet"):
        method.predict(Task("a", LINE, 2))
    method.partial_fit(Task("a", LINE, 2))
    for call in (method.partial_fit, method.predict):
        with pytest.raises(UnsuitableTaskError, match=r"'b' has 2 features, but the tasks before it had 1: .*same"):
            call(Task("b", np.hstack([LINE, LINE]), 2))
    assert method.model_ == 1
