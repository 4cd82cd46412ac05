from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from lcbench.contract.stream import ArrayStream
from lcbench.contract.task import LabelledTask
from lcbench.errors import PluginError
from lcbench.experiment.planning import plan_runs
from lcbench.experiment.resolving import configured_methods
from lcbench.registry.host import plugin_host
from lcbench.running.planned_run import ConfiguredStream, PlannedRun, frozen, unlabelled
from lcbench_baselines.controls import OneCluster
from lcbench_baselines.kmeans import SingleTaskKMeans


def configured(tasks, names=None):
    """A stream, and a list with one entry for every time that its data were loaded."""
    loaded = []

    def make():
        loaded.append(1)
        return ArrayStream("mine", tasks)

    names = tuple(task.name for task in tasks) if names is None else names
    return ConfiguredStream("mine", "mine", {}, "", names, make, origin=None), loaded


def method(given):
    (found,) = configured_methods(given, plugin_host().registry)
    return found


def test_data_are_loaded_when_first_needed_and_only_once(make_task):
    stream, loaded = configured([make_task("a"), make_task("b")])
    assert loaded == []
    assert [task.name for task in stream.tasks()] == ["a", "b"]
    assert stream.tasks() is stream.tasks()
    assert loaded == [1]


@pytest.mark.parametrize("names", [("b", "a"), ("a",), ("a", "b", "c")])
def test_a_stream_that_makes_other_tasks_than_were_registered_is_refused_with_both_lists(make_task, names):
    stream, _ = configured([make_task("a"), make_task("b")], names)
    with pytest.raises(PluginError, match=rf"registered with the tasks {', '.join(names)} but made a, b\."):
        stream.tasks()


def test_a_task_without_faults_gets_no_warning(make_task, caplog):
    configured([make_task("a")])[0].tasks()
    assert caplog.messages == []


def test_rows_of_zeros_are_counted_in_a_warning(make_task, caplog):
    X = np.array(make_task("a").task.X)
    X[[3, 8]] = 0
    configured([LabelledTask.from_arrays("a", X, make_task("a").y)])[0].tasks()
    (message,) = caplog.messages
    assert message.startswith("Stream 'mine': 2 of the 60 rows of task 'a' are all zero")


@pytest.mark.parametrize(
    ("y", "warned"),
    [
        (np.repeat([0, 1, 2], 20), True),
        (np.repeat([2, 0, 1], 20), True),
        (np.arange(60) % 3, False),
        (np.r_[1, np.repeat([0, 1, 2], 20)[:59]], False),
    ],
    ids=["sorted", "in blocks", "mixed", "almost"],
)
def test_rows_that_come_class_by_class_get_a_warning(make_task, caplog, y, warned):
    configured([LabelledTask.from_arrays("a", make_task("a").task.X, y)])[0].tasks()
    assert any("are sorted by class" in message for message in caplog.messages) is warned


@pytest.mark.parametrize(("n", "warned"), [(9, False), (10, True)])
def test_fewer_than_five_rows_per_class_may_be_sorted_by_chance(caplog, n, warned):
    X = np.random.default_rng(0).random((n, 3))
    configured([LabelledTask.from_arrays("a", X, np.arange(n) >= n // 2)])[0].tasks()
    assert any("are sorted by class" in message for message in caplog.messages) is warned


def test_a_task_with_one_cluster_gets_a_warning(make_task, caplog):
    configured([LabelledTask.from_arrays("a", make_task("a").task.X, np.zeros(60, dtype=int))])[0].tasks()
    assert any("task 'a' has one cluster" in message for message in caplog.messages)


def test_every_build_is_a_fresh_method_with_the_seed_as_its_random_state():
    kmeans = method(SingleTaskKMeans(n_init=2, random_state=1))
    first, second = kmeans.build(7), kmeans.build(8)
    assert first is not second
    assert first.get_params() == {**clone(SingleTaskKMeans(n_init=2)).get_params(), "random_state": 7}
    assert second.random_state == 8


def test_a_method_without_a_random_state_is_built_without_a_seed():
    assert method("one-cluster").build(7).get_params() == OneCluster().get_params()


def test_methods_of_equal_parameters_have_the_same_identity_and_others_have_not():
    assert method("l2sc:lam=2").identity == method("mine=l2sc:lam=2").identity
    assert method("l2sc:lam=2").identity != method("l2sc:lam=3").identity


def test_parameters_become_a_key_even_if_they_hold_lists():
    params = {"a": 1, "b": [1, [2, 3]], "c": "x"}
    assert frozen(params) == (("a", 1), ("b", (1, (2, 3))), ("c", "x"))
    assert {frozen(params): "found"}[frozen(dict(params))] == "found"


def test_tasks_without_true_classes_are_named(make_task):
    blind = LabelledTask.from_arrays("blind", make_task("a").task.X, None, clusters=3)
    assert unlabelled([make_task("a"), blind]) == ["blind"]


def test_a_planned_run_has_the_id_of_its_record_and_keeps_it_when_pickled():
    planned = plan_runs("kmeans", "digits")[0]
    copy = pickle.loads(pickle.dumps(planned))
    assert planned.run_id == planned.record.run_id == copy.run_id == copy.record.run_id
    assert PlannedRun(planned.record, planned.method, planned.stream).run_id == planned.run_id
