from __future__ import annotations

import inspect
import random
from typing import ClassVar

import numpy as np
import pytest

from lcbench import Clusterer, Setting
from lcbench.errors import ParameterError
from lcbench.experiment.planning import plan_runs
from lcbench.records.record import FAILED, OK, OUT_OF_MEMORY
from lcbench.running.environment import native_libraries
from lcbench.running.single_run import execute_run
from lcbench_indices.matching import Purity


class Obedient(Clusterer):
    """Groups samples by their number; `error` is raised at the second task."""

    setting = Setting.LIFELONG
    predicts_unseen = True

    def __init__(self, *, error=None):
        self.error = error

    def partial_fit(self, task):
        self.carried_ = np.zeros(100)
        if self.error is not None and task.name == "task-2":
            raise self.error
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return np.arange(task.n_samples) % task.n_clusters


class Silent(Obedient):
    def partial_fit(self, task):
        return self


class Watches(Obedient):
    """Notes how many threads it has and what it draws, outside of itself."""

    threads: ClassVar[list[set[int]]] = []
    drawn: ClassVar[list[float]] = []

    def partial_fit(self, task):
        self.threads.append({library["num_threads"] for library in native_libraries()})
        self.drawn.append(random.random())
        return super().partial_fit(task)


class Told:
    """Takes the place of Events."""

    def __init__(self):
        self.seen = []

    def fire(self, event, **arguments):
        step = arguments.get("step")
        self.seen.append((event.removeprefix("lcbench_"), len(arguments["run"].learn_seconds), step and step.task))


def run(method, stream, events=None, audit=(), **options):
    (planned,) = plan_runs(method, stream, baselines=False, **options)
    return execute_run(planned, {"purity": Purity()}, events or Told(), audit)


def test_events_come_in_order_and_with_the_record_as_it_is_then(blob_stream):
    told = Told()
    record = run(Obedient(), blob_stream, told)
    assert told.seen == [
        ("run_started", 0, None),
        ("task_learned", 1, "task-1"),
        ("task_learned", 2, "task-2"),
        ("task_learned", 3, "task-3"),
        ("run_finished", 3, None),
    ]
    assert record.status == OK
    assert record.scores["purity"][2] == [1.0, 1.0, 1.0]


def test_tasks_arrive_in_the_order_of_the_record(blob_stream):
    told = Told()
    run(Obedient(), blob_stream, told, order=["task-3", "task-1"])
    assert [task for event, _, task in told.seen if event == "task_learned"] == ["task-3", "task-1"]


def test_the_plan_stays_as_it_was_and_can_be_carried_out_again(blob_stream):
    (planned,) = plan_runs("kmeans", blob_stream, baselines=False)
    first, second = (execute_run(planned, {}, Told()) for _ in range(2))
    assert planned.record.learn_seconds == []
    assert first.labels_digest == second.labels_digest
    assert first.run_id == second.run_id == planned.run_id


@pytest.mark.parametrize(
    ("error", "status"),
    [(ValueError("not now"), FAILED), (SystemExit("not now"), FAILED), (MemoryError("not now"), OUT_OF_MEMORY)],
    ids=["error", "exit", "memory"],
)
def test_an_error_ends_the_run_and_is_recorded_with_its_place(blob_stream, error, status):
    told = Told()
    record = run(Obedient(error=error), blob_stream, told)
    line = inspect.getsourcelines(Obedient.partial_fit)[1] + 3
    assert record.status == status
    assert record.error == (
        f"method Obedient of module {Obedient.__module__} raised {type(error).__name__}: not now "
        f"(test_single_run.py:{line}, at task 'task-2')"
    )
    assert len(record.learn_seconds) == 1
    assert told.seen[-1] == ("run_finished", 1, None)


def test_the_traceback_begins_where_the_method_was_called(blob_stream):
    first, place, *_, last = run(Obedient(error=ValueError("not now")), blob_stream).traceback
    assert first == "Traceback (most recent call last):"
    assert "test_single_run.py" in place
    assert last == "ValueError: not now"


def test_a_broken_contract_is_put_down_to_the_method(blob_stream):
    record = run(Silent(), blob_stream)
    assert record.status == FAILED
    assert "set no labels_ for task 'task-1'" in record.error
    assert record.error.endswith(f"The fault is in method Silent of module {Silent.__module__}.")


def test_an_interrupt_by_the_user_is_passed_on(blob_stream):
    with pytest.raises(KeyboardInterrupt):
        run(Obedient(error=KeyboardInterrupt()), blob_stream)


def test_a_method_has_the_threads_of_its_run_and_generators_of_its_own(blob_stream):
    Watches.threads.clear()
    Watches.drawn.clear()
    before, threads = random.getstate(), [library["num_threads"] for library in native_libraries()]
    run(Watches(), blob_stream, threads=2)
    run(Watches(), blob_stream, threads=2)
    assert Watches.threads == [{2}] * 6
    assert Watches.drawn[:3] == Watches.drawn[3:]
    assert random.getstate() == before
    assert [library["num_threads"] for library in native_libraries()] == threads


def test_only_the_audits_asked_for_are_in_the_record_and_measure_always_is(blob_stream):
    assert list(run("kmeans", blob_stream).audit) == ["measure"]
    assert list(run("kmeans", blob_stream, audit=["poison"]).audit) == ["measure", "poison"]


def test_an_unknown_audit_is_refused_before_the_run_starts(blob_stream):
    told = Told()
    with pytest.raises(ParameterError, match="no audit 'poisson'"):
        run("kmeans", blob_stream, told, audit=["poisson"])
    assert told.seen == []


def test_a_failed_run_keeps_its_measurements_and_is_not_audited_further(blob_stream):
    record = run(Obedient(error=ValueError("no more")), blob_stream, audit=["isolate", "poison"])
    assert record.status == FAILED
    assert record.audit["measure"]["held_bytes"] == [800]
    assert set(record.audit) == {"measure"}
