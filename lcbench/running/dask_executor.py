"""Carries out runs on a Dask cluster, with labels, scores and the store on this machine.

Workers get tasks without labels, each stream once, and send back reports. Dask decides which worker carries out a run
and gives it to another one if that dies; a run that was on two workers as they died is tried once more, alone, and if
that kills its worker too it is recorded as crashed. All events of a run arrive together, when it ends.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import queue
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import MethodSpec
from lcbench.errors import ClusterError, ParameterError
from lcbench.printable import counted
from lcbench.records.record import CRASHED
from lcbench.running.dask_cluster import SECONDS_BETWEEN_LOOKS, SECONDS_TO_ASK, Cluster, LostError, is_local
from lcbench.running.dask_worker import NO_STATION, Needs, carry_out, stop_runs
from lcbench.running.executor import InProcess, Limits, divided
from lcbench.running.forwarded_logs import LogsShown
from lcbench.running.isolated_run import Ending
from lcbench.running.ledger import Ledger
from lcbench.running.reports import Report, read_report
from lcbench.running.settings import Surroundings
from lcbench.running.steps import StepScores
from lcbench.running.wire import WireError

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord
    from lcbench.registry.events import Events
    from lcbench.running.assignment import Assignment
    from lcbench.running.planned_run import PlannedRun
    from lcbench.running.scorers import Scorers

logger = logging.getLogger(__name__)
ALIKE = ("lcbench", "numpy", "scipy", "scikit-learn")
MOST_DEATHS = 3  # of workers that a run may have caused


@dataclass(slots=True, eq=False)
class _Sent:
    """A run that a worker has been given, under a key of its own for each time."""

    planned: PlannedRun
    assigned: Assignment
    future: Any


class DaskExecutor:
    """Carries out each run in a fresh process on some worker of a Dask cluster, with limits on time and memory.

    Without the address of a `scheduler`, here or in Dask's configuration, a cluster is started on this machine, with a
    worker for each job, and ended with the experiment. With `hidden` runs are sealed off, also from these folders.
    """

    def __init__(self, limits: Limits, scheduler: str | None = None, hidden: Iterable[Path] | None = None) -> None:
        self._limits = limits
        self._address = scheduler
        self._hidden = None if hidden is None else [str(folder) for folder in hidden]
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
            from lcbench.running.scorers import Scorers

            cluster = self._connected()
            cluster.open(self._orders(), _needs(away))
            scorers = Scorers(metrics, shared_server(self._limits.threads))
            try:
                ledger = Ledger(events, sealed=self.sealed)
                yield from _Dispatch(cluster, away, audits, partial(_recorded, ledger, scorers)).records()
            finally:
                scorers.close()
        yield from InProcess().execute(here, metrics, audits, events)

    def _connected(self) -> Cluster:
        if self._cluster is None:
            self._cluster = Cluster(self._address, self._limits.jobs)
        return self._cluster

    def _orders(self) -> dict[str, Any]:
        around = Surroundings()
        return {
            "limits": asdict(self._limits),
            "plugin_files": around.plugin_files,
            "hash_seed": around.hash_seed,
            "log_level": around.log_level,
            "hidden": self._hidden,
        }


def _recorded(ledger: Ledger, scorers: Scorers, planned: PlannedRun, report: Report) -> RunRecord:
    """Score the labels of a run and make its record."""
    record, ending = planned.record, report.ending
    logs = LogsShown(record.label)
    for message in report.logs:
        logs.show(message)
    ledger.start(planned, report.environment)
    scorers.unscored.clear()
    steps = StepScores(record.order, partial(scorers.row, planned.stream.tasks(), record.order), record.evaluate)
    for learned in report.steps:
        ledger.step(planned, steps.step(learned))
    ending.unscored = frozenset(scorers.unscored)
    return ledger.end(planned, ending)


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


class _Dispatch:
    """Gives runs to the cluster, a few more than it carries out at a time, until all have a record."""

    def __init__(
        self,
        cluster: Cluster,
        runs: Sequence[PlannedRun],
        audits: Mapping[str, tuple[str, ...]],
        recorded: Callable[[PlannedRun, Report], RunRecord],
    ) -> None:
        self._cluster = cluster
        self._audits = audits
        self._recorded = recorded
        self._waiting = deque(runs)
        self._suspects: deque[PlannedRun] = deque()  # each was on two workers as they died: they are tried alone
        self._missing = len(runs)
        self._sent: dict[str, _Sent] = {}
        self._deaths: Counter[str] = Counter()
        self._streams: dict[int, str] = {}
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._most = 1

    def records(self) -> Iterator[RunRecord]:
        """Carry out all runs and yield their records as they end."""
        self._cluster.removed = lambda event: self._inbox.put(("event", event[1]))
        try:
            while self._missing:
                try:
                    for record in self._go_on():
                        self._missing -= 1
                        yield record
                except LostError:
                    self._take_back(list(self._sent))
                    self._streams.clear()
                    self._cluster.return_to()
        finally:
            self._cancel()

    def _go_on(self) -> Iterator[RunRecord]:
        self._send()
        try:
            what, content = self._inbox.get(timeout=SECONDS_BETWEEN_LOOKS)
        except queue.Empty:
            if not self._cluster.is_connected:
                raise LostError from None
            self._most = 1  # workers may have come
            return
        if what == "event":
            yield from self._after_death(content)
        elif content in self._sent:
            sent = self._sent.pop(content)
            report = self._fetched(sent)
            self._send()
            if report is not None:
                yield self._recorded(sent.planned, report)

    def _send(self) -> None:
        """Give runs to the cluster, as many as its workers can carry out and one more for each of them."""
        if self._most <= len(self._sent):
            slots = self._cluster.nthreads()
            self._most = sum(slots.values()) + len(slots)
        while self._waiting and len(self._sent) < self._most:
            self._submit(self._waiting.popleft())
        if self._suspects and not self._sent and not self._waiting:
            self._submit(self._suspects.popleft())

    def _submit(self, planned: PlannedRun) -> None:
        cluster, stream = self._cluster, planned.stream
        try:
            if id(stream) not in self._streams:
                self._streams[id(stream)] = cluster.hand_out(stream, list(cluster.slots()))
            assigned = planned.assignment()
            facts = {name: value for name in _TOLD if (value := getattr(assigned, name)) is not None}
            key = f"{cluster.name}-{planned.run_id[:16]}-{os.urandom(4).hex()}"
            future = cluster.client.submit(
                carry_out, cluster.name, key, json.dumps(facts), pickle.dumps(assigned.make), self._streams[id(stream)],
                self._audits[planned.run_id], key=key, pure=False,
            )  # fmt: skip
        except BaseException:
            self._waiting.appendleft(planned)
            raise
        self._sent[key] = _Sent(planned, assigned, future)
        future.add_done_callback(lambda future: self._inbox.put(("done", future.key)))

    def _fetched(self, sent: _Sent) -> Report | None:
        """The report of a run that a worker is done with; None if it is to be sent again."""
        from distributed import KilledWorker

        try:
            content = sent.future.result(timeout=SECONDS_TO_ASK)
        except (KilledWorker, TimeoutError, OSError, CancelledError):  # deaths are counted as they are reported
            self._waiting.appendleft(sent.planned)
            if not self._cluster.is_connected:
                raise LostError from None
            return None
        except Exception as error:
            raise ClusterError(
                f"A Dask worker could not carry out {sent.planned.record.label} ({type(error).__name__}: {error}): "
                "runs that had ended are kept."
            ) from error
        if not isinstance(content, list) or not content or not isinstance(content[0], bytes):
            return _broken("no report")
        try:
            if len(content) > 1 or not content[0].startswith(b"{"):
                return read_report(sent.assigned, content)
            said = json.loads(content[0])
        except (WireError, ValueError) as error:
            return _broken(str(error))
        self._waiting.appendleft(sent.planned)
        self._supply(sent.planned, said)
        return None

    def _supply(self, planned: PlannedRun, said: Mapping[str, Any]) -> None:
        """Give a worker what it lacks for a run."""
        worker = str(said.get("worker"))
        if "refused" in said:
            raise ParameterError(f"On the Dask worker {worker}: {said['refused']}")
        if said.get("missing") == NO_STATION:
            self._cluster.open_on([worker])
        self._cluster.hand_out(planned.stream, [worker])

    def _after_death(self, event: Any) -> Iterator[RunRecord]:
        """Count the runs that a worker had as it died; the records of those that have killed too many."""
        if not isinstance(event, dict) or event.get("action") != "remove-worker":
            return
        self._most = 1
        if event.get("expected"):
            return
        for key in event.get("processing-tasks", ()):
            sent = self._sent.get(key)
            if sent is None:
                continue
            run_id = sent.planned.run_id
            self._deaths[run_id] += 1
            if self._deaths[run_id] < MOST_DEATHS - 1:
                continue  # Dask gives it to another worker
            self._recall(key)
            if self._deaths[run_id] < MOST_DEATHS:
                self._suspects.append(sent.planned)
                continue
            text = f"{counted(MOST_DEATHS, 'Dask worker')} died while carrying it out, the last one with nothing else."
            yield self._recorded(sent.planned, Report([], Ending(CRASHED, text), {}, []))

    def _recall(self, key: str) -> None:
        """Take a run back from the cluster, which has given it to another worker already."""
        self._sent.pop(key).future.cancel()
        self._cluster.ask(stop_runs, self._cluster.name, [key], workers=list(self._cluster.nthreads()))

    def _take_back(self, keys: Sequence[str]) -> None:
        for key in reversed(keys):
            self._waiting.appendleft(self._sent.pop(key).planned)

    def _cancel(self) -> None:
        """Take back what is still on the cluster, and have it ended there."""
        self._cluster.removed = lambda event: None
        sent, self._sent = self._sent, {}
        if sent and self._cluster.is_connected:
            with contextlib.suppress(Exception):
                self._cluster.client.cancel([each.future for each in sent.values()], force=True)
                self._cluster.ask(stop_runs, self._cluster.name, list(sent), workers=list(self._cluster.nthreads()))


_TOLD = ("label", "blame", "order", "places", "sizes", "seed", "threads", "evaluate", "future")


def _broken(why: str) -> Report:
    """The report of a run whose worker sent something else."""
    return Report([], Ending(CRASHED, f"its Dask worker sent no report of lcbench ({why})."), {}, [])
