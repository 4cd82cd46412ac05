from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

from lcbench.contract.metric import ExternalMetric, InternalMetric
from lcbench.contract.task import LabelledTask
from lcbench.records.scoring import finite_or_none, score_row


class Rand(ExternalMetric):
    def score(self, table):
        return adjusted_rand_score(table.y, table.labels)


class Silhouette(InternalMetric):
    def score(self, X, labels):
        return silhouette_score(X, labels)


class Always(InternalMetric):
    """Returns a fixed value, or raises it."""

    def __init__(self, value):
        self.value = value

    def score(self, X, labels):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


@pytest.fixture
def tasks(make_task):
    return [make_task("a"), make_task("b", seed=1)]


@pytest.fixture
def labels(tasks):
    """Labels of the first task with a few samples in the wrong cluster."""
    return np.where(np.arange(60) < 50, tasks[0].y, 0)


def test_scores_are_those_of_scikit_learn_and_a_task_without_labels_has_none(tasks, labels):
    row = score_row({"rand": Rand(), "silhouette": Silhouette()}, tasks, {"a": labels})
    assert row == {
        "rand": [pytest.approx(adjusted_rand_score(tasks[0].y, labels)), None],
        "silhouette": [pytest.approx(silhouette_score(tasks[0].task.X, labels)), None],
    }
    assert 0.5 < row["rand"][0] < 1


def test_without_true_classes_only_metrics_that_need_none_are_computed(tasks, labels):
    unlabelled = LabelledTask(tasks[0].task, None)
    row = score_row({"rand": Rand(), "silhouette": Silhouette()}, [unlabelled], {"a": labels})
    assert row == {"rand": [None], "silhouette": [pytest.approx(silhouette_score(tasks[0].task.X, labels))]}


def test_a_metric_that_raises_is_a_warning_and_the_other_scores_stay(tasks, labels, caplog):
    row = score_row({"bad": Always(ValueError("no luck")), "good": Always(0.5)}, tasks, {"a": labels, "b": labels})
    assert row == {"bad": [None, None], "good": [0.5, 0.5]}
    assert caplog.messages == [f"Metric 'bad' failed on task '{task}': ValueError: no luck" for task in "ab"]


def test_an_object_that_is_no_metric_is_a_warning_that_names_its_class(tasks, labels, caplog):
    assert score_row({"odd": object()}, tasks[:1], {"a": labels}) == {"odd": [None]}
    assert "object is neither an ExternalMetric nor an InternalMetric" in caplog.text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_a_score_that_is_not_finite_becomes_none(tasks, labels, value):
    assert score_row({"always": Always(value)}, tasks[:1], {"a": labels}) == {"always": [None]}
    assert finite_or_none(float(value)) is None


def test_finite_values_stay_as_they_are():
    assert [finite_or_none(value) for value in (0.0, -1.5, 1e308)] == [0.0, -1.5, 1e308]
