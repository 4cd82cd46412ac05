from __future__ import annotations

import pickle

import numpy as np
import pytest
from making import make_stream, make_task
from scipy import sparse
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import lcbench
from lcbench import LabelledTask, UnknownTaskError, UnsuitableTaskError
from lcbench_condensed.cpsc import CPSC


def learned(tasks, **params) -> CPSC:
    method = CPSC(**params)
    for labelled in tasks:
        method.partial_fit(labelled.task)
    return method


def nmi(tasks, labels) -> float:
    found = (normalized_mutual_info_score(task.y, each) for task, each in zip(tasks, labels, strict=True))
    return float(np.mean(list(found)))


@pytest.mark.parametrize("thin", [False, True])
def test_clear_groups_are_found_alone_at_arrival_and_later(thin):
    tasks = make_stream(tasks=3, spread=0.8, thin=thin).tasks()
    method = CPSC()
    for labelled in tasks:
        assert adjusted_rand_score(labelled.y, method.partial_fit(labelled.task).labels_) == 1
    assert method.joined_
    assert method.library_.tasks == (3,)
    for labelled in tasks:
        assert adjusted_rand_score(labelled.y, method.predict(labelled.task)) == 1


def test_small_tasks_of_digits_gain_from_each_other_and_old_ones_from_later_ones():
    arrived, after, alone = [], [], []
    for seed in range(3):
        tasks = lcbench.load_stream("digits", tasks=8, per_class=10, seed=seed).tasks()
        method = CPSC(random_state=seed)
        arrived.append(nmi(tasks, [method.partial_fit(each.task).labels_ for each in tasks]))
        after.append(nmi(tasks, [method.predict(each.task) for each in tasks]))
        alone.append(nmi(tasks, [CPSC(random_state=seed).partial_fit(each.task).labels_ for each in tasks]))
    assert np.mean(arrived) > np.mean(alone) + 0.03
    assert np.mean(after) > np.mean(arrived) + 0.01


def test_tasks_that_have_nothing_in_common_are_clustered_as_if_alone():
    tasks = lcbench.load_stream("topics", relatedness=0, seed=3).tasks()
    method = CPSC()
    for labelled in tasks:
        alone = CPSC().partial_fit(labelled.task).labels_
        assert (method.partial_fit(labelled.task).labels_ == alone).all()
        assert not method.joined_
    assert method.library_.tasks == (1, 1, 1, 1)
    for labelled in tasks:
        assert (method.predict(labelled.task) == CPSC().partial_fit(labelled.task).labels_).all()


def test_a_gate_of_0_always_pools():
    tasks = lcbench.load_stream("topics", relatedness=0, seed=3).tasks()
    assert learned(tasks, gate=0.0).library_.tasks == (4,)


@pytest.mark.parametrize("stream", ["digits:tasks=6", "topics:relatedness=0,tasks=6", "topics:relatedness=1,tasks=6"])
def test_the_state_has_one_size_after_every_task(stream):
    method, sizes = CPSC(), []
    for labelled in lcbench.load_stream(stream).tasks():
        method.partial_fit(labelled.task)
        sizes.append(len(pickle.dumps(method.library_)))
    assert max(sizes) - min(sizes) <= 64


def test_a_full_library_drops_the_group_of_the_fewest_tasks():
    related = lcbench.load_stream("topics", relatedness=1, tasks=2, seed=1).tasks()
    others = lcbench.load_stream("topics", relatedness=0, tasks=3, seed=2).tasks()
    method = learned([*related, *others], groups=2)
    assert method.library_.tasks == (2, 1)
    assert sum(method.library_.members >= 0) <= 4 * 25
    assert learned(others, groups=4, budget=1).library_.tasks == (1,)  # as many groups as there is room for


def test_a_task_with_more_clusters_widens_the_library_and_one_with_fewer_uses_a_part_of_it():
    three, four = make_task("three", k=3, d=12, spread=0.5), make_task("four", k=4, d=12, n=80, spread=0.5, seed=1)
    method = learned([three], gate=0.0).partial_fit(four.task)
    assert adjusted_rand_score(four.y, method.labels_) == 1
    assert method.library_.classes.max() == 3
    again = make_task("again", k=3, d=12, spread=0.5, seed=2)
    labels = method.partial_fit(again.task).labels_
    assert len(np.unique(labels)) == 3


def test_a_task_with_nothing_to_cluster_leaves_the_library_as_it_is():
    method = learned(make_stream(tasks=2, spread=0.5).tasks())
    before = pickle.dumps(method.library_)
    for k in (1, 3):
        method.partial_fit(lcbench.Task("few", np.ones((3, 12)), k))
        assert not method.joined_
        assert pickle.dumps(method.library_) == before


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_tiny_tasks_have_a_partition(n):
    X = np.random.default_rng(n).random((n, 6))
    for k in range(1, n + 1):
        method = CPSC()
        for name in ("first", "second"):
            labels = method.partial_fit(lcbench.Task(name, X, k)).labels_
            assert set(labels) <= set(range(k))
        assert len(method.predict(lcbench.Task("first", X, k))) == n


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_zero_rows_equal_rows_and_negative_features_are_taken(kind):
    X = make_task(n=60, k=3, spread=0.5).task.X.copy()
    X[:5] = 0
    X[5:20] = X[6]
    X[:, 0] *= -1
    method = CPSC()
    for name in ("a", "b", "c"):
        method.partial_fit(lcbench.Task(name, kind(X), 3))
    assert len(np.unique(method.predict(lcbench.Task("a", kind(X), 3)))) == 3


@pytest.mark.parametrize("features", [4, 200])
def test_sparse_and_dense_tasks_share_a_library(features):
    tasks = [make_task(name, n=60, k=3, d=12, spread=0.5, seed=i) for i, name in enumerate(("a", "b", "c", "d"))]
    method = CPSC(features=features, centre="always")
    for labelled, kind in zip(tasks, (np.asarray, sparse.csr_array) * 2, strict=True):
        method.partial_fit(lcbench.Task(labelled.task.name, kind(labelled.task.X), 3))
        assert adjusted_rand_score(labelled.y, method.labels_) == 1
    assert method.library_.tasks == (4,)


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownTaskError, match="let it learn a task first"):
        CPSC().predict(make_task().task)
    method = learned([make_task(d=12)])
    with pytest.raises(
        UnsuitableTaskError, match="'b' has 9 features, but the library of cpsc was made from tasks with 12"
    ):
        method.partial_fit(make_task("b", d=9).task)


def test_it_is_above_stsc_on_webkb4(webkb):
    tasks: tuple[LabelledTask, ...] = lcbench.load_stream("webkb4").tasks()
    plain = [lcbench.load_method("stsc").partial_fit(each.task).labels_ for each in tasks]
    method = learned(tasks)
    assert nmi(tasks, [method.predict(each.task) for each in tasks]) > nmi(tasks, plain) + 0.1
