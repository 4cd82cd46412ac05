"""Our metrics against values of scikit-learn; broken metrics are in `test_kit.py`."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from lcbench.testing import check_metric
from lcbench.testing.metric_checks import check_known_values
from lcbench.testing.subjects import subjects_of

Y, LABELS = [0, 0, 0, 1, 1, 2, 2, 2], [1, 1, 0, 0, 0, 2, 2, 1]
X = np.random.default_rng(0).random((8, 3))
KNOWN = {
    "nmi": metrics.normalized_mutual_info_score(Y, LABELS),
    "ri": metrics.rand_score(Y, LABELS),
    "ari": metrics.adjusted_rand_score(Y, LABELS),
    "ami": metrics.adjusted_mutual_info_score(Y, LABELS),
    "purity": 6 / 8,
    "accuracy": 6 / 8,
}


@pytest.mark.parametrize("name", KNOWN)
def test_our_metrics_pass_with_values_of_scikit_learn(name):
    results = check_metric(name, known=[(Y, LABELS, KNOWN[name])])
    assert {result.status for result in results} == {"passed"}


def test_the_known_values_of_an_internal_metric_are_those_of_samples():
    results = check_metric("silhouette", known=[(X, LABELS, metrics.silhouette_score(X, LABELS))])
    assert {result.check for result in results if result.status != "passed"} == {"check_best"}


def test_another_value_than_the_known_one_is_named():
    (subject,) = subjects_of("purity")
    subject.known = [(Y, LABELS, 0.5)]
    with pytest.raises(AssertionError, match=r"It scores 0\.75 where 0\.5 is known"):
        check_known_values(subject)
