from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

import lcbench
from lcbench import Clusterer, Setting
from lcbench.audit import search
from lcbench.audit.memory import Memory
from lcbench.audit.verdict import NOTHING, verdict_of
from lcbench.contract.stream import ArrayStream


class Carrier(Clusterer):
    """Carries whatever `make` makes of a task."""

    setting = Setting.LIFELONG
    predicts_unseen = True

    def __init__(self, *, make=None):
        self.make = make

    def partial_fit(self, task):
        self.carried_ = self.make(getattr(self, "carried_", None), task)
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return np.zeros(task.n_samples, dtype=int)


def measured(make, tasks):
    method = Carrier(make=make)
    memory = Memory(method, [labelled.task for labelled in tasks])
    for i, labelled in enumerate(tasks):
        method.partial_fit(labelled.task)
        memory.after_step(method, i + 1)
    return memory.result


def test_the_size_of_every_tasks_data_is_recorded(blob_stream):
    result = measured(lambda old, task: None, blob_stream.tasks())
    assert result["task_bytes"] == [60 * 12 * 8] * 3
    assert result["clusters"] == [3, 3, 3]


def test_held_bytes_are_those_of_the_arrays_that_are_carried(blob_stream):
    result = measured(lambda old, task: [np.zeros(100), np.zeros((10, 10), dtype=np.int8)], blob_stream.tasks())
    assert result["held_bytes"] == [900, 900, 900]
    assert result["reachable"] == [0, 0, 0]


def test_an_array_that_is_held_twice_or_as_views_counts_once(blob_stream):
    def make(old, task):
        whole = np.zeros(1000)
        return {"a": whole, "b": [whole, whole[10:20]], "c": whole[::-3].reshape(-1, 2)[:, 1]}

    assert measured(make, blob_stream.tasks())["held_bytes"] == [8000] * 3


def test_a_small_view_holds_all_of_its_base(blob_stream):
    assert measured(lambda old, task: np.zeros(5000)[:2], blob_stream.tasks())["held_bytes"] == [40_000] * 3


def test_labels_and_objectives_of_the_last_task_do_not_count_as_held(blob_stream):
    def make(old, task):
        return None

    method = Carrier(make=make)
    tasks = [labelled.task for labelled in blob_stream.tasks()]
    memory = Memory(method, tasks)
    method.partial_fit(tasks[0])
    method.objective_trace_ = [float(i) / 7 for i in range(5000)]
    memory.after_step(method, 1)
    assert memory.result["held_bytes"] == [0]


@pytest.mark.parametrize("names", [None, tuple(f"word-{i}" for i in range(12))])
def test_the_task_just_learned_is_reached_but_does_not_count_as_held(make_task, names):
    tasks = [make_task(f"task-{t}") for t in range(3)]
    if names:
        tasks = [lcbench.LabelledTask.from_arrays(t.name, t.task.X, t.y, names) for t in tasks]
    result = measured(lambda old, task: task, tasks)
    assert result["held_bytes"] == [0, 0, 0]
    assert result["reachable"] == [1, 1, 1]


def test_old_tasks_count_as_held(blob_stream):
    result = measured(lambda old, task: (*(old or ()), task), blob_stream.tasks())
    assert result["held_bytes"] == [0, 5760, 11_520]
    assert result["reachable"] == [1, 2, 3]


def test_a_method_that_holds_too_many_objects_is_marked_as_searched_incompletely(blob_stream, monkeypatch):
    monkeypatch.setattr(search, "MOST_OBJECTS", 1000)
    result = measured(lambda old, task: [[i / 7] for i in range(3000)], blob_stream.tasks())
    assert result["complete"] is False
    assert len(result["held_bytes"]) == 3


class Unhashable(type):
    def __hash__(cls):
        raise RuntimeError("do not look")

    def __eq__(cls, other):
        return False


class Hostile(Carrier):
    """Holds an object whose very type cannot be looked up."""

    def partial_fit(self, task):
        self.thing_ = Unhashable("Thing", (), {})()
        self.labels_ = self.predict(task)
        return self

    def __getstate__(self):
        return {}


def test_an_object_whose_type_raises_fails_the_measurement_and_not_the_run(blob_stream, audited):
    record = audited(Hostile(), blob_stream)
    assert record.status == "ok"
    assert record.audit["measure"]["complete"] is False
    assert record.audit["measure"]["error"] == "RuntimeError: do not look"
    assert verdict_of(record).within_promise is None


def test_tasks_that_its_module_held_before_the_first_step_are_not_held_by_the_method(blob_stream, monkeypatch):
    """A script that loads a stream and defines a method has the tasks among its globals."""
    module = ModuleType("somebodys_script")
    module.__file__ = "somebodys_script.py"
    module.Script = type("Script", (Carrier,), {"__module__": "somebodys_script"})
    module.stream = blob_stream
    monkeypatch.setitem(sys.modules, "somebodys_script", module)
    method = module.Script(make=lambda old, task: None)
    tasks = [labelled.task for labelled in blob_stream.tasks()]
    memory = Memory(method, tasks)
    for i, task in enumerate(tasks):
        memory.after_step(method.partial_fit(task), i + 1)
    assert memory.result["held_bytes"] == [0, 0, 0]
    assert memory.result["reachable"] == [0, 0, 0]
    module.later = tasks[0].X.copy()
    memory.after_step(method, 3)
    assert memory.result["held_bytes"][-1] == 5760, "what comes later is seen"


def test_modules_imported_while_learning_do_not_count_as_held(cheats, audited, blob_stream):
    sys.modules.pop("lcbench_cheats.late", None)
    record = audited(cheats.Late(), blob_stream)
    assert "lcbench_cheats.late" in sys.modules
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (NOTHING, True)


def test_a_task_mapped_from_a_file_is_found_by_its_address(tmp_path, make_task):
    tasks = [make_task(f"task-{t}", seed=t) for t in range(2)]
    mapped = []
    for labelled in tasks:
        np.save(tmp_path / labelled.name, labelled.task.X)
        X = np.load(tmp_path / f"{labelled.name}.npy", mmap_mode="r")
        mapped.append(lcbench.LabelledTask.from_arrays(labelled.name, X, labelled.y))
    assert isinstance(mapped[0].task.X.base, np.memmap)
    stream = ArrayStream("mapped", mapped)
    assert measured(lambda old, task: [*(old or []), task.X.base], stream.tasks())["reachable"] == [1, 2]
    assert measured(lambda old, task: task.X.sum(axis=0), stream.tasks())["reachable"] == [0, 0]
