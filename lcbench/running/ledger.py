"""Keeps the records of runs that are being carried out, and reports their events."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lcbench.audit.verdict import MEASURE
from lcbench.records.record import CLOCK, OK, RunRecord, timestamp

if TYPE_CHECKING:
    from lcbench.records.record import Step
    from lcbench.registry.events import Events
    from lcbench.running.isolated_run import Ending
    from lcbench.running.planned_run import PlannedRun

logger = logging.getLogger(__name__)
MOST_MEASURING = 3.0  # seconds that the audit `measure` may have taken without a warning
FREE_SECONDS = 2.0  # of CPU time that a process may use besides what it says its steps took


class Ledger:
    """The records of runs in processes of their own, from the start of each to its end."""

    def __init__(self, events: Events, *, sealed: bool) -> None:
        self._events = events
        self._sealed = sealed
        self._records: dict[str, RunRecord] = {}

    def start(self, planned: PlannedRun, environment: dict[str, Any]) -> None:
        """A run has been started, with these facts about its machine."""
        record = self._records[planned.run_id] = planned.record
        record.environment = environment
        record.clock, record.isolated, record.sealed = CLOCK, True, self._sealed
        self._events.fire("lcbench_run_started", run=record)

    def step(self, planned: PlannedRun, step: Step) -> None:
        """A task was learned."""
        record = self._records[planned.run_id]
        record.add_step(step)
        self._events.fire("lcbench_task_learned", run=record, step=step)

    def end(self, planned: PlannedRun, ending: Ending) -> RunRecord:
        """A run has ended: its record."""
        record = _finished(self._records.pop(planned.run_id), ending)
        self._events.fire("lcbench_run_finished", run=record)
        return record


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
