from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from lcbench.testing.example_tasks import HARD_TASKS, as_sparse, classes, far_groups, groups


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 12])
def test_groups_are_far_from_each_other_and_not_negative(k):
    X = groups(48, k)
    labels = KMeans(k, n_init=10, random_state=0).fit_predict(X)
    assert X.min() >= 0
    assert adjusted_rand_score(np.arange(48) % k, labels) == 1.0


def test_far_groups_differ_in_size_and_have_the_same_values_when_sparse():
    dense, csr = far_groups(), as_sparse(far_groups())
    assert len({(task.n_samples, task.n_clusters) for task in dense}) == len(dense)
    for one, other in zip(dense, csr, strict=True):
        assert sparse.issparse(other.X)
        np.testing.assert_array_equal(one.X, other.X.toarray())
        assert len(set(classes(one))) == one.n_clusters


def test_hard_tasks_are_what_they_are_called():
    sizes = {kind: [(task.n_samples, task.n_clusters) for task in tasks] for kind, tasks in HARD_TASKS.items()}
    assert len(sizes["one task"]) == 1
    assert min(n - k for n, k in sizes["tiny tasks"]) == 0
    assert any(not task.X.any() for task in HARD_TASKS["zero rows"])
    assert {k for _, k in sizes["one cluster"]} == {1, 3}
    ks = [k for _, k in sizes["more clusters than before"]]
    assert max(ks) > ks[0]
    assert all(task.X.min() < 0 for task in HARD_TASKS["negative features"])
