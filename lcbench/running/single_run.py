"""Carries out one run in this process, with its audits, and fills its record."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.audit.verdict import checked_modes
from lcbench.contract.hashing import method_seed
from lcbench.errors import ContractError, LcbenchError
from lcbench.records.record import FAILED, OK, OUT_OF_MEMORY, RunRecord, timestamp
from lcbench.registry.events import EventSink
from lcbench.running.planned_run import PlannedRun
from lcbench.running.provenance import environment_facts

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer
    from lcbench.contract.metric import Metric
    from lcbench.contract.task import LabelledTask
    from lcbench.records.record import Step
    from lcbench.running.randomness import GlobalGenerators

logger = logging.getLogger(__name__)
FRAMES_KEPT = 6
LCBENCH = Path(__file__).parents[1]


def execute_run(
    planned: PlannedRun, metrics: Mapping[str, Metric], events: EventSink, audit: Sequence[str] = ("measure",)
) -> RunRecord:
    """Carry out one run in this process. If its method raises, the record has the status `failed` and the error.

    The audit `measure` is always made; the other audits repeat a run that succeeded and compare the labels.
    """
    modes = checked_modes(audit)
    record = planned.record.blank()
    by_name = {t.name: t for t in planned.stream.tasks()}
    tasks = [by_name[name] for name in record.order]
    record.environment = environment_facts()
    events.fire("lcbench_run_started", run=record)
    steps = _steps(planned, tasks, metrics, audit=record.audit)
    while True:
        try:
            step = next(steps, None)
        except (Exception, SystemExit) as error:
            record.status = OUT_OF_MEMORY if isinstance(error, MemoryError) else FAILED
            record.error = _describe(error, planned, record.order[len(record.learn_seconds)])
            record.traceback = _last_lines(error)
            logger.debug("run %s failed", record.run_id, exc_info=True)
            break
        if step is None:
            break
        record.add_step(step)
        events.fire("lcbench_task_learned", run=record, step=step)
    for mode in modes[1:] if record.status == OK else ():
        record.audit[mode] = _audited(mode, planned, tasks, record)
    record.finished = timestamp()
    events.fire("lcbench_run_finished", run=record)
    return record


def _steps(
    planned: PlannedRun,
    tasks: Sequence[LabelledTask],
    metrics: Mapping[str, Metric],
    *,
    audit: dict[str, Any] | None = None,
    guise: Callable[[Clusterer], Clusterer] | None = None,
    **replaying: Any,
) -> Iterator[Step]:
    """The steps of a run. Threads are limited and the global generators are the run's own only inside each step.

    With `audit` the memory of the method is measured and noted there; `guise` wraps the method before the first step.
    """
    from lcbench.audit.memory import Memory
    from lcbench.running.harness import replay
    from lcbench.running.threads import ThreadLimit

    record = planned.record
    method, generators = _built(planned)
    limit = ThreadLimit(record.threads)  # after the method, which may have loaded libraries of its own
    memory = None
    if audit is not None:
        memory = Memory(method, [labelled.task for labelled in tasks])
        audit["measure"] = memory.result
    driven = method if guise is None else guise(method)
    steps = replay(driven, tasks, metrics, evaluate=record.evaluate, future=record.future, **replaying)
    while True:
        with limit, generators:
            step = next(steps, None)
        if step is None:
            return
        if memory is not None:
            memory.after_step(method, step.learned)
        yield step


def _built(planned: PlannedRun) -> tuple[Clusterer, GlobalGenerators]:
    """The fresh method of a run and the run's own global generators, both seeded."""
    from lcbench.running.randomness import GlobalGenerators

    record = planned.record
    seed = method_seed(record.seed, record.stream, record.order, record.method, record.repeat)
    generators = GlobalGenerators(seed)
    with generators:
        return planned.method.build(seed), generators


def _audited(mode: str, planned: PlannedRun, tasks: Sequence[LabelledTask], record: RunRecord) -> dict[str, Any]:
    """Repeat a run in a way that takes old tasks away from the method, and compare its labels with the record."""
    from lcbench.audit.label_check import compared
    from lcbench.audit.poison import poisoned
    from lcbench.running.isolation import Isolated, repeats

    if mode == "isolate":
        steps = _steps(planned, tasks, {}, guise=partial(Isolated.of, threads=record.threads))
    else:
        steps = _steps(planned, tasks, {}, hand_over=poisoned)
    result = compared(steps, record.labels, record.order)
    if result["passed"] is False and not any(record.audit["measure"]["reachable"]):
        result["repeats"] = repeats(*_built(planned), tasks, record)
    return result


def _describe(error: BaseException, planned: PlannedRun, task: str) -> str:
    """The sentence for the user about an error of a method: who raised what, where, at which task."""
    if isinstance(error, ContractError):
        return f"{error} The fault is in {planned.method.blame}."
    if isinstance(error, LcbenchError):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}, at task '{task}'"
    return f"{planned.method.blame} raised {type(error).__name__}: {error} ({where})"


def _last_lines(error: BaseException) -> list[str]:
    """The traceback as Python prints it, without the frames of lcbench and shortened to the innermost frames."""
    frames = traceback.extract_tb(error.__traceback__)
    while len(frames) > 1 and Path(frames[0].filename).is_relative_to(LCBENCH):
        del frames[0]
    shown = "".join(traceback.format_list(frames[-FRAMES_KEPT:])) + "".join(traceback.format_exception_only(error))
    return ["Traceback (most recent call last):", *(line[:300] for line in shown.splitlines() if line.strip())]
