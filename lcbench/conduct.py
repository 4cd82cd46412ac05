"""How the runs of an experiment are carried out: in this process, or by workers that can be stopped."""

from __future__ import annotations

import logging
import os
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lcbench.codefacts import code_of
from lcbench.errors import ParameterError
from lcbench.events import Events
from lcbench.plugins import plugin_host
from lcbench.printable import counted

if TYPE_CHECKING:
    from lcbench.entries import StreamEntry
    from lcbench.planning import PlannedRun
    from lcbench.record import RunRecord
    from lcbench.workers.pool import Limits, WorkerPool

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Conduct:
    """With `limits` workers carry out the runs, those of `pool` if they are up; `audit` is how runs are audited."""

    limits: Limits | None = None
    audit: tuple[str, ...] = ("measure",)
    fresh: bool = False
    retry_failed: bool = False
    pool: WorkerPool | None = None


def make_limits(jobs: int, threads: int, timeout: float | str | None, memory_limit: int | str | None) -> Limits:
    """Limits from what was typed or given; what this machine cannot hold is said."""
    from lcbench.quantities import parse_duration, parse_size
    from lcbench.workers.limits import can_limit_memory
    from lcbench.workers.pool import Limits

    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ParameterError(f"jobs takes a whole number of at least 1, not {jobs!r}.")
    memory = None if memory_limit is None else parse_size(memory_limit)
    if memory is not None and not can_limit_memory():
        logger.warning("Memory can be limited on Linux only: runs go without a limit here.")
        memory = None
    cores = os.cpu_count() or 1
    if jobs * threads > cores:
        logger.warning(
            "%d jobs with %d thread%s each are more than the %s of this machine: times will not be fair.",
            jobs, threads, "" if threads == 1 else "s", counted(cores, "core"),
        )  # fmt: skip
    return Limits(jobs, threads, None if timeout is None else parse_duration(timeout), memory)


def streams_of(plan: Iterable[PlannedRun]) -> list[StreamEntry]:
    """The streams of some runs, each once."""
    return list({id(planned.stream): planned.stream for planned in plan}.values())


def carry_out(
    plan: Sequence[PlannedRun],
    metrics: Sequence[str],
    conduct: Conduct,
    events: Events,
    audited: Mapping[str, tuple[str, ...]],
) -> Iterator[RunRecord]:
    """Do the runs and yield their records, not always in the order of the plan.

    `audited` says in which ways runs were audited before: what is known of a run does not get less.
    """
    audits = {p.run_id: tuple(dict.fromkeys((*conduct.audit, *audited.get(p.run_id, ())))) for p in plan}
    for planned in plan:
        planned.record.code = code_of(planned.method)
    here = plan
    if conduct.limits is not None:
        away = [planned for planned in plan if _can_be_sent(planned)]
        here = [planned for planned in plan if not _can_be_sent(planned)]
        if here and (conduct.limits.timeout is not None or conduct.limits.memory is not None):
            labels = ", ".join(dict.fromkeys(planned.record.label for planned in here))
            logger.warning(
                "%s: no worker can import the class, so it runs in this process, without limits: put it in a module.",
                labels,
            )
        yield from _by_workers(away, metrics, conduct, events, audits)
    if here:
        from lcbench.execution import execute
        from lcbench.scoring import load_metrics

        computed = load_metrics(metrics, plugin_host().registry)
        for planned in here:
            yield execute(planned, computed, events, audits[planned.run_id])


@contextmanager
def workers_started(conduct: Conduct, plan: Sequence[PlannedRun]) -> Iterator[Conduct]:
    """Workers for `plan`, if it needs any and none are up; they start while data are still being loaded."""
    if conduct.limits is None or conduct.pool is not None or not any(map(_can_be_sent, plan)):
        yield conduct
        return
    from lcbench.workers.pool import WorkerPool

    with WorkerPool(conduct.limits) as pool:
        pool.start(len(plan))
        yield replace(conduct, pool=pool)


def _by_workers(
    plan: Sequence[PlannedRun],
    metrics: Sequence[str],
    conduct: Conduct,
    events: Events,
    audits: Mapping[str, tuple[str, ...]],
) -> Iterator[RunRecord]:
    with workers_started(conduct, plan) as started:
        if started.pool is None:
            return
        from lcbench.workers.sharing import SharedFolder

        with SharedFolder() as folder:
            shared = {id(s): folder.share(f"stream-{i}", s.tasks()) for i, s in enumerate(streams_of(plan))}
            yield from started.pool.carry_out(plan, events, shared, metrics, audits)


def _can_be_sent(planned: PlannedRun) -> bool:
    """Whether a worker can build the method: its class must be one that another process can import."""
    if planned.method.cacheable:
        return True
    if not _is_importable(getattr(planned.method.origin, "__module__", "__main__")):
        return False
    try:
        pickle.dumps(planned.method)
    except Exception:  # whatever an object's own pickling raises
        return False
    return True


def _is_importable(module: str) -> bool:
    """Whether another process finds the package of a module; that this one has it loaded does not say so."""
    top = module.partition(".")[0]
    return top != "__main__" and any(finder.find_spec(top, None) is not None for finder in sys.meta_path)
