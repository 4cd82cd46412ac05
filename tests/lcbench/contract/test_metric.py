from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from lcbench.contract.metric import Contingency, ExternalMetric, InternalMetric, Metric
from lcbench.contract.specs import MetricKind

PARTITIONS = st.lists(st.tuples(st.integers(-3, 5), st.integers(-3, 5)), min_size=1, max_size=40)


def ari(y, labels) -> float:
    return Contingency(y, labels).adjusted_rand_index


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


@settings(deadline=None)
@given(PARTITIONS)
def test_pairs_are_those_one_counts_one_by_one(pairs):
    couples = list(itertools.combinations(pairs, 2))
    counted = Contingency(*zip(*pairs, strict=True)).pairs
    assert counted.all == len(couples)
    assert counted.both == sum(a == b for a, b in couples)
    assert counted.classes == sum(a[0] == b[0] for a, b in couples)
    assert counted.clusters == sum(a[1] == b[1] for a, b in couples)


def test_the_adjusted_rand_index_of_a_hand_worked_pair():
    """Six samples: of 15 pairs 2 are together in both, 4 in the first only, 1 in the second only, 8 in neither."""
    w, x, y, z = 2, 4, 1, 8
    expected = 2 * (w * z - x * y) / ((w + x) * (x + z) + (w + y) * (y + z))
    assert expected == 8 / 33
    assert ari([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]) == pytest.approx(expected)


@settings(deadline=None)
@given(PARTITIONS, st.permutations(range(9)))
def test_the_adjusted_rand_index_is_scikit_learns_whatever_the_clusters_are_called(pairs, names):
    first, second = map(np.array, zip(*pairs, strict=True))
    assert ari(first, second) == pytest.approx(adjusted_rand_score(first, second), abs=1e-12)
    renamed = np.array(names)[second + 3] * 1000
    assert ari(second, renamed) == 1.0
    assert ari(renamed, first) == ari(first, second)


def test_large_partitions_do_not_overflow():
    generator = np.random.default_rng(0)
    first = generator.integers(0, 3, 100_000)
    second = np.where(generator.random(first.size) < 0.2, generator.integers(0, 3, first.size), first)
    assert Contingency(first, second).pairs.all ** 2 > np.iinfo(np.int64).max
    assert ari(first, second) == pytest.approx(adjusted_rand_score(first, second))
    assert 0.5 < ari(first, second) < 0.9


def test_as_many_clusters_as_samples_need_little_memory():
    """A dense table would have 10^10 cells."""
    each = np.arange(100_000)
    assert ari(each, each[::-1] * 7) == 1.0
    assert ari(each, np.zeros_like(each)) == 0.0


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_labels_may_be_integers_of_any_kind(kind):
    first, second = np.array([0, 0, 0, 1, 1, 1], dtype=kind), np.array([0, 0, 100, 100, 2, 2], dtype=kind)
    huge = np.where(second == 100, np.iinfo(kind).max, second).astype(kind)
    assert ari(first, second) == ari(first, huge) == pytest.approx(8 / 33)


def test_the_base_class_of_a_metric_sets_its_kind():
    assert ExternalMetric.kind is MetricKind.EXTERNAL
    assert InternalMetric.kind is MetricKind.INTERNAL


@pytest.mark.parametrize("base", [ExternalMetric, InternalMetric])
def test_a_metric_without_score_cannot_be_made(base: type[Metric]):
    class Unfinished(base):
        pass

    with pytest.raises(TypeError, match="score"):
        Unfinished()
