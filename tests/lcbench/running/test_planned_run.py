from __future__ import annotations

import pickle

import numpy as np
import pytest
from making import make_task
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

X60 = make_task().task.X


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


def test_data_are_loaded_when_first_needed_and_only_once():
    stream, loaded = configured([make_task("a"), make_task("b")])
    assert loaded == []
    assert [task.name for task in stream.tasks()] == ["a", "b"]
    assert stream.tasks() is stream.tasks()
    assert loaded == [1]


@pytest.mark.parametrize("names", [("b", "a"), ("a",), ("a", "b", "c")])
def test_a_stream_that_makes_other_tasks_than_were_registered_is_refused_with_both_lists(names):
    stream, _ = configured([make_task("a"), make_task("b")], names)
    with pytest.raises(PluginError, match=rf"registered with the tasks {', '.join(names)} but made a, b\."):
        stream.tasks()


ZEROS = np.eye(60, 12)  # the last 48 rows are zeros
SORTED, ONE = "rows of task 'a' are sorted by class", "task 'a' has one cluster"


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (X60, np.arange(60) % 3, None),
        (ZEROS, np.arange(60) % 3, "Stream 'mine': 48 of the 60 rows of task 'a' are all zero"),
        (X60, np.repeat([0, 1, 2], 20), SORTED),
        (X60, np.repeat([2, 0, 1], 20), SORTED),
        (X60, np.r_[1, np.repeat([0, 1, 2], 20)[:59]], None),
        (X60[:9], np.arange(9) >= 4, None),
        (X60[:10], np.arange(10) >= 5, SORTED),
        (X60, np.zeros(60, dtype=int), ONE),
    ],
    ids=["fine", "zeros", "sorted", "in blocks", "almost sorted", "by chance", "not by chance", "one cluster"],
)
def test_a_task_that_says_little_gets_a_warning(caplog, X, y, said):
    configured([LabelledTask.from_arrays("a", X, y)])[0].tasks()
    assert [said in message for message in caplog.messages] == ([] if said is None else [True])


def test_every_build_is_a_fresh_method_with_the_seed_as_its_random_state_if_it_has_one():
    kmeans = method(SingleTaskKMeans(n_init=2, random_state=1))
    first, second = kmeans.build(7), kmeans.build(8)
    assert first is not second
    assert first.get_params() == {**clone(SingleTaskKMeans(n_init=2)).get_params(), "random_state": 7}
    assert second.random_state == 8
    assert method("one-cluster").build(7).get_params() == OneCluster().get_params()


def test_methods_of_equal_parameters_have_the_same_identity_and_others_have_not():
    assert method("l2sc:lam=2").identity == method("mine=l2sc:lam=2").identity
    assert method("l2sc:lam=2").identity != method("l2sc:lam=3").identity


def test_parameters_become_a_key_even_if_they_hold_lists():
    params = {"a": 1, "b": [1, [2, 3]], "c": "x"}
    assert frozen(params) == (("a", 1), ("b", (1, (2, 3))), ("c", "x"))
    assert {frozen(params): "found"}[frozen(dict(params))] == "found"


def test_tasks_without_true_classes_are_named():
    assert unlabelled([make_task("a"), make_task("blind", labelled=False)]) == ["blind"]


def test_a_planned_run_has_the_id_of_its_record_and_keeps_it_when_pickled():
    planned = plan_runs("kmeans", "digits")[0]
    copy = pickle.loads(pickle.dumps(planned))
    assert planned.run_id == planned.record.run_id == copy.run_id == copy.record.run_id
    assert PlannedRun(planned.record, planned.method, planned.stream).run_id == planned.run_id
