from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import silhouette_score

from lcbench.contract.task import Task
from lcbench_indices.silhouette import Silhouette

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


@pytest.mark.parametrize("labels", [np.zeros(30, dtype=int), np.arange(30)], ids=["one cluster", "every sample alone"])
def test_it_is_nan_where_it_is_not_defined(labels):
    assert math.isnan(Silhouette().score(X, labels))


def test_it_is_nan_for_a_single_sample():
    assert math.isnan(Silhouette().score(X[:1], np.array([0])))
