"""Carries out runs, several at a time, each in a process of its own."""

from __future__ import annotations

import logging
import queue
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lcbench.audit.verdict import MEASURE
from lcbench.errors import ParameterError
from lcbench.printable import byte_size
from lcbench.records.record import CLOCK, OK, RunRecord, timestamp
from lcbench.running.executor import Limits
from lcbench.running.isolated_run import Ending, IsolatedRun
from lcbench.running.parcels import TaskParcels
from lcbench.running.provenance import environment_facts
from lcbench.running.replays import audited
from lcbench.running.scorers import Scorers
from lcbench.running.steps import StepScores

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray
    from lcbench.registry.events import Events
    from lcbench.running.launching import Server
    from lcbench.running.planned_run import PlannedRun

logger = logging.getLogger(__name__)
SECONDS_TO_LEAVE = 15.0
MOST_MEASURING = 3.0  # seconds that the audit `measure` may have taken without a warning
FREE_SECONDS = 2.0  # of CPU time that a process may use besides what it says its steps took


class Pool:
    """Gives planned runs to threads, as many as there are jobs, each of which looks after one process at a time."""

    def __init__(
        self, limits: Limits, server: Server, scoring: Server, metrics: Sequence[str], *, sealed: bool = False
    ) -> None:
        self._limits = limits
        self._server = server
        self._scoring = scoring
        self._metrics = metrics
        self._sealed = sealed
        self._inbox: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._running: set[IsolatedRun] = set()
        self._scorers: set[Scorers] = set()
        self._stopping = False
        self._parcels: dict[int, TaskParcels] = {}

    def run_all(
        self, plan: Sequence[PlannedRun], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out all runs and yield their records as they end. The hooks fire here, in the caller's thread."""
        facts = self._server.facts
        self._check_room(facts["private_bytes"])
        environment = environment_facts(facts["libraries"])
        self._waiting = deque(plan)
        for planned in plan:
            stream = planned.stream
            if id(stream) not in self._parcels:
                self._parcels[id(stream)] = TaskParcels(stream.tasks(), self._server.parcel_folder, labelled=False)
        threads = [
            threading.Thread(target=self._work, args=(audits,), daemon=True)
            for _ in range(min(self._limits.jobs, len(plan)))
        ]
        for thread in threads:
            thread.start()
        records: dict[str, RunRecord] = {}
        missing = len(plan)
        try:
            while missing:
                what, planned, content = self._inbox.get()
                if what == "error":
                    raise content
                if what == "started":
                    record = records[planned.run_id] = planned.record.blank()
                    record.environment = environment
                    record.clock, record.isolated, record.sealed = CLOCK, True, self._sealed
                    events.fire("lcbench_run_started", run=record)
                elif what == "step":
                    record = records[planned.run_id]
                    record.add_step(content)
                    events.fire("lcbench_task_learned", run=record, step=content)
                else:
                    missing -= 1
                    record = _finished(records.pop(planned.run_id), content)
                    events.fire("lcbench_run_finished", run=record)
                    yield record
        finally:
            self._stop(threads)

    def _stop(self, threads: Sequence[threading.Thread]) -> None:
        self._stopping = True
        self._waiting.clear()
        for run in list(self._running):
            run.stop()
        for scorers in list(self._scorers):
            scorers.stop()
        for thread in threads:
            thread.join(SECONDS_TO_LEAVE)
        for parcels in self._parcels.values():
            parcels.close()

    def _work(self, audits: Mapping[str, tuple[str, ...]]) -> None:
        """Carry out one waiting run after the other; what a thread finds out goes to the inbox."""
        planned = None
        scorers = None
        try:
            scorers = Scorers(self._metrics, self._scoring)
            self._scorers.add(scorers)
            while not self._stopping:
                try:
                    planned = self._waiting.popleft()
                except IndexError:
                    return
                self._carry_out(planned, scorers, audits[planned.run_id])
        except BaseException as error:
            self._inbox.put(("error", planned, error))
        finally:
            if scorers is not None:
                self._scorers.discard(scorers)
                scorers.close()

    def _carry_out(self, planned: PlannedRun, scorers: Scorers, audits: Sequence[str]) -> None:
        record = planned.record
        run = IsolatedRun(planned, self._parcels[id(planned.stream)], self._server, self._limits)
        self._running.add(run)
        try:
            self._inbox.put(("started", planned, None))
            scorers.unscored.clear()
            score = partial(scorers.row, planned.stream.tasks(), record.order)
            steps = StepScores(record.order, score, record.evaluate)
            labels: list[Mapping[str, IntArray]] = []
            for learned in run.learned():
                labels.append(learned.labels)
                self._inbox.put(("step", planned, steps.step(learned)))
            ending = run.ending
            if ending.status == OK:
                reachable = any(ending.audit[MEASURE]["reachable"])
                for mode in audits:
                    if mode != MEASURE and not self._stopping:
                        ending.audit[mode] = audited(mode, run, labels, reachable=reachable)
            ending.unscored = frozenset(scorers.unscored)
            self._inbox.put(("finished", planned, ending))
        finally:
            self._running.discard(run)

    def _check_room(self, needed: int | None) -> None:
        """Refuse a memory limit below what a process needs before it does anything."""
        limit = self._limits.memory
        if limit is not None and needed is not None and needed >= limit:
            raise ParameterError(
                f"A process needs {byte_size(needed)} before it runs anything: a memory limit of {byte_size(limit)} "
                "is too small."
            )


def _finished(record: RunRecord, ending: Ending) -> RunRecord:
    """The record of a run that has ended."""
    record.status, record.error, record.traceback = ending.status, ending.error, ending.traceback
    record.audit, record.peak_bytes = ending.audit, ending.peak_bytes
    record.cpu_seconds, record.processes_left = ending.cpu_seconds, ending.processes_left
    record.finished = timestamp()
    for metric in ending.unscored:  # the next command computes them from the labels
        record.scores.pop(metric, None)
    _check_clock(record)
    return record


def _check_clock(record: RunRecord) -> None:
    """Warn if a process used much more CPU time than it says its steps took."""
    measure = min(record.audit.get(MEASURE, {}).get("seconds", 0.0), MOST_MEASURING)  # its own word, too
    said = sum(record.learn_seconds) + sum(record.predict_seconds) + sum(record.pickle_seconds)
    if record.status == OK and (record.cpu_seconds or 0.0) > FREE_SECONDS + measure + 2 * record.threads * said:
        logger.warning(
            "%s says that its steps took %.1f s, but its process used %.1f s of CPU: it works outside its clock, or in "
            "more threads and processes than --threads allows.",
            record.label, said, record.cpu_seconds,
        )  # fmt: skip
