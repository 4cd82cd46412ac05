from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.cluster import contingency_matrix

from lcbench.contract.metric import Contingency, ExternalMetric, InternalMetric, Metric
from lcbench.contract.specs import MetricKind

PARTITIONS = st.lists(st.tuples(st.integers(-3, 5), st.integers(-3, 5)), min_size=1, max_size=40)


@settings(deadline=None)
@given(PARTITIONS)
def test_counts_equal_scikit_learns_contingency_matrix(pairs):
    y, labels = zip(*pairs, strict=True)
    assert np.array_equal(Contingency(y, labels).counts, contingency_matrix(y, labels))


def test_counts_of_a_table_worked_by_hand():
    table = Contingency(["cat", "cat", "dog", "cat"], [7, -1, 7, 7])  # clusters in order: -1, 7
    assert table.counts.tolist() == [[1, 2], [0, 1]]
    assert table.n == 4


def test_classes_and_clusters_are_numbered_without_gaps():
    table = Contingency([10, 30, 20], [-5, 100, -5])
    assert table.y.tolist() == [0, 2, 1]
    assert table.labels.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("y", "labels"),
    [([0, 1], [0]), ([], []), ([[0, 1], [1, 0]], [[0, 1], [1, 0]]), ([[0, 1]], [0, 1])],
    ids=["lengths differ", "empty", "both in two dimensions", "one in two dimensions"],
)
def test_classes_and_clusters_that_are_not_equally_long_lists_are_refused(y, labels):
    with pytest.raises(ValueError, match="equally long"):
        Contingency(y, labels)


def test_the_base_class_of_a_metric_sets_its_kind():
    assert ExternalMetric.kind is MetricKind.EXTERNAL
    assert InternalMetric.kind is MetricKind.INTERNAL


@pytest.mark.parametrize("base", [ExternalMetric, InternalMetric])
def test_a_metric_without_score_cannot_be_made(base: type[Metric]):
    class Unfinished(base):
        pass

    with pytest.raises(TypeError, match="score"):
        Unfinished()
