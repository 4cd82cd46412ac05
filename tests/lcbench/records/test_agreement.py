from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import lcbench
from lcbench.records.agreement import adjusted_rand_index, agreement_matrix, agreement_row

PAIRS = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-3, 4), min_size=n, max_size=n).map(np.array)] * 2)
)


def test_the_index_of_a_hand_worked_pair():
    """Six samples: of 15 pairs 2 are together in both, 4 in the first only, 1 in the second only, 8 in neither."""
    first, second = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    w, x, y, z = 2, 4, 1, 8
    expected = 2 * (w * z - x * y) / ((w + x) * (x + z) + (w + y) * (y + z))
    assert adjusted_rand_index(first, second) == expected == pytest.approx(8 / 33)


@settings(deadline=None)
@given(PAIRS)
def test_the_index_agrees_with_scikit_learn_and_is_symmetric(pair):
    first, second = pair
    assert adjusted_rand_index(first, second) == pytest.approx(adjusted_rand_score(first, second), abs=1e-12)
    assert adjusted_rand_index(first, second) == adjusted_rand_index(second, first)


@settings(deadline=None)
@given(PAIRS, st.permutations(range(8)))
def test_the_numbers_of_clusters_do_not_matter(pair, names):
    first, second = pair
    renamed = np.array(names)[second + 3] * 1000
    assert adjusted_rand_index(second, renamed) == 1.0
    assert adjusted_rand_index(first, renamed) == adjusted_rand_index(first, second)


def test_partitions_of_a_million_samples_do_not_overflow():
    generator = np.random.default_rng(0)
    first = generator.integers(0, 3, 1_000_000)
    second = np.where(generator.random(first.size) < 0.2, generator.integers(0, 3, first.size), first)
    pairs_squared = (first.size * (first.size - 1) // 2) ** 2
    assert pairs_squared > np.iinfo(np.int64).max
    assert adjusted_rand_index(first, second) == pytest.approx(adjusted_rand_score(first, second))
    assert 0.5 < adjusted_rand_index(first, second) < 0.9


def test_as_many_clusters_as_samples_need_little_memory():
    """A dense table would have 10^10 cells."""
    each = np.arange(100_000)
    assert adjusted_rand_index(each, each[::-1] * 7) == 1.0
    assert adjusted_rand_index(each, np.zeros_like(each)) == 0.0


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_labels_may_be_integers_of_any_kind(kind):
    first, second = np.array([0, 0, 0, 1, 1, 1], dtype=kind), np.array([0, 0, 100, 100, 2, 2], dtype=kind)
    assert adjusted_rand_index(first, second) == pytest.approx(8 / 33)
    huge = np.where(second == 100, np.iinfo(kind).max, second).astype(kind)
    assert adjusted_rand_index(first, huge) == pytest.approx(8 / 33)


def test_partitions_of_other_samples_are_refused():
    with pytest.raises(ValueError, match=r"not shapes \(3,\) and \(2,\)"):
        adjusted_rand_index(np.array([0, 1, 1]), np.array([0, 1]))


def test_a_row_has_a_value_where_a_task_has_labels_now_and_when_it_was_learned():
    a, turned = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    assert agreement_row(
        ["a", "b", "c", "d"], {"a": a, "b": a, "c": a}, {"a": turned, "b": a[[0, 2, 1, 3]], "d": a}
    ) == [
        1.0,
        -0.5,
        None,
        None,
    ]


def test_the_matrix_compares_the_labels_of_each_step_with_those_when_the_task_was_learned():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    steps = [
        {"x": a, "y": b},
        {"x": b, "y": a},
        {"x": 1 - a, "y": b, "z": a},
    ]  # y was predicted at the first step, before it was learned
    assert agreement_matrix(["x", "y", "z"], steps) == [[1.0, None, None], [-0.5, 1.0, None], [1.0, -0.5, 1.0]]
    assert agreement_matrix(["x", "y", "z"], steps[:1]) == [[1.0, None, None]]
    assert agreement_matrix(["x"], []) == []


@pytest.mark.parametrize("how", [{}, {"evaluate": "last"}, {"future": True}, {"jobs": 1}], ids=str)
def test_the_agreement_of_a_run_is_that_of_its_labels_by_scikit_learn(how):
    (run,) = lcbench.run("usc", "digits", baselines=False, **how)
    for i, now in enumerate(run.labels):
        for j, task in enumerate(run.order):
            known = j <= i and task in now
            expected = pytest.approx(adjusted_rand_score(now[task], run.labels[j][task])) if known else None
            assert run.agreement[i][j] == expected
    assert (run.agreement[1][0] is None) == (how == {"evaluate": "last"})
    assert min(run.agreement[-1]) < 0.9
    assert run.to_json()["agreement"] == run.agreement


def test_a_method_that_learns_each_task_alone_does_not_drift_and_one_that_refits_does():
    runs = lcbench.run(["kmeans", "pooled-kmeans"], "digits")
    alone, pooled = (run.summary["purity"]["partition_drift"]["value"] for run in runs)
    assert alone == 1.0
    assert 0.5 < pooled < 0.9
