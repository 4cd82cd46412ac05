from __future__ import annotations

import logging
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import make_task
from scipy import sparse
from sklearn.base import clone
from small_methods import Counter, Numbered

from lcbench.contract import clusterer
from lcbench.contract.clusterer import Clusterer, SingleTaskClusterer, split_labels, stack_tasks
from lcbench.contract.specs import Setting
from lcbench.contract.task import Task
from lcbench.errors import UnknownTaskError

TASK = make_task("a").task


class Halves(SingleTaskClusterer):
    def predict(self, task):
        return np.arange(task.n_samples) * 2 // task.n_samples


class Traced(Counter):
    """A method with a parameter and with a result beside the labels."""

    def __init__(self, *, first=0):
        self.first = first

    def partial_fit(self, task):
        self.objective_trace_ = [1.0]
        return super().partial_fit(task)


def test_the_pickle_holds_what_was_learned_without_the_results_for_the_last_task():
    method = Traced().partial_fit(TASK).partial_fit(make_task("b").task)
    copy = pickle.loads(pickle.dumps(method))
    assert vars(copy) == {"first": 0, "learned_": ["a", "b"]}
    assert hasattr(method, "labels_"), "pickling takes nothing from the method itself"
    assert (copy.predict(TASK) == 2).all()


def test_scikit_learn_clones_a_method_with_its_parameters_and_without_what_it_learned():
    assert vars(clone(Traced(first=5).partial_fit(TASK))) == {"first": 5}


@pytest.mark.parametrize("missing", ["partial_fit", "predict"])
def test_a_method_without_partial_fit_or_predict_cannot_be_made(missing):
    methods = {name: lambda self, task: None for name in ("partial_fit", "predict") if name != missing}
    with pytest.raises(TypeError, match=missing):
        type("Unfinished", (Clusterer,), methods)()


def test_learning_is_predicting_and_leaves_no_trace():
    method, fresh = Halves(), pickle.dumps(Halves())
    assert (method.partial_fit(TASK).labels_ == method.predict(TASK)).all()
    assert pickle.dumps(method) == fresh
    assert (method.setting, method.predicts_unseen) == (Setting.SINGLE_TASK, True)


def task(name, n=2, k=1, container=np.asarray):
    return Task(name, container(np.arange(3.0 * n).reshape(n, 3)), k)


def test_every_arrival_refits_all_tasks_met_so_far():
    method = Numbered()
    assert method.partial_fit(task("a")).labels_.tolist() == [10, 10]
    assert method.partial_fit(task("b", n=3)).labels_.tolist() == [21, 21, 21]
    assert method.predict(task("a")).tolist() == [20, 20]
    assert method.predict(task("b", n=3)).tolist() == [21, 21, 21]


def test_the_log_says_at_every_arrival_how_many_tasks_were_refitted_and_how_long_it_took(monkeypatch, caplog):
    clock = iter([10.0, 10.5, 20.0, 23.25])
    monkeypatch.setattr(clusterer, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    with caplog.at_level(logging.INFO, logger="lcbench"):
        Numbered().partial_fit(task("a")).partial_fit(task("b", n=3))
    assert caplog.messages == [
        "Numbered refitted 1 task (2 samples) when 'a' arrived: 0.50 s",
        "Numbered refitted 2 tasks (5 samples) when 'b' arrived: 3.25 s",
    ]
    assert {record.levelno for record in caplog.records} == {logging.INFO}


def test_a_task_that_comes_again_replaces_itself():
    method = Numbered().partial_fit(task("a")).partial_fit(task("b")).partial_fit(task("a", n=4))
    assert method.labels_.tolist() == [20] * 4
    assert [kept.n_samples for kept in method.tasks_.values()] == [4, 2]


@pytest.mark.parametrize("method", [Numbered(), Numbered().partial_fit(task("a"))], ids=["fresh", "fitted"])
def test_a_task_that_was_never_learned_is_refused_by_name(method):
    with pytest.raises(UnknownTaskError, match="Numbered never learned task 'other'"):
        method.predict(task("other"))
    assert not method.predicts_unseen


class Forgetful(Numbered):
    """Gives too few partitions whenever a task named 'bad' is there."""

    def fit_tasks(self, tasks):
        return super().fit_tasks(tasks)[: -1 if "bad" in [task.name for task in tasks] else None]


def test_partitions_that_are_not_one_per_task_are_refused_and_leave_what_was_known():
    method = Forgetful().partial_fit(task("a"))
    with pytest.raises(ValueError, match="shorter"):
        method.partial_fit(task("bad"))
    assert method.predict(task("a")).tolist() == [10, 10]
    assert method.partial_fit(task("b")).labels_.tolist() == [21, 21]


def test_a_multi_task_method_says_so_and_its_memory_grows_with_the_tasks():
    method = Numbered()
    sizes = [len(pickle.dumps(method.partial_fit(task(name, n=100)))) for name in "abc"]
    assert method.setting is Setting.MULTI_TASK
    assert sizes[1] - sizes[0] > 100 * 3 * 8
    assert sizes[2] - sizes[1] > 100 * 3 * 8


DENSE, SPARSE = np.asarray, sparse.csr_array


@pytest.mark.parametrize(
    ("containers", "is_sparse"),
    [
        ((DENSE, DENSE), False), ((SPARSE, SPARSE), True), ((DENSE, SPARSE), True), ((SPARSE, DENSE), True),
        ((SPARSE,), True), ((DENSE,), False),
    ],
)  # fmt: skip
def test_tasks_are_stacked_one_under_the_other_with_the_largest_number_of_clusters(containers, is_sparse):
    tasks = [task(f"t{i}", n=4 - i, k=2 - i, container=container) for i, container in enumerate(containers)]
    X, k = stack_tasks(tasks)
    expected = np.vstack([np.arange(3.0 * t.n_samples).reshape(-1, 3) for t in tasks])
    assert k == 2
    assert sparse.issparse(X) == is_sparse
    np.testing.assert_array_equal(X.toarray() if is_sparse else X, expected)
    if is_sparse:  # as scikit-learn takes it
        assert (X.format, X.indices.dtype, X.indptr.dtype) == ("csr", np.int32, np.int32)


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_labels_of_stacked_tasks_are_cut_apart_where_the_tasks_meet(sizes):
    labels = list(range(sum(sizes)))
    parts = split_labels(labels, [task(str(i), n=n) for i, n in enumerate(sizes)])
    assert [len(part) for part in parts] == sizes
    assert np.concatenate(parts).tolist() == labels
