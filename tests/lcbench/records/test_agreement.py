from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import lcbench
from lcbench.records.agreement import agreement_matrix, agreement_row


def test_a_row_has_a_value_where_a_task_has_labels_now_and_when_it_was_learned():
    a, turned = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    learned, now = {"a": a, "b": a, "c": a}, {"a": turned, "b": a[[0, 2, 1, 3]], "d": a}
    assert agreement_row(["a", "b", "c", "d"], learned, now) == [1.0, pytest.approx(-0.5), None, None]


def test_the_matrix_compares_the_labels_of_each_step_with_those_when_the_task_was_learned():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    steps = [
        {"x": a, "y": b},
        {"x": b, "y": a},
        {"x": 1 - a, "y": b, "z": a},
    ]  # y was predicted at the first step, before it was learned
    apart = pytest.approx(-0.5)
    assert agreement_matrix(["x", "y", "z"], steps) == [[1.0, None, None], [apart, 1.0, None], [1.0, apart, 1.0]]
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
