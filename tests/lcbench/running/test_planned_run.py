from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from making import make_task
from plans import plan_runs
from sklearn.base import clone
from small_methods import ReadsFile

from lcbench.contract.specs import CONTENT, MethodSpec, Param, Setting, StreamSpec, TaskShape
from lcbench.contract.stream import ArrayStream, content_digest
from lcbench.contract.task import LabelledTask
from lcbench.errors import DataRefusedError, PluginError
from lcbench.experiment.resolving import configured_methods
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.running.planned_run import ConfiguredStream, frozen
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


def test_data_that_are_not_those_of_a_pinned_digest_are_refused_with_the_digest_to_write():
    tasks = [make_task("a"), make_task("b")]
    pin = CONTENT + content_digest(tasks)
    spec = StreamSpec("mine", "a:B", (TaskShape("a"), TaskShape("b")), (Param("size", int, 3, ""),), digest=pin)

    def stream(digest, size=3):
        return ConfiguredStream(
            "mine", "mine", {"size": size}, digest, ("a", "b"), lambda: ArrayStream("mine", tasks), origin=spec
        )

    assert len(stream(pin).tasks()) == 2
    with pytest.raises(DataRefusedError, match=rf"stream 'mine' are not those of its digest: .* write digest='{pin}'"):
        stream("content:old").tasks()
    assert len(stream("content:old", size=4).tasks()) == 2  # the content is pinned for the defaults alone


def test_tasks_that_prove_little_are_warned_of_once(caplog):
    stream = configured([LabelledTask.from_arrays(name, X60, np.repeat([0, 1, 2], 20)) for name in "ab"])[0]
    stream.tasks()
    stream.tasks()
    (message,) = caplog.messages
    assert message.startswith("Stream 'mine': the rows of tasks 'a', 'b' are sorted by class")


def test_every_method_made_is_a_fresh_one_with_the_parameters_of_the_one_given():
    given = SingleTaskKMeans(n_init=2, random_state=1)
    kmeans = method(given)
    first, second = kmeans.make(), kmeans.make()
    assert len({id(first), id(second), id(given)}) == 3
    assert first.get_params() == second.get_params() == clone(given).get_params()
    assert method("one-cluster").make().get_params() == OneCluster().get_params()


@pytest.mark.parametrize("module", ["__main__", "loaded_from_a_file_that_is_on_no_path"])
def test_only_a_method_that_another_process_can_import_can_be_sent(blob_stream, monkeypatch, module):
    class Local(SingleTaskKMeans):
        """A class that has no name outside of this function."""

    def sent(method) -> bool:
        return plan_runs(method, blob_stream)[0].can_be_sent

    assert sent("l2sc:lam=2")
    assert sent(SingleTaskKMeans(n_init=1))
    assert not sent(Local())
    monkeypatch.setattr(SingleTaskKMeans, "__module__", module)  # as in a notebook, or loaded in a way of one's own
    monkeypatch.setitem(sys.modules, module, sys.modules["lcbench_baselines.kmeans"])
    assert not sent(SingleTaskKMeans(n_init=1))


@pytest.fixture
def reader(monkeypatch):
    """A registered method that reads a file, and takes a mode by its name."""
    params = (Param("file", str, "", "a file"), Param("mode", str, "words", "how", choices=("words", "lines")))
    spec = MethodSpec("reader", "small_methods:ReadsFile", Setting.SINGLE_TASK, params)
    methods = plugin_host().registry.methods
    monkeypatch.setitem(methods._specs, "reader", spec)
    monkeypatch.setitem(methods._sources, "reader", Source("tests", "tests"))


def test_a_file_named_by_a_parameter_is_found_from_another_folder_and_other_texts_stay(reader):
    for name in ("words", "list.txt"):
        Path(name).touch()
    found = method("reader:file=list.txt,mode=words")
    assert found.make_elsewhere().args[1] == {"file": str(Path("list.txt").absolute()), "mode": "words"}
    assert found.params["file"] == "list.txt", "the run is known by what was written"
    missing = method("reader:file=missing.txt")
    assert missing.make_elsewhere() is missing.make
    instance = method(SingleTaskKMeans())
    assert instance.make_elsewhere() is instance.make


def test_a_file_named_by_a_parameter_of_an_instance_is_found_from_another_folder(tmp_path):
    Path("list.txt").touch()
    for given in ("list.txt", Path("list.txt")):
        found = method(ReadsFile(file=given))
        assert found.make_elsewhere()().file == type(given)(Path("list.txt").absolute())
        assert found.make().file == given, "the one that was given stays as it is"


def test_methods_of_equal_parameters_have_the_same_identity_and_others_have_not():
    assert method("l2sc:lam=2").identity == method("mine=l2sc:lam=2").identity
    assert method("l2sc:lam=2").identity != method("l2sc:lam=3").identity


def test_parameters_become_a_key_even_if_they_hold_lists():
    params = {"a": 1, "b": [1, [2, 3]], "c": "x"}
    assert frozen(params) == (("a", 1), ("b", (1, (2, 3))), ("c", "x"))
    assert {frozen(params): "found"}[frozen(dict(params))] == "found"


def test_the_solo_runs_of_a_planned_run_learn_each_of_its_tasks_with_the_same_method_at_the_same_turn():
    planned = plan_runs("l2sc:lam=2", "digits", order="random", repeats=3, baselines=False)[2]
    solos = planned.solos()
    assert [solo.record.order for solo in solos] == [(task,) for task in planned.record.order]
    assert tuple(solo.run_id for solo in solos) == planned.record.solo_ids
    assert [solo.run_id for solo in solos] == [solo.record.run_id for solo in solos]
    assert {(solo.method, solo.stream, solo.turn, solo.solo) for solo in solos} == {
        (planned.method, planned.stream, 2, True)
    }
    assert plan_runs("kmeans", "digits")[0].solos() == []


def test_a_planned_run_has_the_id_of_its_record_and_keeps_it_when_pickled():
    planned = plan_runs("kmeans", "digits")[0]
    copy = pickle.loads(pickle.dumps(planned))
    assert planned.run_id == planned.record.run_id == copy.run_id == copy.record.run_id
