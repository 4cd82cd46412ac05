from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, rand_score

from lcbench.contract.metric import Contingency
from lcbench_indices.pairs import AdjustedRandIndex, RandIndex

PARTITIONS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30)


@settings(deadline=None)
@given(PARTITIONS)
def test_ri_and_ari_equal_scikit_learns(pairs):
    y, labels = zip(*pairs, strict=True)
    table = Contingency(y, labels)
    assert RandIndex().score(table) == pytest.approx(rand_score(y, labels), abs=1e-12)
    assert AdjustedRandIndex().score(table) == pytest.approx(adjusted_rand_score(y, labels), abs=1e-12)


@pytest.mark.parametrize(
    ("y", "labels"),
    [([0], [0]), ([0, 0, 0], [0, 0, 0]), ([0, 0, 0], [0, 1, 2]), ([0, 1, 2], [0, 0, 0]), ([0, 1, 2], [2, 0, 1])],
    ids=["one sample", "one group in both", "one class cut up", "one cluster", "every sample alone"],
)
def test_ri_and_ari_at_the_edges_equal_scikit_learns(y, labels):
    table = Contingency(y, labels)
    assert RandIndex().score(table) == rand_score(y, labels)
    assert AdjustedRandIndex().score(table) == adjusted_rand_score(y, labels)


@settings(deadline=None)
@given(PARTITIONS)
def test_the_diagonal_adds_n_agreeing_pairs_to_the_ordered_ones(pairs):
    y, labels = zip(*pairs, strict=True)
    n = len(pairs)
    expected = (rand_score(y, labels) * (n**2 - n) + n) / n**2
    assert RandIndex(include_diagonal=True).score(Contingency(y, labels)) == pytest.approx(expected, abs=1e-12)


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
