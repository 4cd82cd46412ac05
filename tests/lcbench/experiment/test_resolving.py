from __future__ import annotations

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from plans import plan_runs
from small_methods import Seeded, Told

import lcbench
from lcbench import Setting, TaskStream
from lcbench.contract.specs import MethodSpec
from lcbench.errors import LcbenchError, ParameterError
from lcbench.experiment.resolving import at_point, configured_methods, configured_streams
from lcbench.registry.host import plugin_host


@pytest.fixture
def registry():
    return plugin_host().registry


@pytest.fixture
def methods(registry):
    """Configures methods with what is registered."""
    return lambda given, varied=None: configured_methods(given, registry, varied)


def labels(entries) -> list[str]:
    return [entry.label for entry in entries]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("l2sc", ["l2sc"]),
        (("l2sc:lam=10", "mine=stsc"), ["l2sc:lam=10", "mine"]),
        ({"weak": "l2sc:lam=0.1", "strong": "l2sc:lam=10"}, ["weak", "strong"]),
        ({"mine": "yours=l2sc"}, ["mine"]),
        (Seeded(), ["Seeded"]),
        ([Seeded(sides=4), "stsc"], ["Seeded:sides=4", "stsc"]),
        ({"four": Seeded(sides=4)}, ["four"]),
    ],
)
def test_methods_are_labelled_by_mapping_then_alias_then_what_was_written(methods, given, expected):
    assert labels(methods(given)) == expected


def test_a_registered_method_has_its_defaults_filled_in_and_is_built_with_them(methods, registry):
    (entry,) = methods("l2sc:lam=10")
    defaults = {p.name: p.default for p in registry.methods["l2sc"].params if not p.added}
    assert entry.params == defaults | {"lam": 10.0}
    built = entry.make().get_params()
    assert {name: built[name] for name in entry.params} == entry.params
    assert (entry.written, entry.cacheable) == (("lam",), True)


def test_an_instance_is_cloned_for_every_run_with_its_parameters(methods):
    given = Seeded(sides=4, random_state=99)
    (entry,) = methods(given)
    built = entry.make()
    assert built is not given
    assert (built.sides, built.random_state, given.random_state) == (4, 99, 99)
    assert entry.params == {"sides": 4}  # the seed is a fact of the run, not of the method
    assert not entry.cacheable


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        (1.5, 1.5), (True, True), ("text", "text"), (None, None),
        ((1, [2, None]), [1, [2, None]]), (float("inf"), "inf"), (float("nan"), "nan"),
    ],
)  # fmt: skip
def test_parameters_of_an_instance_are_recorded_as_json_can_hold_them(methods, value, recorded):
    (entry,) = methods(Told(labels=value))
    assert entry.params["labels"] == recorded


def test_an_object_as_a_parameter_is_recorded_by_its_content(methods):
    one, same, other = (methods(Told(labels=np.array([1, 2, last])))[0].params["labels"] for last in (3, 3, 4))
    assert re.fullmatch(r"array\(\[1, 2, 3\]\) #[0-9a-f]{12}", one)
    assert one == same
    assert one.split("#")[1] != other.split("#")[1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "3 is no method: give a name such as 'l2sc:lam=10', or an instance of Clusterer."),
        ([], "No method was given."),
        ({}, "No method was given."),
        (["l2sc:lam=many"], "Method 'l2sc': lam takes a number of at least 0, not 'many'."),
        (["a=l2sc", "a=stsc"], "Two entries are called 'a': name each method differently, as in mine=stsc."),
    ],
)
def test_what_cannot_be_a_method_is_refused_in_one_sentence(methods, given, message):
    with pytest.raises(LcbenchError) as caught:
        methods(given)
    assert str(caught.value) == message


def test_a_class_without_a_setting_is_refused_with_the_line_to_add(methods):
    unset = type("Unset", (Seeded,), {"setting": None})()
    with pytest.raises(ParameterError, match="Class Unset has no setting: add `setting = "):
        methods(unset)


def test_the_same_method_under_two_names_is_kept_once_with_a_warning(methods, caplog):
    assert labels(methods(["l2sc:lam=1", "again=l2sc"])) == ["l2sc:lam=1"]  # 1 is the default
    assert caplog.messages == ["'again' is the same method as 'l2sc:lam=1': it is run once, as that."]


def test_two_classes_of_one_name_are_refused(methods):
    twin = type("Seeded", (Seeded,), {"__module__": "small_methods", "__qualname__": "Seeded"})
    with pytest.raises(ParameterError, match=r"Two different methods are both small_methods\.Seeded: rename"):
        methods([Seeded(), twin()])


def test_an_entry_that_writes_a_varied_parameter_differs_from_one_that_does_not(methods):
    assert labels(methods(["l2sc", "l2sc:lam=1"])) == ["l2sc"]
    assert labels(methods(["l2sc", "l2sc:lam=1"], {"l2sc": ["lam"]})) == ["l2sc", "l2sc:lam=1"]


