"""Carries out planned runs, in this process or in worker processes with limits."""

from __future__ import annotations

import logging
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.code_fingerprint import code_of

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord
    from lcbench.running.planned_run import ConfiguredStream, PlannedRun
    from lcbench.running.worker_pool import Limits, WorkerPool

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExecutionOptions:
    """Options of how runs are carried out.

    With `limits` workers do the runs, those of `pool` if there is one. `audit` names the audits of every run.
    """

    limits: Limits | None = None
    audit: tuple[str, ...] = ("measure",)
    fresh: bool = False
    retry_failed: bool = False
    pool: WorkerPool | None = None


def streams_of(plan: Iterable[PlannedRun]) -> list[ConfiguredStream]:
    """The streams of the planned runs, each once."""
    return list({id(planned.stream): planned.stream for planned in plan}.values())


def execute_runs(
    plan: Sequence[PlannedRun],
    metrics: Sequence[str],
    execution: ExecutionOptions,
    events: Events,
    audited: Mapping[str, tuple[str, ...]],
) -> Iterator[RunRecord]:
    """Carry out the runs and yield their records, not always in the order of the plan.

    `audited` holds the audits that stored runs, by id, have already: these are repeated, so that none gets lost.
    """
    audits = {p.run_id: tuple(dict.fromkeys((*execution.audit, *audited.get(p.run_id, ())))) for p in plan}
    for planned in plan:
        planned.record.code = code_of(planned.method)
    here = plan
    if execution.limits is not None:
        away = [planned for planned in plan if _can_be_sent(planned)]
        here = [planned for planned in plan if not _can_be_sent(planned)]
        if here and (execution.limits.timeout is not None or execution.limits.memory is not None):
            labels = ", ".join(dict.fromkeys(planned.record.label for planned in here))
            logger.warning(
                "%s: no worker can import the class, so it runs in this process, without limits: put it in a module.",
                labels,
            )
        yield from _by_workers(away, metrics, execution, events, audits)
    if here:
        from lcbench.registry.metrics import load_metrics
        from lcbench.running.single_run import execute_run

        computed = load_metrics(metrics, plugin_host().registry)
        for planned in here:
            yield execute_run(planned, computed, events, audits[planned.run_id])


@contextmanager
def workers_started(execution: ExecutionOptions, plan: Sequence[PlannedRun]) -> Iterator[ExecutionOptions]:
    """Start workers if `plan` needs any and there is no pool; they start up while data are still being loaded."""
    if execution.limits is None or execution.pool is not None or not any(map(_can_be_sent, plan)):
        yield execution
        return
    from lcbench.running.worker_pool import WorkerPool

    with WorkerPool(execution.limits) as pool:
        pool.start(len(plan))
        yield replace(execution, pool=pool)


def _by_workers(
    plan: Sequence[PlannedRun],
    metrics: Sequence[str],
    execution: ExecutionOptions,
    events: Events,
    audits: Mapping[str, tuple[str, ...]],
) -> Iterator[RunRecord]:
    with workers_started(execution, plan) as started:
        if started.pool is None:
            return
        from lcbench.running.shared_data import SharedFolder

        with SharedFolder() as folder:
            shared = {id(s): folder.share(f"stream-{i}", s.tasks()) for i, s in enumerate(streams_of(plan))}
            yield from started.pool.run_all(plan, events, shared, metrics, audits)


def _can_be_sent(planned: PlannedRun) -> bool:
    """True if a worker can build the method: another process must be able to import its class."""
    if planned.method.cacheable:
        return True
    if not _is_importable(getattr(planned.method.origin, "__module__", "__main__")):
        return False
    try:
        pickle.dumps(planned.method)
    except Exception:  # an object's own pickling may raise anything
        return False
    return True


def _is_importable(module: str) -> bool:
    """True if another process could find the package of a module; it may be loaded here and still be on no path."""
    top = module.partition(".")[0]
    return top != "__main__" and any(finder.find_spec(top, None) is not None for finder in sys.meta_path)
