"""One run, carried out in this process."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.errors import ContractError, LcbenchError
from lcbench.events import Events
from lcbench.planning import PlannedRun
from lcbench.record import FAILED, RunRecord
from lcbench.seeds import method_seed

if TYPE_CHECKING:
    from lcbench.harness import Step
    from lcbench.metric import Metric

logger = logging.getLogger(__name__)


def execute(planned: PlannedRun, metrics: Mapping[str, Metric], events: Events) -> RunRecord:
    """Carry out one run in this process. What its method does wrong becomes a record with status `failed`."""
    from lcbench.environment import environment_facts

    record = planned.record.blank()
    tasks = {t.name: t for t in planned.stream.tasks()}
    record.environment = environment_facts()
    events.fire("lcbench_run_started", run=record)
    steps = _steps(planned, [tasks[name] for name in record.order], metrics)
    while True:
        try:
            step = next(steps, None)
        except (Exception, SystemExit) as error:
            record.status, record.error = FAILED, _describe(error, planned, record.order[len(record.learn_seconds)])
            logger.debug("run %s failed", record.run_id, exc_info=True)
            break
        if step is None:
            break
        record.add_step(step)
        events.fire("lcbench_task_learned", run=record, step=step)
    events.fire("lcbench_run_finished", run=record)
    return record


def _steps(planned: PlannedRun, tasks: Sequence[Any], metrics: Mapping[str, Metric]) -> Iterator[Step]:
    """The steps of a run. Threads are limited and the global generators are the method's own only inside each step."""
    from lcbench.harness import replay
    from lcbench.randomness import GlobalGenerators
    from lcbench.threads import ThreadLimit

    record = planned.record
    seed = method_seed(record.seed, record.stream, record.order, record.method, record.repeat)
    generators = GlobalGenerators(seed)
    with generators:
        method = planned.method.build(seed)
        limit = ThreadLimit(record.threads)  # after the method, which may have brought libraries of its own
        steps = replay(method, tasks, metrics, evaluate=record.evaluate, future=record.future)
    while True:
        with limit, generators:
            step = next(steps, None)
        if step is None:
            return
        yield step


def _describe(error: BaseException, planned: PlannedRun, task: str) -> str:
    if isinstance(error, ContractError):
        return f"{error} The fault is in {planned.method.blame}."
    if isinstance(error, LcbenchError):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}, at task '{task}'"
    return f"{planned.method.blame} raised {type(error).__name__}: {error} ({where})"
