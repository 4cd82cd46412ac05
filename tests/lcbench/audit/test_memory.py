from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from making import make_stream, make_task
from small_methods import ByTurns

from lcbench import LabelledTask, Setting
from lcbench.audit import search
from lcbench.audit.memory import Memory
from lcbench.audit.verdict import NOTHING, verdict_of


class Carrier(ByTurns):
    """Carries whatever `make` makes of what it carried before and of the task."""

    setting = Setting.LIFELONG

    def __init__(self, *, make=None):
        super().__init__()
        self.make = make

    def partial_fit(self, task):
        self.carried_ = self.make and self.make(getattr(self, "carried_", None), task)
        return super().partial_fit(task)


def measured(make, tasks=None):
    tasks = tasks or make_stream().tasks()  # not a global, which counts as known before
    method = Carrier(make=make)
    memory = Memory(method, [labelled.task for labelled in tasks])
    for labelled in tasks:
        method.partial_fit(labelled.task)
        memory.after_step(method, labelled.task)
    return memory.result


def views(old, task):
    whole = np.zeros(1000)
    return {"a": whole, "b": [whole, whole[10:20]], "c": whole[::-3].reshape(-1, 2)[:, 1]}


@pytest.mark.parametrize(
    ("make", "held", "reachable"),
    [
        (lambda old, task: [np.zeros(100), np.zeros((10, 10), dtype=np.int8)], [900, 900, 900], [0, 0, 0]),
        (views, [8000] * 3, [0, 0, 0]),
        (lambda old, task: np.zeros(5000)[:2], [40_000] * 3, [0, 0, 0]),
        (lambda old, task: task, [0, 0, 0], [1, 1, 1]),
        (lambda old, task: (*(old or ()), task), [0, 5760, 11_520], [1, 2, 3]),
    ],
    ids=["arrays", "one array, as views too", "the base of a small view", "the task just learned", "old tasks"],
)
def test_held_bytes_are_those_of_the_arrays_that_are_carried_but_for_the_task_just_learned(make, held, reachable):
    result = measured(make)
    assert (result["held_bytes"], result["reachable"]) == (held, reachable)
    assert (result["task_bytes"], result["clusters"]) == ([60 * 12 * 8] * 3, [3, 3, 3])


def test_the_names_of_features_do_not_count_as_held():
    tasks = make_stream(names=tuple(f"word-{i}" for i in range(12))).tasks()
    assert measured(lambda old, task: task, tasks)["held_bytes"] == [0, 0, 0]


def test_labels_and_objectives_of_the_last_task_do_not_count_as_held():
    method, task = Carrier(), make_task().task
    memory = Memory(method, [task])
    method.partial_fit(task)
    method.objective_trace_ = [float(i) / 7 for i in range(5000)]
    memory.after_step(method, task)
    assert memory.result["held_bytes"] == [0]


def test_a_method_that_holds_too_many_objects_is_marked_as_searched_incompletely(monkeypatch):
    monkeypatch.setattr(search, "MOST_OBJECTS", 1000)
    result = measured(lambda old, task: [[i / 7] for i in range(3000)])
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
        return super().partial_fit(task)

    def __getstate__(self):
        return {"sides": 1, "shift": 0}


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
    method = module.Script()
    tasks = [labelled.task for labelled in blob_stream.tasks()]
    memory = Memory(method, tasks)
    for task in tasks:
        memory.after_step(method.partial_fit(task), task)
    assert memory.result["held_bytes"] == [0, 0, 0]
    assert memory.result["reachable"] == [0, 0, 0]
    module.later = tasks[0].X.copy()
    memory.after_step(method, tasks[2])
    assert memory.result["held_bytes"][-1] == 5760, "what comes later is seen"


def test_modules_imported_while_learning_do_not_count_as_held(cheats, audited, blob_stream):
    sys.modules.pop("lcbench_cheats.late", None)
    record = audited(cheats.Late(), blob_stream)
    assert "lcbench_cheats.late" in sys.modules
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (NOTHING, True)


def test_a_task_mapped_from_a_file_is_found_by_its_address(tmp_path):
    mapped = []
    for labelled in make_stream(tasks=2).tasks():
        np.save(tmp_path / labelled.name, labelled.task.X)
        X = np.load(tmp_path / f"{labelled.name}.npy", mmap_mode="r")
        mapped.append(LabelledTask.from_arrays(labelled.name, X, labelled.y))
    assert isinstance(mapped[0].task.X.base, np.memmap)
    assert measured(lambda old, task: [*(old or []), task.X.base], mapped)["reachable"] == [1, 2]
    assert measured(lambda old, task: task.X.sum(axis=0), mapped)["reachable"] == [0, 0]
