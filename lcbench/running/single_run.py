"""Carries out one run in this process, for a method that no other process can import.

Its record says that it was not isolated: such a method can reach all that the caller's process holds.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lcbench.audit.verdict import ISOLATE, MEASURE, checked_modes
from lcbench.contract.hashing import method_seed
from lcbench.records.record import CLOCK, OK, RunRecord, timestamp
from lcbench.registry.events import EventSink
from lcbench.running.faults import described, facts_of
from lcbench.running.method_process import build
from lcbench.running.planned_run import PlannedRun
from lcbench.running.provenance import environment_facts
from lcbench.running.steps import Learned, Row, StepScores
from lcbench.running.threads import native_libraries

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray, LabelledTask
    from lcbench.running.randomness import GlobalGenerators

    Score = Callable[[Sequence[LabelledTask], Sequence[str], Mapping[str, IntArray]], Row]

logger = logging.getLogger(__name__)


def execute_run(planned: PlannedRun, score: Score, events: EventSink, audit: Sequence[str] = (MEASURE,)) -> RunRecord:
    """Carry out one run in this process. If its method raises, the record has the status `failed` and the error.

    `score` makes a row of scores from the tasks of the stream, the order and labels. The audit `measure` is always
    made; the other audits repeat a run that succeeded and compare the labels.
    """
    modes = checked_modes(audit)
    record = planned.record
    record.environment = environment_facts(native_libraries())
    record.clock, record.isolated = CLOCK, False
    events.fire("lcbench_run_started", run=record)
    _learn_all(planned, record, score, events)
    for mode in modes[1:] if record.status == OK else ():
        record.audit[mode] = _audited(mode, planned, record)
    record.finished = timestamp()
    events.fire("lcbench_run_finished", run=record)
    return record


def _learn_all(planned: PlannedRun, record: RunRecord, score: Score, events: EventSink) -> None:
    """Add the steps of a run to its record, with the audit `measure`, until it ends or its method raises.

    The global generators are the run's own all the while, except for those who listen.
    """
    scores = StepScores(record.order, partial(score, planned.stream.tasks(), record.order), record.evaluate)
    steps = _steps(planned, record.audit)
    with _generators(record) as generators:
        while True:
            try:
                learned = next(steps, None)
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:
                at = record.order[len(record.learn_seconds)]
                record.status, record.error, record.traceback = described(facts_of(error), planned.method.blame, at)
                logger.debug("run %s failed", record.run_id, exc_info=True)
                return
            if learned is None:
                return
            step = scores.step(learned)
            record.add_step(step)
            if events.is_heard("lcbench_task_learned"):
                with generators.outside():
                    events.fire("lcbench_task_learned", run=record, step=step)


def _seed(record: RunRecord) -> int:
    return method_seed(record.seed, record.stream, record.order, record.method, record.repeat)


def _generators(record: RunRecord) -> GlobalGenerators:
    from lcbench.running.randomness import GlobalGenerators

    return GlobalGenerators(_seed(record))


def _steps(planned: PlannedRun, audit: dict[str, Any] | None = None, **replaying: Any) -> Iterator[Learned]:
    """The steps of a run, to be made with its own generators. Threads are limited only inside each step.

    With `audit` the memory of the method is measured and noted there.
    """
    from dataclasses import replace

    from lcbench.audit.memory import Memory
    from lcbench.running.harness import learning
    from lcbench.running.threads import ThreadLimit

    record = planned.record
    by_name = {labelled.name: labelled.task for labelled in planned.stream.tasks()}
    tasks = [by_name[name] for name in record.order]
    method, building = build(planned.method.make, _seed(record))
    limit = ThreadLimit(record.threads)  # after the method, which may have loaded libraries of its own
    memory = None
    if audit is not None:
        memory = Memory(method, tasks)
        audit[MEASURE] = memory.result
    steps = learning(method, len(tasks), tasks.__getitem__, evaluate=record.evaluate, future=record.future, **replaying)
    for task in tasks:
        with limit:
            step = next(steps)
        if memory is not None:
            memory.after_step(method, task)
        yield replace(step, learn_seconds=step.learn_seconds + building)
        building = 0.0


def _audited(mode: str, planned: PlannedRun, record: RunRecord) -> dict[str, Any]:
    """Replay a run so that old tasks are out of reach, and compare its labels with the record."""
    from lcbench.audit.label_check import compared, first_difference
    from lcbench.audit.poison import poisoned

    reachable = any(record.audit[MEASURE]["reachable"])
    if planned.can_be_sent:
        return _audited_elsewhere(mode, planned, record, reachable=reachable)
    if mode == ISOLATE:
        return {"passed": None, "reason": "a fresh process cannot rebuild the method", "seconds": 0.0}
    with _generators(record):
        result = compared(_steps(planned, hand_over=poisoned), record.labels, record.order)
    if result["passed"] is False and not reachable:
        with _generators(record):
            again = [step.labels for step in _steps(planned)]
        result["repeats"] = all(first_difference(*pair) is None for pair in zip(again, record.labels, strict=True))
    return result


def _audited_elsewhere(mode: str, planned: PlannedRun, record: RunRecord, *, reachable: bool) -> dict[str, Any]:
    from lcbench.running.executor import Limits
    from lcbench.running.isolated_run import IsolatedRun
    from lcbench.running.launching import shared_server
    from lcbench.running.parcels import TaskParcels
    from lcbench.running.replays import audited

    server = shared_server(record.threads)
    parcels = TaskParcels(planned.stream.tasks(), server.parcel_folder, labelled=False)
    try:
        run = IsolatedRun(planned.assignment(), parcels, server, Limits(threads=record.threads))
        run.private = True
        return audited(mode, run, record.labels, reachable=reachable)
    finally:
        parcels.close()
