"""Carries out one run in this process, for a method that no other process can import.

Its record says that it was not isolated: such a method can reach all that the caller's process holds.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
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
from lcbench.running.steps import Labels, Learned, Row, StepScores
from lcbench.running.threads import known_libraries

if TYPE_CHECKING:
    from lcbench.contract.task import LabelledTask
    from lcbench.running.randomness import GlobalGenerators

    Score = Callable[[Sequence[LabelledTask], Sequence[str], Sequence[Labels]], list[Row]]

logger = logging.getLogger(__name__)
MOST_UNSCORED = 2000  # labels of tasks that wait to be scored


def execute_run(planned: PlannedRun, score: Score, events: EventSink, audit: Sequence[str] = (MEASURE,)) -> RunRecord:
    """Carry out one run in this process. If its method raises, the record has the status `failed` and the error.

    `score` makes rows of scores from the tasks of the stream, the order and the labels of steps. The audit `measure` is
    always made; the other audits repeat a run that succeeded and compare the labels.
    """
    modes = checked_modes(audit)
    record = planned.record
    record.environment = environment_facts(known_libraries())
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

    The global generators are the run's own all the while, except for those who listen. If nobody hears of steps, they
    are scored together, in the end or when there are many: each question to the scoring processes takes time.
    """
    scores = StepScores(record.order, partial(score, planned.stream.tasks(), record.order), record.evaluate)
    heard = events.is_heard("lcbench_task_learned")
    steps = _steps(planned, record.audit, paused=heard)
    unscored: list[Learned] = []
    with _generators(record) as generators:
        while True:
            try:
                learned = next(steps, None)
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:
                at = record.order[len(record.learn_seconds) + len(unscored)]
                record.status, record.error, record.traceback = described(facts_of(error), planned.method.blame, at)
                logger.debug("run %s failed", record.run_id, exc_info=True)
                break
            if learned is None:
                break
            if not heard:
                unscored.append(learned)
                if sum(len(each.labels) for each in unscored) >= MOST_UNSCORED:
                    _add_steps(record, scores, unscored)
                continue
            step = scores.step(learned)
            record.add_step(step)
            with generators.outside():
                events.fire("lcbench_task_learned", run=record, step=step)
    _add_steps(record, scores, unscored)


def _add_steps(record: RunRecord, scores: StepScores, unscored: list[Learned]) -> None:
    """Score steps, and move them to the record."""
    for step in scores.steps(unscored):
        record.add_step(step)
    unscored.clear()


def _seed(record: RunRecord) -> int:
    return method_seed(record.seed, record.stream, record.order, record.method, record.repeat)


def _generators(record: RunRecord) -> GlobalGenerators:
    from lcbench.running.randomness import GlobalGenerators

    return GlobalGenerators(_seed(record))


def _steps(
    planned: PlannedRun, audit: dict[str, Any] | None = None, *, paused: bool = True, **replaying: Any
) -> Iterator[Learned]:
    """The steps of a run, to be made with its own generators.

    With `audit` the memory of the method is measured and noted there. Threads are limited inside each step; and between
    them too unless it is `paused` there, for others to do their work.
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
    outside: AbstractContextManager[None] = nullcontext()
    whole, each = (outside, limit) if paused else (limit, outside)
    with whole:
        for i, task in enumerate(tasks):
            with each:
                step = next(steps)
            if memory is not None:
                memory.after_step(method, task)
            yield step if i else replace(step, learn_seconds=step.learn_seconds + building)


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
        return audited(mode, run, record.labels, record.state_bytes, reachable=reachable)
    finally:
        parcels.close()
