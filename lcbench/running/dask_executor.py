"""Carries out runs on a Dask cluster, with labels, scores and the store on this machine.

Workers get tasks without labels, each stream once, and send back reports, which are scored here, several at a time. All
events of a run arrive together, when it ends.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.contract.specs import MethodSpec
from lcbench.running.dask_cluster import Cluster, is_local
from lcbench.running.dask_dispatch import Dispatch, Recording
from lcbench.running.dask_worker import Needs, Orders
from lcbench.running.executor import InProcess, Limits, divided
from lcbench.running.forwarded_logs import LogsShown, Told
from lcbench.running.ledger import Ledger
from lcbench.running.settings import Surroundings
from lcbench.running.steps import StepScores

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord, Step
    from lcbench.registry.events import Events
    from lcbench.running.dask_worker import Report
    from lcbench.running.launching import Server
    from lcbench.running.planned_run import PlannedRun
    from lcbench.running.scorers import Scorers

ALIKE = ("lcbench", "numpy", "scipy", "scikit-learn")
MOST_SCORERS = 4


class DaskExecutor:
    """Carries out each run in a fresh process on some worker of a Dask cluster, with limits on time and memory.

    Without the address of a `scheduler`, here or in Dask's configuration, a cluster is started on this machine, with a
    worker for each job, and ended with the experiment. With `hidden` runs are sealed off, also from these folders.
    """

    def __init__(self, limits: Limits, scheduler: str | None = None, hidden: Iterable[Path] | None = None) -> None:
        self._limits = limits
        self._address = scheduler
        self._hidden = None if hidden is None else tuple(str(folder) for folder in hidden)
        self._cluster: Cluster | None = None

    @property
    def sealed(self) -> bool:
        """True if runs are sealed off."""
        return self._hidden is not None

    def seen(self) -> tuple[int, int]:
        """The number of workers, and of runs that they carry out at a time; no cluster is started for that."""
        if is_local(self._address):
            return self._limits.jobs, self._limits.jobs
        with self.started([]):
            slots = self._connected().slots()
            return len(slots), sum(slots.values())

    @contextmanager
    def started(self, runs: Sequence[PlannedRun]) -> Iterator[None]:
        """Connect to the cluster and compare its workers with this machine, if there is anything to do."""
        try:
            if any(planned.can_be_sent for planned in runs):
                self._connected().open(self._orders(), _needs(runs))
            yield
        finally:
            cluster, self._cluster = self._cluster, None
            if cluster is not None:
                cluster.close()

    def execute(
        self, runs: Sequence[PlannedRun], metrics: Sequence[str], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out the runs, as many at a time as workers have threads."""
        away, here = divided(runs, self._limits, sealed=self.sealed)
        if away:
            from lcbench.running.launching import shared_server

            cluster = self._connected()
            cluster.open(self._orders(), _needs(away))
            ledger = Ledger(events, sealed=self.sealed)
            scoring = _Scoring(ledger, metrics, shared_server(self._limits.threads))
            try:
                yield from Dispatch(cluster, away, audits, scoring.start).records()
            finally:
                scoring.close()
        yield from InProcess().execute(here, metrics, audits, events)

    def _connected(self) -> Cluster:
        if self._cluster is None:
            self._cluster = Cluster(self._address, self._limits.jobs)
        return self._cluster

    def _orders(self) -> Orders:
        return Orders(self._limits, Surroundings(), self._hidden)


class _Scoring:
    """Scores reports in threads, each with scoring processes of its own."""

    def __init__(self, ledger: Ledger, metrics: Sequence[str], server: Server) -> None:
        from lcbench.running.scorers import Scorers

        self._ledger = ledger
        self._told: Told = set()
        self._all = [Scorers(metrics, server, self._told) for _ in range(min(os.cpu_count() or 1, MOST_SCORERS))]
        self._free: queue.LifoQueue[Scorers] = queue.LifoQueue()  # so that no more are started than are needed
        for scorers in self._all:
            self._free.put(scorers)
        self._threads = ThreadPoolExecutor(len(self._all), thread_name_prefix="lcbench-scoring")

    def start(self, planned: PlannedRun, report: Report) -> Future[Recording]:
        """Have a report scored; the result, called, makes the record of the run and reports its events."""
        return self._threads.submit(self._scored, planned, report)

    def _scored(self, planned: PlannedRun, report: Report) -> Recording:
        scorers = self._free.get()
        try:
            scorers.unscored.clear()
            score = partial(scorers.rows, planned.stream.tasks(), planned.order)
            steps = list(StepScores(planned.order, score, planned.like.evaluate).steps(report.steps))
            report.ending.unscored = frozenset(scorers.unscored)
        finally:
            self._free.put(scorers)
        return partial(self._recorded, planned, report, steps)

    def _recorded(self, planned: PlannedRun, report: Report, steps: Sequence[Step]) -> RunRecord:
        logs = LogsShown(planned.like.label, self._told)
        for message in report.logs:
            logs.show(message)
        self._ledger.start(planned, report.environment)
        for step in steps:
            self._ledger.step(planned, step)
        return self._ledger.end(planned, report.ending)

    def close(self) -> None:
        """Leave out what is not scored yet, and end the processes."""
        for scorers in self._all:
            scorers.stop()
        self._threads.shutdown(cancel_futures=True)
        for scorers in self._all:
            scorers.close()


def _needs(runs: Sequence[PlannedRun]) -> Needs:
    """The packages that every worker must have to carry out these runs as this machine would."""
    from lcbench.registry.host import plugin_host

    distributions, packages, modules = dict.fromkeys(ALIKE), dict.fromkeys(["lcbench"]), dict[str, None]()
    for method in {planned.method.name: planned.method for planned in runs if planned.can_be_sent}.values():
        if not isinstance(method.origin, MethodSpec):
            modules[str(getattr(method.origin, "__module__", "__main__")).partition(".")[0]] = None
            continue
        source = plugin_host().registry.methods.source(method.name)
        if not source.file:  # files are sent along
            distributions[source.distribution] = None
            packages[method.origin.factory.partition(":")[0].partition(".")[0]] = None
    return Needs(tuple(distributions), tuple(packages), tuple(modules))
