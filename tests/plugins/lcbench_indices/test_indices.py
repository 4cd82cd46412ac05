from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
    rand_score,
    silhouette_score,
)

from lcbench.contract.metric import Contingency
from lcbench.contract.task import Task
from lcbench_indices.indices import (
    Accuracy,
    AdjustedMutualInformation,
    AdjustedRandIndex,
    NormalizedMutualInformation,
    Purity,
    RandIndex,
    Silhouette,
)

FEW_GROUPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25)
PARTITIONS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30)


def agreement(pairs, class_of):
    return sum(class_of[cluster] == c for c, cluster in pairs) / len(pairs)


@settings(deadline=None)
@given(FEW_GROUPS)
def test_purity_is_the_best_of_all_ways_to_name_each_cluster_after_a_class(pairs):
    y, labels = zip(*pairs, strict=True)
    namings = itertools.product(range(4), repeat=4)
    assert Purity().score(Contingency(y, labels)) == pytest.approx(max(agreement(pairs, n) for n in namings))


@settings(deadline=None)
@given(FEW_GROUPS)
def test_accuracy_is_the_best_of_all_one_to_one_matchings(pairs):
    y, labels = zip(*pairs, strict=True)
    matchings = itertools.permutations(range(4))
    assert Accuracy().score(Contingency(y, labels)) == pytest.approx(max(agreement(pairs, m) for m in matchings))


@pytest.mark.parametrize(
    ("y", "labels", "purity", "accuracy"),
    [
        ([0, 0, 0, 1, 0, 0, 1, 2], [0, 0, 0, 0, 1, 1, 1, 1], 5 / 8, 4 / 8),
        ([0], [0], 1, 1),
        ([0, 0, 0], [0, 1, 2], 1, 1 / 3),
        ([0, 0, 1, 2], [0, 0, 0, 0], 1 / 2, 1 / 2),
        ([0, 0, 1, 1], [0, 1, 2, 3], 1, 1 / 2),
    ],
    ids=[
        "class 0 the largest of both clusters",
        "one sample",
        "one class cut up",
        "one cluster",
        "more clusters than classes",
    ],
)
def test_purity_takes_the_largest_class_of_each_cluster_and_accuracy_a_class_once(y, labels, purity, accuracy):
    table = Contingency(y, labels)
    assert Purity().score(table) == pytest.approx(purity)
    assert Accuracy().score(table) == pytest.approx(accuracy)


def rand_score_with_diagonal(y, labels) -> float:
    """The n pairs of a sample with itself agree, and stand beside the n² - n other ordered ones."""
    n = len(y)
    return (rand_score(y, labels) * (n**2 - n) + n) / n**2


THEIRS = {
    NormalizedMutualInformation(): normalized_mutual_info_score,
    NormalizedMutualInformation(average="geometric"): partial(normalized_mutual_info_score, average_method="geometric"),
    AdjustedMutualInformation(): adjusted_mutual_info_score,
    RandIndex(): rand_score,
    RandIndex(include_diagonal=True): rand_score_with_diagonal,
    AdjustedRandIndex(): adjusted_rand_score,
}


@settings(deadline=None)
@given(pairs=PARTITIONS)
@example(pairs=[(0, 0)])  # one sample
@example(pairs=[(0, 0), (0, 0), (0, 0)])  # one class, one cluster
@example(pairs=[(0, 0), (0, 1), (0, 1)])  # one class, many clusters
@example(pairs=[(0, 0), (1, 0), (1, 0)])  # many classes, one cluster
@example(pairs=[(0, 0), (0, 1), (0, 2)])  # one class, every sample alone
@example(pairs=[(0, 2), (1, 1), (2, 0)])  # every sample alone in both
@example(pairs=[(0, 0), (0, 1), (1, 0), (1, 1)])  # independent
def test_they_equal_scikit_learns_on_names_of_another_kind(pairs):
    y, labels = zip(*pairs, strict=True)
    table = Contingency([f"class {c}" for c in y], [-cluster for cluster in labels])
    for metric, theirs in THEIRS.items():
        assert metric.score(table) == pytest.approx(theirs(y, labels), abs=1e-12), metric


def test_nmi_worked_by_hand():
    # The classes 1 and 2 share a cluster: the classes tell the clusters, so I = H(clusters); H(classes) = log 3.
    table = Contingency([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1])
    of_clusters = -(1 / 3) * math.log(1 / 3) - (2 / 3) * math.log(2 / 3)
    arithmetic = of_clusters / ((of_clusters + math.log(3)) / 2)
    geometric = of_clusters / math.sqrt(of_clusters * math.log(3))
    assert NormalizedMutualInformation().score(table) == pytest.approx(arithmetic)
    assert NormalizedMutualInformation(average="geometric").score(table) == pytest.approx(geometric)
    assert geometric - arithmetic > 0.01


def test_the_diagonal_worked_by_hand():
    # Of the nine ordered pairs the three with themselves agree, and (0, 1), (1, 0): 0 and 1 are together in both.
    # With sample 2 both disagree: apart in classes, together in clusters.
    assert RandIndex(include_diagonal=True).score(Contingency([0, 0, 1], [0, 0, 0])) == pytest.approx(5 / 9)


def test_samples_by_the_hundred_thousand_do_not_overflow():
    y = np.repeat([0, 1], 150_000)
    labels = np.roll(y, 1)  # one sample of each class changes sides
    table = Contingency(y, labels)
    assert RandIndex().score(table) == pytest.approx(rand_score(y, labels), abs=1e-12)
    assert AdjustedRandIndex().score(table) == pytest.approx(adjusted_rand_score(y, labels), abs=1e-9)


X = np.random.default_rng(0).random((30, 6)) + 0.01
LABELS = np.arange(30) % 3


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_it_equals_scikit_learns_on_the_matrix_of_a_task(distance, form):
    given = Task("t", form(X), 3).X
    assert sparse.issparse(given) == (form is sparse.csr_array)
    expected = silhouette_score(X, LABELS, metric=distance)
    assert Silhouette(distance=distance).score(given, LABELS) == pytest.approx(expected, abs=1e-9)


def test_two_pairs_on_a_line_worked_by_hand():
    # Each sample has a = 1; b is the mean distance to the other pair: 10.5 at the ends, 9.5 inside.
    points = np.array([[0.0], [1.0], [10.0], [11.0]])
    expected = (9.5 / 10.5 + 8.5 / 9.5) / 2
    assert Silhouette().score(points, np.array([0, 0, 1, 1])) == pytest.approx(expected)


def test_cosine_looks_at_directions_alone():
    # The rays of two clusters: far apart in length, equal in direction.
    points = np.array([[1.0, 0.0], [50.0, 0.0], [0.0, 1.0], [0.0, 50.0]])
    labels = np.array([0, 0, 1, 1])
    assert Silhouette(distance="cosine").score(points, labels) == pytest.approx(1.0)
    assert Silhouette().score(points, labels) < 0.5


@pytest.mark.parametrize(
    "labels",
    [np.zeros(30, dtype=int), np.arange(30), np.array([0])],
    ids=["one cluster", "every sample alone", "a single sample"],
)
def test_it_is_nan_where_it_is_not_defined(labels):
    assert math.isnan(Silhouette().score(X[: len(labels)], labels))
