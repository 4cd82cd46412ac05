"""Carries out planned runs, in this process or in worker processes with limits.

An executor is any object that can do what the Protocol `Executor` says: one for a cluster is a class in a file of its
own, handed to `lcbench.run(executor=...)`.
"""

from __future__ import annotations

import logging
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol

from lcbench.registry.host import plugin_host

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord
    from lcbench.registry.events import Events
    from lcbench.running.planned_run import ConfiguredStream, PlannedRun
    from lcbench.running.worker_pool import Limits, WorkerPool

logger = logging.getLogger(__name__)


class Executor(Protocol):
    """Carries out runs somewhere: in this process, in worker processes, on other machines."""

    def started(self, runs: Sequence[PlannedRun]) -> AbstractContextManager[object]:
        """A context in which `execute` can be called; what takes long may start up while data are being loaded."""

    def execute(
        self, runs: Sequence[PlannedRun], metrics: Sequence[str], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out the runs, report their events, and yield their records in any order.

        `metrics` are computed besides the external ones; `audits` names the audits of each run by its id.
        """


class InProcess:
    """Carries out runs in this process, one after the other."""

    def started(self, runs: Sequence[PlannedRun]) -> AbstractContextManager[object]:
        """Nothing needs to be started."""
        return nullcontext()

    def execute(
        self, runs: Sequence[PlannedRun], metrics: Sequence[str], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out the runs in their order."""
        if not runs:
            return  # metrics import numpy
        from lcbench.registry.metrics import load_metrics
        from lcbench.running.single_run import execute_run

        computed = load_metrics(metrics, plugin_host().registry)
        for planned in runs:
            yield execute_run(planned, computed, events, audits[planned.run_id])


class Workers:
    """Carries out runs in worker processes, with limits on time and memory.

    A run whose method no other process can import, such as a class of a notebook, is carried out in this process.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool: WorkerPool | None = None

    @contextmanager
    def started(self, runs: Sequence[PlannedRun]) -> Iterator[None]:
        """Start workers if there is anything for them to do."""
        if not any(map(can_be_sent, runs)):
            yield
            return
        from lcbench.running.worker_pool import WorkerPool

        with WorkerPool(self._limits) as self._pool:
            self._pool.start(len(runs))
            yield
        self._pool = None

    def execute(
        self, runs: Sequence[PlannedRun], metrics: Sequence[str], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out the runs, several at a time."""
        away = [planned for planned in runs if can_be_sent(planned)]
        here = [planned for planned in runs if not can_be_sent(planned)]
        if here and (self._limits.timeout is not None or self._limits.memory is not None):
            labels = ", ".join(dict.fromkeys(planned.record.label for planned in here))
            logger.warning(
                "%s: no worker can import the class, so it runs in this process, without limits: put it in a module.",
                labels,
            )
        if away:
            from lcbench.running.shared_data import SharedFolder

            # there are no workers yet if it turned out only now that a stored run must be made again
            with self.started(away) if self._pool is None else nullcontext(), SharedFolder() as folder:
                shared = {id(s): folder.share(f"stream-{i}", s.tasks()) for i, s in enumerate(streams_of(away))}
                assert self._pool is not None
                yield from self._pool.run_all(away, events, shared, metrics, audits)
        yield from InProcess().execute(here, metrics, audits, events)


def streams_of(runs: Iterable[PlannedRun]) -> list[ConfiguredStream]:
    """The streams of planned runs, each once."""
    return list({id(planned.stream): planned.stream for planned in runs}.values())


def can_be_sent(planned: PlannedRun) -> bool:
    """True if another process can build the method: it must be able to import its class."""
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
