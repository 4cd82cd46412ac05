from __future__ import annotations

import logging

import numpy as np
import pytest

import lcbench
from lcbench.contract.specs import Setting, StreamSpec, TaskShape
from lcbench.contract.stream import ArrayStream, TaskStream
from lcbench.contract.task import LabelledTask, Task
from lcbench.errors import DataUnavailableError, ParameterError, StreamError, UnsuitableTaskError
from lcbench.records.record import FAILED, OK
from lcbench.records.store import RunStore
from lcbench.registry import building
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.running.executor import InProcess

X, Y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 2


def good():
    return (LabelledTask(Task("a", X, 2), Y),)


def not_finite():
    return (LabelledTask(Task("a", np.where(X > 1, np.nan, X), 2), Y),)


def uneven():
    return (LabelledTask(Task("a", [[1.0], [1.0, 2.0]], 1), None),)


def too_few_labels():
    return (LabelledTask(Task("a", X, 2), Y[:5]),)


def no_file():
    open("/no/such/file.csv")  # noqa: PTH123, SIM115


def leaves():
    raise SystemExit("bye")


def not_labelled():
    return (Task("a", X, 2),)


def another_name():
    return (LabelledTask(Task("b", X, 2), Y),)


def not_available():
    raise DataUnavailableError("The data of stream 'bad' are not here.")


BAD = {
    not_finite: "made tasks that cannot be used: Task 'a' holds values that are NaN or infinite",
    uneven: "made tasks that cannot be used: Task 'a' holds rows of different lengths.",
    too_few_labels: "made tasks that cannot be used: Task 'a' has 12 samples but labels of shape (5,).",
    tuple: "' has no tasks.",
    dict.fromkeys: "could not make its tasks: TypeError",
    no_file: "could not make its tasks: FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file.csv' (",
    leaves: "could not make its tasks: SystemExit: bye (test_stream_data.py:",
    (lambda: None): "what tasks() returns is nothing: it must be a tuple of LabelledTask.",
    (lambda: iter(good())): "what tasks() returns is a tuple_iterator: it must be a tuple of LabelledTask.",
    not_labelled: "what tasks() returns holds a Task: it must be a tuple of LabelledTask.",
    another_name: "was registered with the tasks a but made b.",
}


@pytest.fixture
def register(monkeypatch):
    """Registers streams `good` and `bad` as those of a plugin; `bad` makes its tasks by the function given."""
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)
    streams = plugin_host().registry.streams

    class Made(TaskStream):
        def __init__(self, name, make):
            self.name, self.make = name, make

        def tasks(self):
            return self.make()

    load = building.load_factory
    monkeypatch.setattr(building, "load_factory", lambda factory: Made if factory == "odd:Made" else load(factory))

    def add(make=good, **more):
        for name, function in {"good": good, "bad": make, **more}.items():
            spec = StreamSpec(name, "odd:Made", (TaskShape("a"),), fixed={"name": name, "make": function}, digest="1")
            monkeypatch.setitem(streams._specs, name, spec)
            monkeypatch.setitem(streams._sources, name, Source("odd", "odd-dist"))

    return add


class Turns(lcbench.Clusterer):
    setting = Setting.SINGLE_TASK

    def partial_fit(self, task):
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return np.arange(task.n_samples) % task.n_clusters


def run(*streams, **options):
    return lcbench.run(Turns(), streams, executor=InProcess(), **options)


def test_streams_that_cannot_be_used_fail_their_own_runs_and_the_others_are_made(register, caplog):
    names = {f"bad-{i}": make for i, make in enumerate(BAD)}
    register(**names)
    found = run("good", *names, repeats=2)
    assert [record.stream for record in found if record.status == OK] == ["good"] * 2
    for name, make in names.items():
        failed = [record for record in found if record.stream == name]
        assert [record.status for record in failed] == [FAILED] * 2
        for record in failed:
            assert f"'{name}' of plugin 'odd' of distribution 'odd-dist' " in record.error
            assert BAD[make] in record.error
        assert f"{failed[0].error} Its 2 runs are not made." in caplog.messages