@pytest.mark.parametrize(
    ("method", "baseline"),
    [
        ("l2sc:n_neighbors=5,max_iter=3", "stsc:n_neighbors=5"),
        ("onestepsc:n_neighbors=5", "stsc"),  # neighbours of another graph
        ("mbc:max_iter=7,unit_rows=false", "kmeans:unit_rows=false"),  # iterations of another loop
    ],
)
def test_a_baseline_is_run_with_the_parameters_that_mean_the_same_in_both(method, baseline):
    plan = plan_runs([method], ["digits"])
    assert [planned.record.label for planned in plan] == [baseline, method]


def test_a_baseline_that_is_not_registered_costs_a_warning_and_is_left_out(methods, registry, monkeypatch, caplog):
    spec = MethodSpec("orphan", "a:B", Setting.LIFELONG, summary="", baseline="gone")
    monkeypatch.setitem(registry.methods._specs, "orphan", spec)
    monkeypatch.setitem(registry.methods._sources, "orphan", registry.methods.source("l2sc"))
    assert methods("orphan")[0].baseline is None
    assert caplog.messages == ["Method 'orphan' names the baseline 'gone', which is not there."]


def test_a_point_sets_parameters_in_the_method_its_label_and_its_baseline(methods, registry):
    plain, named = methods(["l2sc:mu=2", "mine=l2sc:mu=3"])
    point = at_point(plain, {"lam": 0.5, "n_neighbors": 7}, registry)
    assert (point.label, point.params["lam"], point.params["mu"]) == ("l2sc:mu=2,lam=0.5,n_neighbors=7", 0.5, 2.0)
    assert (point.baseline.label, plain.baseline.label) == ("stsc:n_neighbors=7", "stsc")
    assert point.make().get_params()["n_neighbors"] == 7
    assert plain.params["lam"] == 1.0  # as it was
    assert at_point(named, {"lam": 0.5}, registry).label == "mine:lam=0.5"
    assert at_point(named, {"lam": 0.5}, registry).baseline is named.baseline  # stsc has no lam


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("digits", ["digits"]),
        (["digits:tasks=2", "few=digits:tasks=3"], ["digits:tasks=2", "few"]),
        ({"few": "digits:tasks=2"}, ["few"]),
    ],
)
def test_streams_are_labelled_as_methods_are(given, expected):
    assert labels(configured_streams(given)) == expected


def test_a_registered_stream_knows_its_tasks_before_its_data_are_loaded():
    (entry,) = configured_streams("digits:tasks=3")
    assert entry.task_names == ("task-1", "task-2", "task-3")
    assert entry._tasks is None
    assert tuple(task.name for task in entry.tasks()) == entry.task_names


def test_arrays_are_known_by_their_content(blob_stream):
    names = [task.name for task in blob_stream.tasks()]
    (entry,) = configured_streams(blob_stream)
    assert (entry.name, entry.label, list(entry.task_names)) == ("blobs", "blobs", names)
    moved = TaskStream.from_arrays("blobs", {t.name: (t.task.X + 1e-9, t.y) for t in blob_stream.tasks()})
    assert configured_streams(moved)[0].digest != entry.digest
    assert labels(configured_streams({"a": blob_stream, "b": moved})) == ["a", "b"]
    with pytest.raises(ParameterError, match="Two entries are called 'blobs'"):
        configured_streams([blob_stream, moved])


def test_a_folder_is_a_stream_by_text_by_path_and_under_an_alias(tmp_path):
    np.savez(tmp_path / "first.npz", X=np.eye(6), y=np.arange(6) % 2)
    entries = [configured_streams(given)[0] for given in (str(tmp_path), Path(tmp_path), f"mine={tmp_path}")]
    assert {entry.identity for entry in entries} == {entries[0].identity}
    assert entries[2].label == "mine"
    assert entries[0].task_names == ("first",)
    assert labels(configured_streams([str(tmp_path), tmp_path])) == [entries[0].label]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "3 is no stream: give a name such as 'digits', or TaskStream.from_arrays(...)."),
        ([], "No stream was given."),
        (
            TaskStream.from_arrays("digits", {"a": (np.eye(4), [0, 1, 0, 1])}),
            "'digits' is the name of a registered stream: call your arrays something else.",
        ),
    ],
    ids=["number", "nothing", "arrays"],
)
def test_what_cannot_be_a_stream_is_refused_in_one_sentence(given, message):
    with pytest.raises(ParameterError) as caught:
        configured_streams(given)
    assert str(caught.value) == message


def test_what_is_configured_can_be_pickled_and_built_in_another_process(methods, blob_stream):
    entries = pickle.loads(pickle.dumps([*methods(["l2sc:lam=10", Seeded(sides=4)]), *configured_streams(blob_stream)]))
    assert entries[0].make().get_params()["lam"] == 10
    assert entries[1].make().sides == 4
    np.testing.assert_array_equal(entries[2].tasks()[0].task.X, blob_stream.tasks()[0].task.X)


def test_a_registered_stream_that_was_loaded_is_itself():
    assert configured_streams(lcbench.load_stream("digits"))[0].name == "digits"
