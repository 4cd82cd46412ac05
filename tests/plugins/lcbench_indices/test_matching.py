from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.contract.metric import Contingency
from lcbench_indices.matching import Accuracy, Purity

PARTITIONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25)
# Two clusters: three of class 0 and one of class 1; two of class 0, one of 1 and one of 2.
BY_HAND = ([0, 0, 0, 1, 0, 0, 1, 2], [0, 0, 0, 0, 1, 1, 1, 1])


def agreement(pairs, class_of):
    return sum(class_of[cluster] == c for c, cluster in pairs) / len(pairs)


def test_purity_takes_the_largest_class_of_each_cluster():
    assert Purity().score(Contingency(*BY_HAND)) == 5 / 8


def test_accuracy_takes_a_class_once():
    assert Accuracy().score(Contingency(*BY_HAND)) == 4 / 8


@settings(deadline=None)
@given(PARTITIONS)
def test_purity_is_the_best_of_all_ways_to_name_each_cluster_after_a_class(pairs):
    y, labels = zip(*pairs, strict=True)
    namings = itertools.product(range(4), repeat=4)
    assert Purity().score(Contingency(y, labels)) == pytest.approx(max(agreement(pairs, n) for n in namings))


@settings(deadline=None)
@given(PARTITIONS)
def test_accuracy_is_the_best_of_all_one_to_one_matchings(pairs):
    y, labels = zip(*pairs, strict=True)
    matchings = itertools.permutations(range(4))
    assert Accuracy().score(Contingency(y, labels)) == pytest.approx(max(agreement(pairs, m) for m in matchings))


@pytest.mark.parametrize(
    ("y", "labels", "purity", "accuracy"),
    [
        ([0], [0], 1, 1),
        ([0, 0, 0], [0, 1, 2], 1, 1 / 3),
        ([0, 0, 1, 2], [0, 0, 0, 0], 1 / 2, 1 / 2),
        ([0, 0, 1, 1], [0, 1, 2, 3], 1, 1 / 2),
    ],
    ids=["one sample", "one class cut up", "one cluster", "more clusters than classes"],
)
def test_edges_worked_by_hand(y, labels, purity, accuracy):
    table = Contingency(y, labels)
    assert Purity().score(table) == pytest.approx(purity)
    assert Accuracy().score(table) == pytest.approx(accuracy)
