"""Checks of a method beyond labels: what it keeps, prints and leaves; other processes."""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from lcbench.audit.verdict import BYTES_PER_TASK, ISOLATE, POISON, growth_per_task, verdict_of
from lcbench.contract.specs import Setting
from lcbench.contract.stream import ArrayStream
from lcbench.contract.task import LabelledTask, Task
from lcbench.printable import byte_size
from lcbench.records.record import OK
from lcbench.running.executor import InProcess
from lcbench.running.harness import pickled_state
from lcbench.running.process_limits import children
from lcbench.testing.checks import CheckList, SkippedError, captured_output
from lcbench.testing.example_tasks import groups
from lcbench.testing.subjects import MethodSubject, learning

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord

PROCESS_CHECKS = CheckList()
FEW_TASKS, MANY_TASKS = 4, 16
WIDER = 20  # times the features: what is kept for each task shows
SECONDS_TO_END = 2.0
_audits: WeakKeyDictionary[MethodSubject, RunRecord] = WeakKeyDictionary()


@PROCESS_CHECKS.add("Let nothing depend on the process: no hash() of texts, no order of sets, no addresses, no clock.")
def check_other_process(subject: MethodSubject) -> None:
    """A process of its own gives the same labels as this one."""
    there = _audited(subject)
    if not there.isolated:
        raise SkippedError("no other process can import its class: put it in a module")
    here = _run(subject, executor=InProcess())
    assert here.labels_digest == there.labels_digest, f"{subject.name} gives other labels in another process."


@PROCESS_CHECKS.add(
    "Keep a library of fixed size, allocated at its full size from the start, never old tasks; or say MULTI_TASK."
)
def check_promise(subject: MethodSubject) -> None:
    """The audits find no more of old tasks than its setting allows."""
    record = _audited(subject)
    found = verdict_of(record)
    reasons = "; ".join(found.reasons)
    assert found.within_promise is not False, f"{subject.name} is {record.setting}, but {found}: {reasons}."
    if found.within_promise is None:
        raise SkippedError(f"the audit cannot tell: {reasons}")


@PROCESS_CHECKS.add("Merge what was learned into a library of fixed size; allocate it at its full size from the start.")
def check_bounded_state(subject: MethodSubject) -> None:
    """The state of a method that may not keep its tasks does not grow with their number."""
    method = subject.fresh()
    if method.setting is Setting.MULTI_TASK:
        raise SkippedError("a multi-task method may keep every task")
    tasks = [Task(f"task-{i:02}", np.tile(groups(60, 3, seed=i), WIDER), 3) for i in range(MANY_TASKS)]
    sizes = [len(pickled_state(method)) for _ in learning(method, tasks)]
    growth = max(growth_per_task(sizes[:some], [3] * some) for some in (FEW_TASKS, MANY_TASKS))
    assert growth <= BYTES_PER_TASK, f"The state of {subject.name} grows by {byte_size(growth)} per task."


@PROCESS_CHECKS.add("Use logging or warnings for what a user should see.")
def check_prints_nothing(subject: MethodSubject) -> None:
    """Nothing is written to standard output while it learns and predicts."""
    for tasks in subject.streams:
        with captured_output() as written:
            subject.learn_and_predict(tasks)
        assert not written, f"{subject.name} prints: '{written[0].strip().partition(chr(10))[0]}'."


@PROCESS_CHECKS.add("End what you start: join threads, use pools in a `with`, wait for processes.")
def check_leaves_nothing(subject: MethodSubject) -> None:
    """No thread and no process is left when it has learned and predicted."""
    before = _running()
    for tasks in subject.streams:
        subject.learn_and_predict(tasks)
    if _running().keys() - before:
        gc.collect()  # a method that refers to itself is gone then, and what it holds with it
    deadline = time.monotonic() + SECONDS_TO_END
    while (left := sorted(name for one, name in _running().items() if one not in before)) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.02)
    assert not left, f"{subject.name} leaves {', '.join(left[:3])} behind."


def _running() -> dict[threading.Thread | int, str]:
    """The threads of this process and the ids of its children, each with a name for a message."""
    threads = {thread: f"thread {thread.name}" for thread in threading.enumerate()}
    return threads | {pid: f"process {pid}" for pid in children(os.getpid())}


def _audited(subject: MethodSubject) -> RunRecord:
    """A run with audits in processes of its own, made once for all checks of a subject."""
    if subject not in _audits:
        _audits[subject] = _run(subject, audit=(ISOLATE, POISON))
    return _audits[subject]


def _run(subject: MethodSubject, **options: Any) -> RunRecord:
    """A run on tasks that it takes, dense or sparse; SkippedError if it refuses some of either."""
    from lcbench.api.run import run

    if subject.taken is None:
        raise SkippedError("it refuses one of the tasks, dense and sparse")
    with _quiet():
        stream = ArrayStream("conformance-groups", [LabelledTask(task, None) for task in subject.taken])
        record = run([subject.given], stream, baselines=False, solo=False, **options)[0]
    assert record.status == OK, f"A run of {subject.name} ends as {record.status}: {record.error}"
    return record


@contextmanager
def _quiet() -> Iterator[None]:
    """Hides log messages of runs: a check says what is wrong itself."""
    logger = logging.getLogger("lcbench")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
