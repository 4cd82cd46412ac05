"""Gives each run to a worker of a Dask cluster, and to another if that goes, until all end.

A run is pinned to its worker, so that Dask never hands it on by itself: a run that takes its worker along is counted
before it is given to another one. One that was on two workers as they went away is tried once more, with nothing else
on the cluster, and if that worker goes away too, the run is recorded as crashed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcbench.errors import ClusterError, LcbenchError, ParameterError
from lcbench.printable import counted
from lcbench.records.record import CRASHED
from lcbench.running.dask_cluster import SECONDS_BETWEEN_LOOKS, SECONDS_FOR_WORKERS, SECONDS_TO_ASK, LostError
from lcbench.running.dask_worker import MissingError, Report, carry_out, stop_runs
from lcbench.running.isolated_run import Ending

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord
    from lcbench.running.dask_cluster import Cluster
    from lcbench.running.planned_run import PlannedRun

logger = logging.getLogger(__name__)
MOST_LOSSES = 3  # of workers that a run may have caused
CONNECTION_LOST = "scheduler-connection-lost"  # Dask's reason for a run that it has cancelled
MOST_UNSCORED = 64  # reports that may wait for their scores before no more runs are sent

Recording = Callable[[], "RunRecord"]  # makes the record of a run that is scored, and reports its events


@dataclass(slots=True, eq=False)
class _Sent:
    """A run that a worker has been given, under a key of its own for each time."""

    planned: PlannedRun
    worker: str
    future: Any


class Dispatch:
    """Keeps the workers of a cluster busy with runs, each with as many as it has threads and one more.

    `scored` has the labels of a report scored by another thread: its result makes the record, in the caller's.
    """

    def __init__(
        self,
        cluster: Cluster,
        runs: Sequence[PlannedRun],
        audits: Mapping[str, tuple[str, ...]],
        scored: Callable[[PlannedRun, Report], Future[Recording]],
    ) -> None:
        self._cluster = cluster
        self._audits = audits
        self._scored = scored
        self._waiting = deque(runs)
        self._suspects: deque[PlannedRun] = deque()
        self._missing = len(runs)
        self._slots = dict(cluster.ready)
        self._differ: set[str] = set()
        self._alone_since: float | None = None
        self._sent: dict[str, _Sent] = {}
        self._taken_back: list[str] = []
        self._losses: Counter[str] = Counter()
        self._unscored = 0
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    def records(self) -> Iterator[RunRecord]:
        """Carry out all runs and yield their records as they end."""
        self._cluster.heard = lambda event: self._inbox.put(("event", event[1]))
        try:
            while self._missing:
                try:
                    for make in self._go_on():
                        self._missing -= 1
                        yield make()
                except LostError:
                    for key in reversed(self._sent):
                        self._waiting.appendleft(self._sent[key].planned)
                    self._sent.clear()
                    self._slots = self._cluster.return_to()
        finally:
            self._cancel()

    def _go_on(self) -> Iterator[Recording]:
        """Send runs, then wait for one thing to happen: the record that it completes, if any."""
        if not self._cluster.is_connected:
            raise LostError
        self._send()
        try:
            what, content = self._inbox.get(timeout=SECONDS_BETWEEN_LOOKS)
        except queue.Empty:
            self._look()
            return
        if what == "scored":
            self._unscored -= 1
            yield content.result()
        elif what == "event":
            action = content.get("action") if isinstance(content, dict) else None
            if action == "remove-worker":
                self._lose(str(content.get("worker")))
            elif action == "add-worker":
                self._look()
        elif content in self._sent:
            self._take(content)

    def _look(self) -> None:
        """Find out which workers are there: new ones are made ready, the runs of those that are gone go elsewhere."""
        there = self._cluster.nthreads()
        for worker in {*self._slots, *(sent.worker for sent in self._sent.values())} - there.keys():
            self._lose(worker)
        self._slots = {worker: there[worker] for worker in self._slots}
        if new := [worker for worker in there if worker not in self._slots and worker not in self._differ]:
            if self._taken_back:  # a worker that was out of reach may still be at them
                self._cluster.ask(stop_runs, self._cluster.name, self._taken_back, workers=new)
            able, problems = self._cluster.open_on(new)
            for problem in problems:
                logger.warning("A Dask worker that came later is left out: %s.", problem)
            self._differ |= set(new) - able
            self._slots |= {worker: there[worker] for worker in able}
        if self._slots:
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() > self._alone_since + SECONDS_FOR_WORKERS:
            raise ClusterError(
                "The Dask cluster has no workers any more: start some, and the same command goes on; runs that had "
                "ended are kept."
            )

    def _send(self) -> None:
        """Give waiting runs to workers that have room; those that may have taken workers along one at a time."""
        loads = Counter(sent.worker for sent in self._sent.values())
        while self._waiting and self._slots and self._unscored < MOST_UNSCORED:
            worker = min(self._slots, key=lambda each: loads[each] / self._slots[each])
            if loads[worker] > self._slots[worker]:
                return
            self._submit(self._waiting.popleft(), worker)
            loads[worker] += 1
        if self._suspects and self._slots and not self._sent and not self._waiting:
            self._submit(self._suspects.popleft(), next(iter(self._slots)))

    def _submit(self, planned: PlannedRun, worker: str) -> None:
        cluster = self._cluster
        try:
            stream, handed = cluster.hand_out(planned.stream, worker)
            key = f"{cluster.name}-{planned.run_id[:16]}-{os.urandom(4).hex()}"
            future = cluster.client.submit(
                carry_out, cluster.name, key, planned.assignment(), stream, self._audits[planned.run_id], handed,
                key=key, pure=False, workers=[worker], allow_other_workers=False,
            )  # fmt: skip
        except BaseException:
            self._waiting.appendleft(planned)
            raise
        self._sent[key] = _Sent(planned, worker, future)
        future.add_done_callback(lambda future: self._inbox.put(("done", future.key)))

    def _take(self, key: str) -> None:
        """Take the report of a run that a worker is done with, and have it scored; or have the run sent again."""
        from distributed import KilledWorker

        sent = self._sent.pop(key)
        try:
            self._score(sent.planned, sent.future.result(timeout=SECONDS_TO_ASK))
        except KilledWorker:
            self._count(sent.planned)
        except (TimeoutError, OSError, CancelledError) as error:
            self._waiting.appendleft(sent.planned)
            if getattr(error, "reason", None) == CONNECTION_LOST:
                raise LostError from None
            self._look()
        except MissingError:
            self._waiting.appendleft(sent.planned)
            self._cluster.forget(sent.worker)  # it is made ready again, and handed what it lacks
            self._slots.pop(sent.worker, None)
            self._look()
        except LcbenchError as error:
            raise ParameterError(f"On the Dask worker {sent.worker}: {error}") from error
        except Exception as error:
            raise ClusterError(
                f"A Dask worker could not carry out {sent.planned.like.label} ({type(error).__name__}: {error}): "
                "runs that had ended are kept."
            ) from error

    def _score(self, planned: PlannedRun, report: Report) -> None:
        self._unscored += 1
        self._scored(planned, report).add_done_callback(lambda future: self._inbox.put(("scored", future)))

    def _lose(self, worker: str) -> None:
        """A worker is gone: the runs that it had are given to others, or recorded if they have lost too many."""
        self._slots.pop(worker, None)
        self._differ.discard(worker)
        self._cluster.forget(worker)
        for key in [key for key, sent in self._sent.items() if sent.worker == worker]:
            sent = self._sent.pop(key)
            sent.future.cancel()
            self._taken_back.append(key)
            self._count(sent.planned)

    def _count(self, planned: PlannedRun) -> None:
        """Count a worker that was lost with a run."""
        self._losses[planned.run_id] += 1
        losses = self._losses[planned.run_id]
        if losses < MOST_LOSSES - 1:
            self._waiting.appendleft(planned)
        elif losses < MOST_LOSSES:
            self._suspects.append(planned)
        else:
            text = f"{counted(losses, 'Dask worker')} went away while carrying it out, the last one with nothing else."
            self._score(planned, Report([], Ending(CRASHED, text), {}, []))

    def _cancel(self) -> None:
        """Take back what is still on the cluster, and have it ended there."""
        self._cluster.heard = lambda event: None
        sent, self._sent = self._sent, {}
        if sent and self._cluster.is_connected:
            with contextlib.suppress(Exception):
                self._cluster.client.cancel([each.future for each in sent.values()], force=True)
                workers = list({each.worker for each in sent.values()} & self._cluster.nthreads().keys())
                self._cluster.ask(stop_runs, self._cluster.name, list(sent), workers=workers)
