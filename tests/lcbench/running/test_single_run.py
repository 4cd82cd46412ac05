from __future__ import annotations

import inspect
import random
from typing import ClassVar

import pytest
import small_methods
from making import make_stream
from plans import plan_runs
from small_methods import ByTurns, FailsAt

from lcbench.errors import ParameterError
from lcbench.records.record import FAILED, OK, OUT_OF_MEMORY
from lcbench.records.scoring import score_row
from lcbench.running import single_run
from lcbench.running.single_run import execute_run
from lcbench.running.threads import native_libraries
from lcbench_indices.indices import Purity


class Watches(ByTurns):
    """Notes how many threads it has and what it draws, outside of itself."""

    threads: ClassVar[list[set[int]]] = []
    drawn: ClassVar[list[float]] = []

    def partial_fit(self, task):
        self.threads.append({library["num_threads"] for library in native_libraries()})
        self.drawn.append(random.random())
        return super().partial_fit(task)


class Heard:
    """Takes the place of Events; `deaf` to events with these names, which are not fired then."""

    def __init__(self, deaf=()):
        self.seen = []
        self.deaf = deaf

    def is_heard(self, event):
        return event not in self.deaf

    def fire(self, event, **arguments):
        step = arguments.get("step")
        self.seen.append((event.removeprefix("lcbench_"), len(arguments["run"].learn_seconds), step and step.task))


def run(method, events=None, audit=(), **options):
    (planned,) = plan_runs(method, make_stream(), baselines=False, **options)
    return execute_run(planned, score, events or Heard(), audit)


def score(tasks, order, steps):
    by_name = {labelled.name: labelled for labelled in tasks}
    return [score_row({"purity": Purity()}, [by_name[name] for name in order], labels) for labels in steps]


@pytest.mark.parametrize("order", ["123", "31"])
def test_events_come_in_the_order_of_the_tasks_and_with_the_record_as_it_is_then(order):
    heard, tasks = Heard(), [f"task-{number}" for number in order]
    record = run(ByTurns(), heard, order=tasks)
    learned = [("task_learned", i + 1, task) for i, task in enumerate(tasks)]
    assert heard.seen == [("run_started", 0, None), *learned, ("run_finished", len(tasks), None)]
    assert record.status == OK
    assert record.scores["purity"][-1] == [1.0] * len(tasks)


def test_many_steps_that_nobody_hears_of_are_scored_when_as_many_labels_wait_as_may(monkeypatch):
    asked = []

    def counted(tasks, order, steps):
        asked.append(len(steps))
        return score(tasks, order, steps)

    (planned,) = plan_runs(ByTurns(), make_stream(tasks=5), baselines=False)
    at_once = execute_run(planned, counted, Heard(deaf=["lcbench_task_learned"]))
    monkeypatch.setattr(single_run, "MOST_UNSCORED", 3)  # the steps have 1, 2, 3, 4 and 5 labels
    in_parts = execute_run(planned, counted, Heard(deaf=["lcbench_task_learned"]))
    assert asked == [5, 2, 1, 1, 1, 0]
    assert (in_parts.scores, in_parts.agreement) == (at_once.scores, at_once.agreement)
    assert (in_parts.largest, in_parts.labels_digest) == (at_once.largest, at_once.labels_digest)


@pytest.mark.parametrize("method", [ByTurns(), FailsAt()], ids=["ends well", "fails"])
def test_steps_that_nobody_hears_of_are_scored_together_and_the_record_is_the_same(method):
    asked = []

    def counted(tasks, order, steps):
        asked.append(len(steps))
        return score(tasks, order, steps)

    (planned,) = plan_runs(method, make_stream(), baselines=False, evaluate="every:2")
    one_by_one, together = (execute_run(planned, counted, Heard(deaf)) for deaf in ((), ("lcbench_task_learned",)))
    done = len(together.learn_seconds)
    assert asked == [1] * done + [0, done]
    for name in ("status", "error", "scores", "agreement", "largest", "state_bytes", "labels_digest"):
        assert getattr(one_by_one, name) == getattr(together, name), name


def test_the_plan_stays_as_it_was_and_can_be_carried_out_again():
    (planned,) = plan_runs("kmeans", make_stream(), baselines=False)
    first, second = (execute_run(planned, score, Heard()) for _ in range(2))
    assert planned.record.learn_seconds == []
    assert first.labels_digest == second.labels_digest
    assert first.run_id == second.run_id == planned.run_id


@pytest.mark.parametrize(
    ("error", "status"),
    [(ValueError("not now"), FAILED), (SystemExit("not now"), FAILED), (MemoryError("not now"), OUT_OF_MEMORY)],
    ids=["error", "exit", "memory"],
)
def test_an_error_ends_the_run_and_is_recorded_with_its_place(error, status):
    heard = Heard()
    record = run(FailsAt(error=error), heard, audit=["isolate", "poison"])
    line = inspect.getsourcelines(FailsAt.partial_fit)[1] + 2
    assert record.status == status
    assert record.error == (
        f"method FailsAt of module small_methods raised {type(error).__name__}: not now "
        f"(small_methods.py:{line}, at task 'task-2')"
    )
    first, place, *_, last = record.traceback
    assert (first, last) == ("Traceback (most recent call last):", f"{type(error).__name__}: not now")
    assert "small_methods.py" in place, "it begins where the method was called"
    assert heard.seen[-1] == ("run_finished", 1, None)
    assert len(record.learn_seconds) == len(record.audit["measure"]["held_bytes"]) == 1
    assert set(record.audit) == {"measure"}, "it is not audited further"


def test_a_broken_contract_is_put_down_to_the_method():
    record = run(small_methods.Told())
    assert record.status == FAILED
    assert "set no labels_ for task 'task-1'" in record.error
    assert record.error.endswith("The fault is in method Told of module small_methods.")


def test_an_interrupt_by_the_user_is_passed_on():
    with pytest.raises(KeyboardInterrupt):
        run(FailsAt(error=KeyboardInterrupt()))


def test_a_method_has_the_threads_of_its_run_and_generators_of_its_own():
    Watches.threads.clear()
    Watches.drawn.clear()
    before, threads = random.getstate(), [library["num_threads"] for library in native_libraries()]
    run(Watches(), threads=2)
    run(Watches(), threads=2)
    assert Watches.threads == [{2}] * 6
    assert Watches.drawn[:3] == Watches.drawn[3:]
    assert random.getstate() == before
    assert [library["num_threads"] for library in native_libraries()] == threads


def test_a_listener_that_draws_neither_disturbs_a_run_nor_is_disturbed_by_it():
    class Draws(Heard):
        def fire(self, event, **arguments):
            drawn.append(random.random())

    Watches.drawn.clear()
    run(Watches())
    drawn = []
    random.seed(3)
    run(Watches(), Draws())
    alone = random.Random(3)
    assert drawn == [alone.random() for _ in range(5)]
    assert Watches.drawn[:3] == Watches.drawn[3:]


def test_only_the_audits_asked_for_are_in_the_record_and_measure_always_is():
    assert list(run("kmeans").audit) == ["measure"]
    assert list(run("kmeans", audit=["poison"]).audit) == ["measure", "poison"]


def test_an_unknown_audit_is_refused_before_the_run_starts():
    heard = Heard()
    with pytest.raises(ParameterError, match="no audit 'poisson'"):
        run("kmeans", heard, audit=["poisson"])
    assert heard.seen == []