def test_a_stream_that_cannot_be_used_stops_an_experiment_on_it_alone(register):
    register(no_file)
    with pytest.raises(
        StreamError, match=r"^stream 'bad' of plugin 'odd' .* FileNotFoundError: .*file\.csv' \(test_"
    ) as error:
        run("bad")
    assert error.value.exit_code == 1


@pytest.mark.parametrize("tune", ["oracle", "first-task"])
def test_a_tuning_by_labels_is_refused_before_the_first_run_where_there_are_none(tmp_path, tune):
    stream = ArrayStream("bare", [LabelledTask(Task("a", X, 2), None)])
    asked = {"methods": "kmeans", "streams": stream, "grid": {"kmeans": {"n_init": [1, 2]}}, "out": tmp_path}
    with pytest.raises(ParameterError, match=f"{tune} chooses by labels, and 'bare' has none: take --tune silhouette"):
        lcbench.run(**asked, tune=tune, executor=InProcess())
    assert not RunStore(tmp_path).index()
    assert len(lcbench.run(**asked, tune="silhouette", executor=InProcess(), progress=False)) == 1


def test_runs_that_never_began_are_not_stored_and_are_tried_again(register, tmp_path):
    register(not_finite)
    run("bad", "good", out=tmp_path)
    assert [entry.stream for entry in RunStore(tmp_path).index().values()] == ["good"]
    register(good)
    assert not run("bad", "good", out=tmp_path).failed


def test_data_that_are_not_available_still_stop_all(register):
    register(not_available)
    with pytest.raises(DataUnavailableError, match="are not here"):
        run("bad", "good")


def test_stored_runs_of_a_stream_that_cannot_be_used_any_more_are_shown_without_the_new_metric(
    register, tmp_path, caplog
):
    register(good)
    first = lcbench.run("one-cluster", "bad", executor=InProcess(), out=tmp_path)
    register(no_file)
    again = lcbench.run(
        "one-cluster", ["bad", "good"], executor=InProcess(), out=tmp_path, metrics=["purity", "silhouette"]
    )
    assert again[0].scores["purity"] == first[0].scores["purity"]
    assert any(message.startswith("1 stored run cannot be scored by ") for message in caplog.messages)


def test_a_method_that_takes_no_features_below_0_is_refused_once_before_any_run_and_others_go_on(register, caplog):
    register()
    methods = ["l2sc", "mbc:divergence=kl", "mbc", "kmeans"]
    grid = {"l2sc": {"lam": [1, 10]}}
    found = lcbench.run(methods, "good", grid=grid, solo=False, executor=InProcess())
    assert {record.label for record in found if record.status == OK} == {"mbc", "kmeans", "stsc"}
    told = [message for message in caplog.messages if "takes no features below 0" in message]
    lowest = f" takes no features below 0, and 'a' of good has {X.min():g}: add transform=minmax"
    assert [message.partition(lowest)[0] for message in told] == ["l2sc", "mbc:divergence=kl"]
    assert told[0].endswith("Its 2 runs are not made.")
    assert {record.error for record in found.failed if record.method == "l2sc"} == {told[0].partition(" Its ")[0]}
    assert not lcbench.run("l2sc", "good:transform=minmax", executor=InProcess()).failed


def test_what_a_spec_says_of_negative_features_is_what_its_method_does():
    """Every method that refuses a task below 0 says so in its spec, and no other."""
    task = Task("a", X, 2)
    for spec in plugin_host().registry.methods:
        variants = [""] + [":divergence=kl"] * any(param.name == "divergence" for param in spec.params)
        for variant in variants:
            params = {"divergence": "kl"} if variant else {param.name: param.default for param in spec.params}
            try:
                lcbench.load_method(spec.name + variant).partial_fit(task)
                refused = False
            except UnsuitableTaskError as error:
                refused = "not negative" in str(error)
            assert refused == spec.nonnegative_with(params), spec.name + variant
