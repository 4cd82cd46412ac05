from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.metrics import adjusted_rand_score

from lcbench.contract.metric import Contingency
from lcbench.contract.task import LabelledTask, Task
from lcbench_baselines.controls import OneCluster, RandomLabels
from lcbench_indices.indices import Purity

LARGE = Task("large", np.ones((4000, 1)), 4)


def test_random_labels_are_equally_likely():
    labels = RandomLabels().partial_fit(LARGE).labels_
    assert set(labels) == {0, 1, 2, 3}
    assert chisquare(np.bincount(labels)).pvalue > 0.001


def test_random_labels_agree_with_classes_as_chance_does():
    y = np.arange(4000) % 4
    assert abs(adjusted_rand_score(y, RandomLabels().predict(LARGE))) < 0.01


@pytest.mark.parametrize(
    "other",
    [
        RandomLabels(random_state=1).predict(LARGE),
        RandomLabels().predict(Task("another name", LARGE.X, 4)),
    ],
    ids=["seed", "task"],
)
def test_random_labels_depend_on_seed_and_task(other):
    labels = RandomLabels().predict(LARGE)
    assert abs(adjusted_rand_score(labels, other)) < 0.01


def test_one_cluster_puts_all_together_and_its_purity_is_the_share_of_the_largest_class():
    task = LabelledTask.from_arrays("t", np.ones((10, 2)), [0] * 6 + [1] * 3 + [2])
    labels = OneCluster().partial_fit(task.task).labels_
    assert labels.tolist() == OneCluster().predict(task.task).tolist() == [0] * 10
    assert Purity().score(Contingency(task.y, labels)) == 6 / 10
