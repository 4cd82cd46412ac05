"""Carries out runs, several at a time, each in a process of its own."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lcbench.errors import ParameterError
from lcbench.printable import byte_size
from lcbench.running.executor import Limits
from lcbench.running.forwarded_logs import Told
from lcbench.running.isolated_run import IsolatedRun
from lcbench.running.ledger import Ledger
from lcbench.running.parcels import TaskParcels
from lcbench.running.provenance import environment_facts
from lcbench.running.replays import learned_and_audited
from lcbench.running.scorers import Scorers
from lcbench.running.steps import StepScores

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord
    from lcbench.registry.events import Events
    from lcbench.running.launching import Server
    from lcbench.running.planned_run import PlannedRun

SECONDS_TO_LEAVE = 15.0


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
        self._told: Told = set()
        self._parcels: dict[int, TaskParcels] = {}

    def run_all(
        self, plan: Sequence[PlannedRun], audits: Mapping[str, tuple[str, ...]], events: Events
    ) -> Iterator[RunRecord]:
        """Carry out all runs and yield their records as they end. The hooks fire here, in the caller's thread."""
        facts = self._server.facts
        check_room(self._limits, facts["private_bytes"])
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
        ledger = Ledger(events, sealed=self._sealed)
        missing = len(plan)
        try:
            while missing:
                what, planned, content = self._inbox.get()
                if what == "error":
                    raise content
                if what == "started":
                    ledger.start(planned, environment)
                elif what == "step":
                    ledger.step(planned, content)
                else:
                    missing -= 1
                    yield ledger.end(planned, content)
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
            scorers = Scorers(self._metrics, self._scoring, self._told)
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
        parcels = self._parcels[id(planned.stream)]
        run = IsolatedRun(planned.assignment(), parcels, self._server, self._limits, told=self._told)
        self._running.add(run)
        try:
            self._inbox.put(("started", planned, None))
            scorers.unscored.clear()
            score = partial(scorers.rows, planned.stream.tasks(), planned.order)
            steps = StepScores(planned.order, score, planned.like.evaluate)
            for learned in learned_and_audited(run, audits):
                self._inbox.put(("step", planned, steps.step(learned)))
            ending = run.ending
            ending.unscored = frozenset(scorers.unscored)
            self._inbox.put(("finished", planned, ending))
        finally:
            self._running.discard(run)


def check_room(limits: Limits, needed: int | None) -> None:
    """Refuse a memory limit below what a process needs before it does anything."""
    limit = limits.memory
    if limit is not None and needed is not None and needed >= limit:
        raise ParameterError(
            f"A process needs {byte_size(needed)} before it runs anything: a memory limit of {byte_size(limit)} "
            "is too small."
        )
